#include "decree.h"

bool sg_game_decrees(const sg_game *game) {
    return game->hotspots || game->play == SG_PLAY_MISERE;
}

sg_status sg_decree_open(sg_decree *decree, sg_context *context, const sg_game *game, uint64_t n, uint64_t smallest) {
    *decree = (sg_decree){.context = context};
    if (game->play == SG_PLAY_MISERE)
        decree->moveless_end = smallest ? smallest : n;
    return game->hotspots ? sg_set_cursor_open(context, game->hotspots, n, &decree->hotspots) : SG_OK;
}

void sg_decree_close(sg_decree *decree) {
    sg_set_cursor_close(decree->hotspots);
    decree->hotspots = NULL;
}

static void set_bit(uint64_t *bits, uint64_t i) {
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

sg_status sg_decree_mark(sg_decree *decree, uint64_t first, uint64_t count, uint64_t *bits) {
    for (uint64_t i = 0; i < count && first + i < decree->moveless_end; i++)
        set_bit(bits, i);
    while (decree->hotspots) {
        if (decree->batch_next == decree->batch_count) {
            decree->batch_next = 0;
            sg_status status = sg_set_cursor_next(decree->context, decree->hotspots, decree->batch, SG_DECREE_BATCH,
                                                  &decree->batch_count);
            if (status != SG_OK)
                return status;
            if (!decree->batch_count)
                break;
        }
        uint64_t hotspot = decree->batch[decree->batch_next];
        if (hotspot - first >= count)
            break;
        set_bit(bits, hotspot - first);
        decree->batch_next++;
    }
    return SG_OK;
}
