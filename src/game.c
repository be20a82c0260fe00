/* Games: a subtraction set, hotspots and a play convention, behind the public interface. */
#include "game.h"

#include <stdlib.h>

static const char subtraction_what[] = "subtraction set";
static const char hotspots_what[] = "hotspot set";

/* Members that are counted but do not fit the caller's array go here. */
enum { SCRATCH_MEMBERS = 1024 };

#define REQUIRE(pointer)                                                                                               \
    do {                                                                                                               \
        if (!(pointer))                                                                                                \
            return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", __func__, #pointer);                  \
    } while (0)

/* Takes over the set. */
static sg_status game_around(sg_context *context, sg_set *subtraction, sg_game **game) {
    sg_game *created = calloc(1, sizeof *created);
    if (!created) {
        sg_set_destroy(subtraction);
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for a game");
    }
    created->subtraction = subtraction;
    created->play = SG_PLAY_NORMAL;
    *game = created;
    return SG_OK;
}

sg_status sg_game_create(sg_context *context, const char *set_spec, sg_game **game) {
    REQUIRE(set_spec);
    REQUIRE(game);
    sg_set *set;
    sg_status status = sg_set_parse(context, set_spec, SG_ZERO_REFUSED, subtraction_what, &set);
    return status == SG_OK ? game_around(context, set, game) : status;
}

sg_status sg_game_create_from_members(sg_context *context, const uint64_t *members, size_t count, sg_game **game) {
    if (count)
        REQUIRE(members);
    REQUIRE(game);
    sg_set *set;
    sg_status status = sg_set_from_members(context, members, count, SG_ZERO_REFUSED, &set);
    return status == SG_OK ? game_around(context, set, game) : status;
}

sg_status sg_game_create_from_callback(sg_context *context, const char *name, sg_member_fn next_member, void *user,
                                       sg_game **game) {
    REQUIRE(name);
    REQUIRE(next_member);
    REQUIRE(game);
    sg_set *set;
    sg_status status = sg_set_from_callback(context, name, next_member, user, &set);
    return status == SG_OK ? game_around(context, set, game) : status;
}

void sg_game_destroy(sg_game *game) {
    if (!game)
        return;
    sg_set_destroy(game->subtraction);
    sg_set_destroy(game->hotspots);
    free(game);
}

static void replace_hotspots(sg_game *game, sg_set *hotspots) {
    sg_set_destroy(game->hotspots);
    game->hotspots = hotspots;
}

sg_status sg_game_set_hotspots(sg_context *context, sg_game *game, const char *spec) {
    REQUIRE(game);
    sg_set *hotspots = NULL;
    sg_status status = spec ? sg_set_parse(context, spec, SG_ZERO_ALLOWED, hotspots_what, &hotspots) : SG_OK;
    if (status == SG_OK)
        replace_hotspots(game, hotspots);
    return status;
}

sg_status sg_game_set_hotspots_from_members(sg_context *context, sg_game *game, const uint64_t *members, size_t count) {
    REQUIRE(game);
    if (count)
        REQUIRE(members);
    sg_set *hotspots = NULL;
    sg_status status = count ? sg_set_from_members(context, members, count, SG_ZERO_ALLOWED, &hotspots) : SG_OK;
    if (status == SG_OK)
        replace_hotspots(game, hotspots);
    return status;
}

sg_status sg_game_set_play(sg_context *context, sg_game *game, sg_play play) {
    REQUIRE(game);
    if (play != SG_PLAY_NORMAL && play != SG_PLAY_MISERE)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "%d is not a play convention; 0 is normal, 1 is misere",
                       (int)play);
    game->play = play;
    return SG_OK;
}

const char *sg_game_set_name(const sg_game *game) {
    return game ? sg_set_name(game->subtraction) : NULL;
}

const char *sg_game_hotspots_name(const sg_game *game) {
    return game && game->hotspots ? sg_set_name(game->hotspots) : NULL;
}

sg_play sg_game_play(const sg_game *game) {
    return game ? game->play : SG_PLAY_NORMAL;
}

sg_status sg_game_has_member(sg_context *context, const sg_game *game, uint64_t s, bool *is_member) {
    REQUIRE(game);
    REQUIRE(is_member);
    bool found;
    sg_status status = sg_set_contains(context, game->subtraction, s, &found);
    if (status == SG_OK)
        *is_member = found;
    return status;
}

sg_status sg_game_members(sg_context *context, const sg_game *game, uint64_t limit, uint64_t *members, size_t capacity,
                          uint64_t *count) {
    REQUIRE(game);
    if (capacity)
        REQUIRE(members);
    REQUIRE(count);
    uint64_t scratch[SCRATCH_MEMBERS];
    uint64_t total = 0;
    size_t got = 0;
    sg_set_cursor *cursor = NULL;
    sg_status status = SG_OK;
    SG_TRY(sg_set_cursor_open(context, game->subtraction, limit, &cursor));
    do {
        bool fits = total < capacity;
        SG_TRY(sg_set_cursor_next(context, cursor, fits ? members + total : scratch,
                                  fits ? capacity - (size_t)total : SCRATCH_MEMBERS, &got));
        total += got;
    } while (got);
    *count = total;
cleanup:
    sg_set_cursor_close(cursor);
    return status;
}
