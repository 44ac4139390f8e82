// What is answered to HTTP: the server's health, and files, which are the page, from a folder, and
// openrpc.json. They are in memory: a request never waits for a disk, and no path leaves the folder.
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
    AppWebFile openrpc;   // openrpc.json; without a body: there is none
} AppWeb;

// Reads openrpc.json and the folder of the page, which is read again when it has changed.
void app_web_init(AppWeb *web, const AppOptions *options, AppLog *log);
void app_web_finish(AppWeb *web);

// Answers with openrpc.json or the file of that path, "/" with index.html, or with a page that says that it
// is missing. Leaves `out_response` as it is where there is none.
void app_web_answer(AppWeb *web, const NetHttpRequest *request, NetHttpResponse *out_response);

// Answers with the state of the server at its newest tick; 503 where it stands still.
void app_web_answer_health(bool stands_still, uint64_t tick, bool paused, NetHttpResponse *out_response);
