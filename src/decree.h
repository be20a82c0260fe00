/* Heap sizes that are hot by decree, before any move is looked at: the hotspots; under misere play the heap sizes
 * without a move, since there the player who cannot move wins. With them misere play is the ordinary recurrence. */
#ifndef SG_DECREE_H
#define SG_DECREE_H

#include "game.h"

enum { SG_DECREE_BATCH = 1024 };

typedef struct sg_decree {
    sg_context *context;
    sg_set_cursor *hotspots; /* NULL when there are none */
    uint64_t moveless_end;   /* heap sizes below it are hot: 0 under normal play */
    uint64_t batch[SG_DECREE_BATCH];
    size_t batch_count;
    size_t batch_next;
} sg_decree;

/* `smallest` is the least member of S below n, or 0 when there is none. */
sg_status sg_decree_open(sg_decree *decree, sg_context *context, const sg_game *game, uint64_t n, uint64_t smallest);
void sg_decree_close(sg_decree *decree);

/* Whether a game decrees anything at all. */
bool sg_game_decrees(const sg_game *game);

/* Sets bit i of word i/64 for each decreed heap size first + i, i < count; other bits stay. Calls must come with
 * rising, disjoint ranges. */
sg_status sg_decree_mark(sg_decree *decree, uint64_t first, uint64_t count, uint64_t *bits);

#endif
