// Whole files in memory, each with its precompressed forms.
#include "base/web.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <text/array.h>
#include <text/hash.h>
#include <unistd.h>

#define OPENRPC_PATH  "/openrpc.json"
#define OPENRPC_BYTES (16 << 20) // at most

enum { DEEPEST = 8, HASH_LENGTH = 8 };

static const char *const suffixes[APP_WEB_CODING_COUNT] = {"", ".gz", ".br"};
static const char *const codings[APP_WEB_CODING_COUNT] = {NULL, "gzip", "br"};

static bool answer_file(AppWeb *web, const NetHttpRequest *request, NetHttpResponse *out_response);
static void answer_with(const AppWebFile *file, const NetHttpRequest *request, NetHttpResponse *out_response);
static void answer_without_page(NetHttpResponse *out_response);
static void read_all(AppWeb *web);
static void drop_files(AppWeb *web);
static void read_folder(AppWeb *web, const char *path, int depth);
static void read_entry(AppWeb *web, const char *path, int depth);
static bool is_compressed_form(const AppWeb *web, const char *path);
static void add_file(AppWeb *web, const char *path);
static bool read_forms(AppWebFile *file, const char *path, size_t most_bytes);
static void drop_forms(AppWebFile *file);
static void leave_out(AppWeb *web, const char *path);
static AppWebFile *find(const AppWeb *web, const char *path);
static int compare(const void *left, const void *right);
static uint64_t fingerprint_of(const AppWeb *web);
static bool accepts(const char *accept_encoding, const char *coding);
static const char *type_of(const char *path);
static bool is_hashed(const char *path);
static bool ends_with(const char *text, const char *end);

void app_web_init(AppWeb *web, const AppOptions *options, AppLog *log) {
    char openrpc[APP_PATH_BYTES];
    *web = (AppWeb){.log = log};
    app_paths_find_openrpc(openrpc, sizeof openrpc);
    web->openrpc.path = OPENRPC_PATH;
    read_forms(&web->openrpc, openrpc, OPENRPC_BYTES);
    app_paths_find_web(options, web->folder, sizeof web->folder);
    if (!web->folder[0]) return;
    read_all(web);
    if (web->left_out == 0 && !find(web, "/index.html"))
        app_log(log, TEXT_LOG_WARNING, "%s has no index.html: there is no page at /", web->folder);
}

void app_web_finish(AppWeb *web) {
    drop_files(web);
    drop_forms(&web->openrpc);
}

void app_web_answer(AppWeb *web, const NetHttpRequest *request, NetHttpResponse *out_response) {
    if (web->openrpc.bodies[APP_WEB_PLAIN] && strcmp(request->path, OPENRPC_PATH) == 0)
        answer_with(&web->openrpc, request, out_response);
    else if (!answer_file(web, request, out_response) && strcmp(request->path, "/") == 0)
        answer_without_page(out_response);
}

void app_web_answer_health(bool stands_still, uint64_t tick, bool paused, NetHttpResponse *out_response) {
    char text[96];
    const int length = snprintf(text, sizeof text, "{\"status\":\"%s\",\"tick\":%" PRIu64 ",\"paused\":%s}\n",
                                stands_still ? "standstill" : "ok", tick, paused ? "true" : "false");
    *out_response = (NetHttpResponse){.status = stands_still ? 503 : 200,
                                      .content_type = "application/json",
                                      .body = net_buffer_create_copy(text, (size_t)length)};
}

static bool answer_file(AppWeb *web, const NetHttpRequest *request, NetHttpResponse *out_response) {
    if (!web->folder[0]) return false;
    const char *path = strcmp(request->path, "/") == 0 ? "/index.html" : request->path;
    const AppWebFile *file = find(web, path);
    if ((!file || strcmp(path, "/index.html") == 0) && fingerprint_of(web) != web->fingerprint) {
        read_all(web);
        file = find(web, path);
    }
    if (!file) return false;
    answer_with(file, request, out_response);
    return true;
}

static void answer_with(const AppWebFile *file, const NetHttpRequest *request,
                        NetHttpResponse *out_response) {
    AppWebCoding coding = APP_WEB_PLAIN;
    for (AppWebCoding other = APP_WEB_GZIP; other < APP_WEB_CODING_COUNT; other++) // the best comes last
        if (file->bodies[other] && accepts(request->accept_encoding, codings[other])) coding = other;
    *out_response =
        (NetHttpResponse){.status = 200,
                          .content_type = type_of(file->path),
                          .body = net_buffer_retain(file->bodies[coding]),
                          .encoding = codings[coding],
                          .has_encodings = file->bodies[APP_WEB_GZIP] || file->bodies[APP_WEB_BROTLI],
                          .etag = file->etags[coding],
                          .is_immutable = is_hashed(file->path)};
}

