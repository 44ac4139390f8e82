// Two stamps of a file differ where it was written, replaced, created or removed in between.
#include "data/read_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/array.h>

struct ScriptFileStamp {
    bool exists;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
};

static ScriptFileStamp stamp_of(const char *path);
static bool is_same(const ScriptFileStamp *a, const ScriptFileStamp *b);
static bool is_same_time(const struct timespec *a, const struct timespec *b);

void script_read_files_finish(ScriptReadFiles *files) {
    script_string_list_finish(&files->paths);
    free(files->stamps);
    *files = (ScriptReadFiles){0};
}

bool script_read_files_add(ScriptReadFiles *files, const char *path) {
    for (int i = 0; i < files->paths.count; i++)
        if (strcmp(files->paths.items[i], path) == 0) return true;
    if (!TEXT_ARRAY_EXTEND(files->stamps, files->paths.count)) return false;
    files->stamps[files->paths.count] = stamp_of(path);
    return script_string_list_add(&files->paths, path, false);
}

const char *script_read_files_next_changed(const ScriptReadFiles *files, int *place) {
    while (*place < files->paths.count) {
        const int index = (*place)++;
        const ScriptFileStamp now = stamp_of(files->paths.items[index]);
        if (!is_same(&files->stamps[index], &now)) return files->paths.items[index];
    }
    return NULL;
}

static ScriptFileStamp stamp_of(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return (ScriptFileStamp){0};
    return (ScriptFileStamp){true,           status.st_dev,  status.st_ino,
                             status.st_size, status.st_mtim, status.st_ctim};
}

static bool is_same(const ScriptFileStamp *a, const ScriptFileStamp *b) {
    return a->exists == b->exists && a->device == b->device && a->inode == b->inode && a->size == b->size &&
           is_same_time(&a->modified, &b->modified) && is_same_time(&a->changed, &b->changed);
}

static bool is_same_time(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}
