// A file's text, read in one go.
#include "data/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST         ((size_t)16 << 20)
#define BYTE_ORDER_MARK "\xEF\xBB\xBF" // of UTF-8

static char *read_open(FILE *file, size_t *out_length);

char *script_read_file(const char *path, size_t *out_length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = read_open(file, out_length);
    if (text && strncmp(text, BYTE_ORDER_MARK, 3) == 0) { // some editors begin a file with it
        *out_length -= 3;
        memmove(text, text + 3, *out_length + 1);
    }
    const int error = errno;
    fclose(file);
    errno = error;
    return text;
}

static char *read_open(FILE *file, size_t *out_length) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0) return NULL;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    if (status.st_size > (off_t)LARGEST) {
        errno = EFBIG;
        return NULL;
    }
    const size_t size = (size_t)status.st_size;
    char *text = malloc(size + 1);
    if (!text) return NULL;
    *out_length = fread(text, 1, size, file);
    text[*out_length] = '\0';
    if (!ferror(file)) return text;
    free(text);
    errno = EIO;
    return NULL;
}