static void answer_without_page(NetHttpResponse *out_response) {
    static const char page[] =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>tweed</title>\n"
        "<h1>tweed " TWEED_VERSION " is running</h1>\n"
        "<p>The page that shows its characters is not built. In a clone of tweed, <code>./dev build</code> "
        "builds it; that takes npm.</p>\n"
        "<p>Meanwhile: WebSocket at <code>/v1</code>, <a href=\"/openrpc.json\">the protocol</a>, "
        "<a href=\"/healthz\">health</a>, <a href=\"/metrics\">metrics</a>.</p>\n</html>\n";
    *out_response = (NetHttpResponse){.status = 200,
                                      .content_type = "text/html; charset=utf-8",
                                      .body = net_buffer_create_copy(page, sizeof page - 1)};
}

static void set_etag(const NetBuffer *body, char out_etag[APP_ETAG_BYTES]) {
    const uint64_t hash = text_hash(TEXT_HASH_BEGIN, net_buffer_data(body), net_buffer_length(body));
    snprintf(out_etag, APP_ETAG_BYTES, "\"%016" PRIx64 "\"", hash);
}

// NULL with errno: it cannot be read, or has more bytes.
static NetBuffer *read_file(const char *path, size_t most_bytes) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return NULL;
    size_t length = 0;
    errno = EFBIG;
    const bool is_right = fstat(file, &status) == 0 && (uint64_t)status.st_size <= most_bytes;
    NetBuffer *body = is_right ? net_buffer_create((size_t)status.st_size + 1) : NULL;
    char *room = body ? net_buffer_reserve(body, (size_t)status.st_size) : NULL;
    for (ssize_t taken = 1; room && taken > 0; length += (size_t)taken) {
        taken = read(file, room + length, (size_t)status.st_size - length);
        if (taken < 0) room = NULL;
        if (taken < 0) break;
    }
    close(file);
    if (room) {
        net_buffer_commit(body, length);
        return body;
    }
    net_buffer_release(body);
    return NULL;
}

static void read_all(AppWeb *web) {
    drop_files(web);
    web->fingerprint = fingerprint_of(web); // before: a change meanwhile is seen later
    read_folder(web, "", 0);
    if (web->left_out > 1)
        app_log(web->log, TEXT_LOG_WARNING, "%s: %zu more are not served", web->folder, web->left_out - 1);
    if (web->count > 0) qsort(web->files, web->count, sizeof *web->files, compare);
}

static void drop_files(AppWeb *web) {
    for (size_t i = 0; i < web->count; i++) {
        free(web->files[i].path);
        drop_forms(&web->files[i]);
    }
    free(web->files);
    web->files = NULL;
    web->count = web->bytes = web->left_out = 0;
}

