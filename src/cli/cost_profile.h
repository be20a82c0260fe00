/* The cost profile that the command uses: the library reads none by itself. */
#ifndef CLI_COST_PROFILE_H
#define CLI_COST_PROFILE_H

#include "diagnostics.h"

#include <stdbool.h>
#include <stddef.h>

enum { PROFILE_PATH_BYTES = 4096, PROFILE_REASON_BYTES = 1024 };

typedef struct cost_profile {
    char path[PROFILE_PATH_BYTES];     /* "": there is no place for one */
    bool used;                         /* else costs are built in */
    char unused[PROFILE_REASON_BYTES]; /* why a profile that is there, or was named, is not used; "": no such case */
} cost_profile;

/* Finds the default path: $SUBGAME_PROFILE (empty: none), $XDG_CONFIG_HOME/subgame/profile, ~/.config/subgame/profile.
 */
void cost_profile_find(cost_profile *profile);

/* Puts the profile at the default path in force, if it is one of this machine. */
void cost_profile_use(sg_context *context, cost_profile *profile);

/* Makes the folders above the default path, which other programs may not have made yet. */
void cost_profile_make_folders(const cost_profile *profile);

#endif
