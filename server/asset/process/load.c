// Starts the child, receives what it sends, and tells how it ended where it sent nothing.
#define _GNU_SOURCE // pipe2
#include "asset/import.h"
#include "importer/format.h"
#include "importer/importer.h"
#include "process/check.h"
#include "process/child.h"
#include "process/wire.h"
#include "surface_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <text/hash.h>
#include <text/utf8.h>
#include <unistd.h>

#define SURFACE_FORMAT 2 // of the cache; to be counted up when the same file gives another surface

typedef struct Import {
    const char *path;
    AssetImport *limits;
    double start; // s of the monotonic clock
    pid_t child;
    bool failed; // the child has sent an error
    Wire wire;
} Import;

extern char **environ;

static Import *begin(ImportKind kind, const char *path, const char *mesh, float scale, AssetImport *limits,
                     AssetError *out_error);
static void take_error(Import *import, AssetError *out_error);
static bool end(Import *import, AssetError *out_error);
static bool check_size(const Import *import, AssetError *out_error);
static bool start(Import *import, char *const *arguments, AssetError *out_error);
static int spawn(Import *import, const char *program, char *const *arguments, int pipe_end);
static void describe(const Import *import, int status, AssetError *out_error);
static bool hash_file(const char *path, uint64_t *hash);

AssetFile *asset_file_load(const char *path, const AssetLoad *load, AssetImport *limits,
                           AssetError *out_error) {
    if (!limits || !limits->program) {
        AssetFile *own = importer_load_file(path, load, out_error);
        if (own && asset_check_file(own, out_error)) return own;
        asset_file_destroy(own);
        return NULL;
    }
    AssetFile *file = calloc(1, sizeof *file);
    if (file) file->path = strdup(path);
    Import *import = file && file->path
                         ? begin(IMPORT_FILE, path, NULL, load ? load->scale : 0.0f, limits, out_error)
                         : NULL;
    if (import) wire_file(&import->wire, file);
    if (import && end(import, out_error) && asset_check_file(file, out_error)) return file;
    if (!import && !(file && file->path)) asset_fail(out_error, "%s: out of memory", path);
    asset_file_destroy(file);
    return NULL;
}

bool asset_surface_load(AssetSurface *surface, const char *path, const char *name, float scale,
                        const char *cache, AssetImport *limits, AssetError *out_error) {
    uint64_t key = TEXT_HASH_BEGIN;
    const bool keeps = cache && cache[0] != '\0' && hash_file(path, &key);
    const int format = SURFACE_FORMAT;
    key = text_hash(key, &format, sizeof format);
    key = text_hash(key, &scale, sizeof scale);
    if (name) key = text_hash(key, name, strlen(name));
    *surface = (AssetSurface){0};
    if (keeps && asset_surface_read(surface, cache, key)) return true;
    bool done;
    if (limits && limits->program) {
        Import *import = begin(IMPORT_SURFACE, path, name, scale, limits, out_error);
        if (import) wire_surface(&import->wire, surface);
        done = import && end(import, out_error);
    } else {
        done = importer_load_surface(surface, path, name, scale, out_error);
    }
    done = done && asset_check_surface(surface, path, out_error);
    if (done && keeps) asset_surface_write(surface, cache, key);
    if (!done) asset_surface_finish(surface);
    return done;
}

bool asset_contents_load(AssetContents *contents, const char *path, AssetImport *limits,
                         AssetError *out_error) {
    *contents = (AssetContents){0};
    if (!limits || !limits->program)
        return importer_load_contents(contents, path, out_error) &&
               asset_check_contents(contents, path, out_error);
    Import *import = begin(IMPORT_CONTENTS, path, NULL, 0.0f, limits, out_error);
    if (import) wire_contents(&import->wire, contents);
    return import && end(import, out_error) && asset_check_contents(contents, path, out_error);
}

void asset_contents_finish(AssetContents *contents) {
    for (int i = 0; i < contents->mesh_count; i++) {
        free(contents->meshes[i].name);
        free(contents->meshes[i].material);
    }
    free(contents->meshes);
    free(contents->format);
    *contents = (AssetContents){0};
}

// Returns an import whose content comes next on its wire, or NULL and the error; ended by `end`.
static Import *begin(ImportKind kind, const char *path, const char *mesh, float scale, AssetImport *limits,
                     AssetError *out_error) {
    char texts[5][32];
    if (!importer_format_of(path, out_error)) return NULL;
    Import *import = calloc(1, sizeof *import);
    if (!import) {
        asset_fail(out_error, "%s: out of memory", path);
        return NULL;
    }
    import->path = path;
    import->limits = limits;
    import->start = wire_clock();
    snprintf(texts[0], sizeof texts[0], "%d", (int)kind);
    snprintf(texts[1], sizeof texts[1], "%a", (double)scale);
    snprintf(texts[2], sizeof texts[2], "%zu", import->limits->memory);
    snprintf(texts[3], sizeof texts[3], "%.0f", ceil(fmax(limits->seconds, 1.0)));
    snprintf(texts[4], sizeof texts[4], "%ld", (long)getpid());
    char *const arguments[] = {"tweed",  IMPORT_COMMAND, texts[0],     texts[1],     texts[2],
                               texts[3], texts[4],       (char *)path, (char *)mesh, NULL};
    if (!check_size(import, out_error) || !start(import, arguments, out_error)) {
        free(import);
        return NULL;
    }
    bool done = false;
    wire_flag(&import->wire, &done);
    if (done || import->wire.state != WIRE_OPEN) return import;
    take_error(import, out_error);
    return import;
}

