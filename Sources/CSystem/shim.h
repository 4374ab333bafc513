#pragma once

// What Swift's Glibc module leaves out: it is built without _GNU_SOURCE.

#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>

#ifdef __linux__
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);  // glibc 2.34

static inline void martlet_close_from(posix_spawn_file_actions_t *actions, int first) {
    posix_spawn_file_actions_addclosefrom_np(actions, first);
}

enum { MARTLET_SPAWN_SETSID = 0x80 };  // POSIX_SPAWN_SETSID
#endif

struct FTW;
int nftw(const char *, int (*)(const char *, const struct stat *, int, struct FTW *), int, int);

static int martlet_remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

// Removes a folder and what is in it; links are removed, not followed.
static inline void martlet_remove_folder(const char *path) {
    // FTW_PHYS and FTW_DEPTH, which are 1 and 8 in glibc and on Apple platforms.
    nftw(path, martlet_remove_one, 16, 1 | 8);
}
