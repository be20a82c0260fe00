/* What a game is made of. */
#ifndef SG_GAME_H
#define SG_GAME_H

#include "set.h"

struct sg_game {
    sg_set *subtraction; /* S, never NULL */
    sg_set *hotspots;    /* H, NULL when empty */
    sg_play play;
};

#endif
