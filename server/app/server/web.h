// The files of the page, from a folder, in memory: a request never waits for a disk, and no path leaves the
// folder.
#pragma once

#include "base/log.h"
#include "base/paths.h"

#include <net/http.h>
#include <stdint.h>

enum { APP_ETAG_BYTES = 24 };
enum { APP_WEB_FILES = 4096, APP_WEB_BYTES = 64 << 20 }; // of one folder at most

typedef enum AppWebCoding { APP_WEB_PLAIN, APP_WEB_GZIP, APP_WEB_BROTLI, APP_WEB_CODING_COUNT } AppWebCoding;

typedef struct AppWebFile {
    char *path;                              // of its address, such as "/assets/index-B2x9aQ0c.js"
    NetBuffer *bodies[APP_WEB_CODING_COUNT]; // NULL: there is no such file
    char etags[APP_WEB_CODING_COUNT][APP_ETAG_BYTES];
} AppWebFile;

typedef struct AppWeb {
    char folder[APP_PATH_BYTES]; // "": none
    AppLog *log;
    AppWebFile *files; // [count], sorted by path
    size_t count;
    size_t bytes;
    size_t left_out;      // files and folders that cannot be served
    uint64_t fingerprint; // of the folder when it was read
} AppWeb;

// Reads the folder; it is read again when it has changed.
void app_web_init(AppWeb *web, const char *folder, AppLog *log);
void app_web_finish(AppWeb *web);

// Answers with the file of that path, "/" with index.html. False: there is none.
bool app_web_answer(AppWeb *web, const NetHttpRequest *request, NetHttpResponse *out_response);

// The tag of a body, by its content.
void app_web_set_etag(const NetBuffer *body, char out_etag[APP_ETAG_BYTES]);

// A file in a buffer. NULL with errno: it cannot be read, or has more bytes.
NetBuffer *app_web_read_file(const char *path, size_t most_bytes);
