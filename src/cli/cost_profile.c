#include "cost_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the user named the file, and so expects it to be there. */
static bool is_named(void) {
    const char *path = getenv("SUBGAME_PROFILE");
    return path != NULL && *path != '\0';
}

void cost_profile_find(cost_profile *profile) {
    const char *path = getenv("SUBGAME_PROFILE"), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = 0;
    memset(profile, 0, sizeof *profile);
    if (path != NULL)
        length = snprintf(profile->path, sizeof profile->path, "%s", path);
    else if (config != NULL && *config == '/') /* by its specification, relative ones are to be ignored */
        length = snprintf(profile->path, sizeof profile->path, "%s/subgame/profile", config);
    else if (home != NULL && *home != '\0')
        length = snprintf(profile->path, sizeof profile->path, "%s/.config/subgame/profile", home);
    if (length < 0 || (size_t)length >= sizeof profile->path)
        profile->path[0] = '\0';
}

void cost_profile_use(sg_context *context, cost_profile *profile) {
    cost_profile_find(profile);
    if (profile->path[0] == '\0' || (!is_named() && access(profile->path, F_OK) != 0))
        return;
    profile->used = sg_profile_load(context, profile->path) == SG_OK;
    if (!profile->used)
        snprintf(profile->unused, sizeof profile->unused, "%s", sg_last_error(context));
}

void cost_profile_make_folders(const cost_profile *profile) {
    char path[PROFILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s", profile->path);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* what is wrong with it, writing the file will say */
        *slash = '/';
    }
}