// The child's error, which names the file. It does not know how much memory it may have.
static void take_error(Import *import, AssetError *out_error) {
    static const char no_memory[] = ": out of memory";
    char *message = out_error->message;
    const size_t path_length = strlen(import->path);
    wire_error(&import->wire, out_error);
    text_utf8_mend(message);
    if (import->wire.state == WIRE_OPEN && strncmp(message, import->path, path_length) != 0)
        import->wire.state = WIRE_INVALID;
    import->failed = import->wire.state == WIRE_OPEN;
    if (import->failed && strcmp(message + path_length, no_memory) == 0)
        asset_fail(out_error, "%s: reading it takes more than %zu MiB of memory", import->path,
                   import->limits->memory >> 20);
}

// Whether all has come; otherwise the error. The child has done its work, or will not.
static bool end(Import *import, AssetError *out_error) {
    int status = -1;
    const bool done = !import->failed && import->wire.state == WIRE_OPEN;
    close(import->wire.descriptor);
    kill(import->child, SIGKILL); // does nothing to one that has ended, and whose status says how
    while (waitpid(import->child, &status, 0) < 0 && errno == EINTR) continue;
    if (!done && !import->failed) describe(import, status, out_error);
    import->limits->seconds -= wire_clock() - import->start;
    free(import);
    return done;
}

// What is larger than the child's memory need not be tried. Another file than a regular one is never opened.
static bool check_size(const Import *import, AssetError *out_error) {
    struct stat status;
    if (stat(import->path, &status) != 0)
        return asset_fail(out_error, "%s: %s", import->path, strerror(errno));
    if (!S_ISREG(status.st_mode)) return asset_fail(out_error, "%s: is no regular file", import->path);
    return (uint64_t)status.st_size <= import->limits->memory ||
           asset_fail(out_error, "%s: is too large: %lld MiB; reading a file may take %zu MiB of memory",
                      import->path, (long long)status.st_size >> 20, import->limits->memory >> 20);
}

static bool start(Import *import, char *const *arguments, AssetError *out_error) {
    int ends[2], error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (error == 0) {
        error = spawn(import, import->limits->program, arguments, ends[1]);
        close(ends[1]);
        wire_init_receiver(&import->wire, ends[0], import->limits);
        if (error != 0) close(ends[0]);
    }
    return error == 0 || asset_fail(out_error, "%s: the process that reads files cannot be started: %s",
                                    import->path, strerror(error));
}

// Unlike fork it copies no page tables, whatever the size of the server. Returns an errno.
static int spawn(Import *import, const char *program, char *const *arguments, int pipe_end) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
    int error = posix_spawnattr_init(&attributes);
    for (int file = 0; error == 0 && file < IMPORT_PIPE; file++)
        error = posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_RDWR, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&files, pipe_end, IMPORT_PIPE);
    if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (error == 0) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    if (error == 0) error = posix_spawn(&import->child, program, &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static void describe(const Import *import, int status, AssetError *out_error) {
    const WireState state = import->wire.state;
    const int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (state == WIRE_LATE || signal_number == SIGXCPU)
        asset_fail(out_error, "%s: reading it takes longer than the %.1f s that are left for imports",
                   import->path, fmax(import->limits->seconds, 0.0));
    else if (state == WIRE_CANCELLED)
        asset_fail(out_error, "%s: reading it was cancelled", import->path);
    else if (state == WIRE_NO_MEMORY)
        asset_fail(out_error, "%s: out of memory", import->path);
    else if (state == WIRE_INVALID)
        asset_fail(out_error, "%s: the process that reads it sent something invalid", import->path);
    else if (signal_number != 0)
        asset_fail(out_error, "%s: reading it crashed (%s); the file is broken, or takes more than %zu MiB",
                   import->path, strsignal(signal_number), import->limits->memory >> 20);
    else
        asset_fail(out_error, "%s: reading it failed: the process that reads it ended with status %d",
                   import->path, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

// Only of formats that are one file.
static bool hash_file(const char *path, uint64_t *hash) {
    const ImporterFormat *format = importer_format_of(path, NULL);
    const int descriptor = format && format->is_whole ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    struct stat status;
    FILE *file = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)
                     ? fdopen(descriptor, "rb")
                     : NULL;
    if (!file && descriptor >= 0) close(descriptor);
    if (!file) return false;
    char block[16384];
    for (size_t count; (count = fread(block, 1, sizeof block, file)) > 0;)
        *hash = text_hash(*hash, block, count);
    const bool done = !ferror(file);
    fclose(file);
    return done;
}
