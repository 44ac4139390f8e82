// Writes files beside their place, and moves them there.
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_KEPT 10000

static int write_beside(const char *path, const TextBuffer *text, char **out_beside);
static int write_file(const char *path, const TextBuffer *text);
static int make_folder_of(const char *path);

int app_file_replace(const char *path, const TextBuffer *text) {
    char *beside;
    int failure = write_beside(path, text, &beside);
    if (failure == 0 && rename(beside, path) != 0) {
        failure = errno;
        unlink(beside);
    }
    free(beside);
    return failure;
}

int app_file_create(const char *path, const TextBuffer *text) {
    char *beside = NULL;
    int failure = make_folder_of(path);
    if (failure == 0) failure = write_beside(path, text, &beside);
    if (failure == 0) {
        if (link(beside, path) != 0) failure = errno; // rename would overwrite
        unlink(beside);
    }
    free(beside);
    return failure;
}

int app_file_keep(const char *path, char *out_kept, size_t capacity) {
    for (int i = 1; i <= MOST_KEPT; i++) {
        if ((size_t)snprintf(out_kept, capacity, "%s.~%d~", path, i) >= capacity) {
            out_kept[0] = '\0';
            return ENAMETOOLONG;
        }
        if (link(path, out_kept) == 0) return 0;
        if (errno == EEXIST) continue;
        const int failure = errno;
        out_kept[0] = '\0';
        return failure;
    }
    out_kept[0] = '\0'; // the last one is another's
    return EEXIST;
}

static int write_beside(const char *path, const TextBuffer *text, char **out_beside) {
    const size_t size = strlen(path) + sizeof ".new";
    *out_beside = malloc(size);
    if (!*out_beside || text->failed) return ENOMEM;
    snprintf(*out_beside, size, "%s.new", path);
    return write_file(*out_beside, text);
}

// Returns 0 or the errno, and then leaves no file.
static int write_file(const char *path, const TextBuffer *text) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return errno;
    int failure = 0;
    for (size_t written = 0; written < text->length && failure == 0;) {
        const ssize_t some = write(file, text->bytes + written, text->length - written);
        if (some >= 0)
            written += (size_t)some;
        else if (errno != EINTR)
            failure = errno;
    }
    if (close(file) != 0 && failure == 0) failure = errno;
    if (failure != 0) unlink(path);
    return failure;
}

static int make_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return 0;
    char *folder = strndup(path, (size_t)(slash - path));
    if (!folder) return ENOMEM;
    const int failure = mkdir(folder, 0755) == 0 || errno == EEXIST ? 0 : errno;
    free(folder);
    return failure;
}
