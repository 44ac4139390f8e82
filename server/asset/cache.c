#define _POSIX_C_SOURCE 200809L
#include "cache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/hash.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define MOST_SIZE ((uint64_t)1 << 28) // bytes of content
#define MAGIC     UINT64_C(0x3165686361637774)

typedef struct Header {
    uint64_t magic, key, size, hash; // size and hash of all that follows
} Header;

static bool name_file(const char *folder, uint64_t key, char out_path[PATH_SIZE]);
static void *read_content(FILE *file, uint64_t key, size_t *out_size);
static bool make_folder(const char *folder);

void *asset_cache_read(const char *folder, uint64_t key, size_t *out_size) {
    char path[PATH_SIZE];
    FILE *file = name_file(folder, key, path) ? fopen(path, "rb") : NULL;
    if (!file) return NULL;
    void *content = read_content(file, key, out_size);
    fclose(file);
    return content;
}

void asset_cache_write(const char *folder, uint64_t key, const void *bytes, size_t size) {
    char path[PATH_SIZE], own[PATH_SIZE + 8];
    if (size > MOST_SIZE || !name_file(folder, key, path) || !make_folder(folder)) return;
    snprintf(own, sizeof own, "%s-XXXXXX", path);
    const int descriptor = mkstemp(own);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file) {
        if (descriptor >= 0) close(descriptor);
        return;
    }
    const Header header = {MAGIC, key, size, text_hash(TEXT_HASH_BEGIN, bytes, size)};
    bool done = fwrite(&header, sizeof header, 1, file) == 1 && fwrite(bytes, 1, size, file) == size;
    done = fclose(file) == 0 && done;
    if (!done || rename(own, path) != 0) remove(own);
}

static bool name_file(const char *folder, uint64_t key, char out_path[PATH_SIZE]) {
    if (!folder || folder[0] == '\0') return false;
    const int length = snprintf(out_path, PATH_SIZE, "%s/%016llx", folder, (unsigned long long)key);
    return length > 0 && length < PATH_SIZE;
}

static void *read_content(FILE *file, uint64_t key, size_t *out_size) {
    Header header;
    if (fread(&header, sizeof header, 1, file) != 1 || header.magic != MAGIC || header.key != key ||
        header.size > MOST_SIZE)
        return NULL;
    *out_size = (size_t)header.size;
    void *content = malloc(*out_size + 1);
    if (content && fread(content, 1, *out_size, file) == *out_size && fgetc(file) == EOF &&
        text_hash(TEXT_HASH_BEGIN, content, *out_size) == header.hash)
        return content;
    free(content);
    return NULL;
}

// With those above it.
static bool make_folder(const char *folder) {
    char path[PATH_SIZE];
    const size_t length = strlen(folder);
    if (length >= sizeof path) return false;
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i < length; i++) {
        if (path[i] != '/') continue;
        path[i] = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
        path[i] = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}
