/* Finding and opening the module of the CUDA backend. Every way in which it can be missing is a reason that a user can
 * act on, so each is told apart before the loader, whose messages name symbols and sonames, has a chance to. */
#define _GNU_SOURCE /* dladdr */
#include "cuda_module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE_FILE "libsubgame_cuda.so"

enum { PATH_BYTES = 4096 };

/* The directory of the program or library that holds this code, with its slash; "" when unknown. */
static void own_directory(char *directory) {
    Dl_info info;
    const char *slash = NULL;
    if (dladdr((const void *)(uintptr_t)own_directory, &info) && info.dli_fname)
        slash = strrchr(info.dli_fname, '/');
    snprintf(directory, PATH_BYTES, "%.*s", slash ? (int)(slash - info.dli_fname) + 1 : 0, slash ? info.dli_fname : "");
}

/* Whether the module lies at one of the places beside us; its path goes to `path`. */
static bool find_beside(char *path) {
    static const char *const folders[] = {"", "../lib/", "../lib64/", "../" SG_LIBRARY_FOLDER "/"};
    char directory[PATH_BYTES];
    own_directory(directory);
    for (size_t i = 0; directory[0] && i < sizeof folders / sizeof *folders; i++) {
        int length = snprintf(path, PATH_BYTES, "%s%s%s", directory, folders[i], MODULE_FILE);
        if (length < PATH_BYTES && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* The path to hand to the loader: the one that the environment names, one beside us, or the bare name. */
static void choose_path(char *path) {
    const char *named = getenv("SUBGAME_CUDA_MODULE");
    if (named && named[0])
        snprintf(path, PATH_BYTES, "%s", named);
    else if (!find_beside(path))
        snprintf(path, PATH_BYTES, "%s", MODULE_FILE);
}

static bool is_bare(const char *path) {
    return strcmp(path, MODULE_FILE) == 0;
}

bool sg_cuda_module_exists(void) {
    char path[PATH_BYTES];
    choose_path(path);
    if (!is_bare(path))
        return access(path, R_OK) == 0;
    void *found = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (found)
        dlclose(found);
    return found != NULL;
}

sg_status sg_cuda_driver_check(sg_context *context) {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver)
        return sg_fail(context, SG_ERROR_BACKEND,
                       "no CUDA device can be used: there is no NVIDIA driver (libcuda.so.1)");
    return SG_OK; /* kept open: the module needs it, and drivers do not like to be unloaded */
}

sg_status sg_cuda_module_open(sg_context *context, const sg_operators **operators) {
    char path[PATH_BYTES];
    sg_cuda_entry_fn entry;
    choose_path(path);
    if (!is_bare(path) && access(path, R_OK) != 0)
        return sg_fail(context, SG_ERROR_BACKEND, "the CUDA module %s (SUBGAME_CUDA_MODULE) cannot be read", path);
    sg_status status =
        is_bare(path) && !sg_cuda_module_exists()
            ? sg_fail(context, SG_ERROR_BACKEND,
                      "the CUDA module " MODULE_FILE " is not installed: it is built where nvcc is found")
            : sg_cuda_driver_check(context);
    if (status != SG_OK)
        return status;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays open: CUDA's state outlives every field */
    if (!module)
        return sg_fail(context, SG_ERROR_BACKEND, "the CUDA module cannot be loaded: %s", dlerror());
    void *symbol = dlsym(module, SG_CUDA_ENTRY_NAME);
    if (!symbol)
        return sg_fail(context, SG_ERROR_BACKEND, "%s is not a CUDA module of subgame", path);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from data to function pointers */
    *operators = entry(SG_CUDA_INTERFACE);
    if (!*operators)
        return sg_fail(context, SG_ERROR_BACKEND, "the CUDA module %s belongs to another version of subgame", path);
    return SG_OK;
}