// `path` is that of the address, without a slash at its end.
static void read_folder(AppWeb *web, const char *path, int depth) {
    char folder[2 * APP_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s%s", web->folder, path);
    DIR *listing = opendir(folder);
    if (!listing) {
        leave_out(web, path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(listing));) {
        char inner[APP_PATH_BYTES];
        if (entry->d_name[0] == '.') continue; // hidden
        const int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if ((size_t)length < sizeof inner) read_entry(web, inner, depth);
    }
    closedir(listing);
}

static void read_entry(AppWeb *web, const char *path, int depth) {
    char file[2 * APP_PATH_BYTES];
    struct stat status;
    snprintf(file, sizeof file, "%s%s", web->folder, path);
    if (lstat(file, &status) != 0) // a link may lead out of the folder: it is none of the page's files
        leave_out(web, path);
    else if (S_ISDIR(status.st_mode) && depth < DEEPEST)
        read_folder(web, path, depth + 1);
    else if (S_ISREG(status.st_mode) && !is_compressed_form(web, path))
        add_file(web, path);
}

static bool is_compressed_form(const AppWeb *web, const char *path) {
    for (AppWebCoding coding = APP_WEB_GZIP; coding < APP_WEB_CODING_COUNT; coding++) {
        char plain[2 * APP_PATH_BYTES];
        const size_t cut = strlen(suffixes[coding]);
        if (!ends_with(path, suffixes[coding])) continue;
        snprintf(plain, sizeof plain, "%s%.*s", web->folder, (int)(strlen(path) - cut), path);
        return access(plain, F_OK) == 0;
    }
    return false;
}

static void add_file(AppWeb *web, const char *path) {
    if (web->count == APP_WEB_FILES) {
        errno = ENOSPC; // in leave_out's list
        leave_out(web, path);
        return;
    }
    AppWebFile file = {.path = strdup(path)};
    char name[2 * APP_PATH_BYTES];
    snprintf(name, sizeof name, "%s%s", web->folder, path);
    if (!TEXT_ARRAY_EXTEND(web->files, web->count) || !file.path ||
        !read_forms(&file, name, APP_WEB_BYTES - web->bytes)) {
        leave_out(web, path);
        free(file.path);
        return;
    }
    for (int coding = 0; coding < APP_WEB_CODING_COUNT; coding++)
        if (file.bodies[coding]) web->bytes += net_buffer_length(file.bodies[coding]);
    web->files[web->count++] = file;
}

// Reads a file and its compressed forms that are not older. False with errno: it cannot be read, or has more
// bytes.
static bool read_forms(AppWebFile *file, const char *path, size_t most_bytes) {
    struct stat plain;
    if (stat(path, &plain) != 0) return false;
    for (AppWebCoding coding = 0; coding < APP_WEB_CODING_COUNT; coding++) {
        char name[2 * APP_PATH_BYTES + 8];
        struct stat form;
        snprintf(name, sizeof name, "%s%s", path, suffixes[coding]);
        const bool is_there = lstat(name, &form) == 0 && S_ISREG(form.st_mode);
        if (coding != APP_WEB_PLAIN && (!is_there || form.st_mtime < plain.st_mtime)) continue;
        file->bodies[coding] = read_file(name, most_bytes);
        if (!file->bodies[APP_WEB_PLAIN]) return false;
        if (!file->bodies[coding]) continue;
        most_bytes -= net_buffer_length(file->bodies[coding]);
        set_etag(file->bodies[coding], file->etags[coding]);
    }
    return file->bodies[APP_WEB_PLAIN];
}

static void drop_forms(AppWebFile *file) {
    for (int coding = 0; coding < APP_WEB_CODING_COUNT; coding++) net_buffer_release(file->bodies[coding]);
}

// Logs the first one of a folder, by errno.
static void leave_out(AppWeb *web, const char *path) {
    char why[64];
    if (web->left_out++ > 0) return;
    if (errno == EFBIG)
        snprintf(why, sizeof why, "expected %d MiB at most in all files", APP_WEB_BYTES >> 20);
    else if (errno == ENOSPC)
        snprintf(why, sizeof why, "expected %d files at most", APP_WEB_FILES);
    else
        snprintf(why, sizeof why, "%s", strerror(errno));
    app_log(web->log, TEXT_LOG_WARNING, "%s%s is not served: %s", web->folder, path, why);
}

static AppWebFile *find(const AppWeb *web, const char *path) {
    const AppWebFile key = {.path = (char *)path};
    return web->count > 0 ? bsearch(&key, web->files, web->count, sizeof key, compare) : NULL;
}

static int compare(const void *left, const void *right) {
    return strcmp(((const AppWebFile *)left)->path, ((const AppWebFile *)right)->path);
}

// Changes when a build replaces files: by the times of the folder, of its assets and of index.html.
static uint64_t fingerprint_of(const AppWeb *web) {
    static const char *const names[] = {"", "/assets", "/index.html"};
    uint64_t fingerprint = TEXT_HASH_BEGIN;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[APP_PATH_BYTES + 16];
        struct stat status = {0};
        snprintf(path, sizeof path, "%s%s", web->folder, names[i]);
        if (stat(path, &status) != 0) status = (struct stat){0};
        const uint64_t parts[] = {(uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec,
                                  (uint64_t)status.st_size, (uint64_t)status.st_ino};
        fingerprint = text_hash(fingerprint, parts, sizeof parts);
    }
    return fingerprint;
}

// An Accept-Encoding header's value and a coding, such as "br".
static bool accepts(const char *accept_encoding, const char *coding) {
    const size_t length = strlen(coding);
    for (const char *item = accept_encoding; *item;) {
        item += strspn(item, ", \t");
        const size_t item_length = strcspn(item, ",");
        const size_t name_length = strcspn(item, ",; \t");
        if (name_length == length && strncasecmp(item, coding, length) == 0) {
            char rest[32];
            snprintf(rest, sizeof rest, "%.*s", (int)(item_length - name_length), item + name_length);
            const char *weight = strstr(rest, "q=");
            return !weight || strspn(weight + 2, "0.") < strcspn(weight + 2, " \t"); // q=0 refuses it
        }
        item += item_length;
    }
    return false;
}

static const char *type_of(const char *path) {
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".webmanifest", "application/manifest+json"},
        {".txt", "text/plain; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".webp", "image/webp"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".wasm", "application/wasm"},
        {".glb", "model/gltf-binary"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ends_with(path, types[i][0])) return types[i][1];
    return "application/octet-stream";
}

// Vite's names of assets: /assets/NAME-HASH.EXTENSION, whose content never changes.
static bool is_hashed(const char *path) {
    const char *name = strrchr(path, '/') + 1;
    const char *dot = strrchr(name, '.');
    return strncmp(path, "/assets/", 8) == 0 && dot && dot - name > HASH_LENGTH + 1 &&
           dot[-HASH_LENGTH - 1] == '-';
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}
