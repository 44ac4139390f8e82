// Watches files for changes, by watching their folders: many editors write a new file and rename it, and a
// watch of the file itself would stay with the old one. The folders above are watched as well, so that a
// folder that is renamed, replaced or created again is still watched at its path.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct AppFolder AppFolder;

typedef struct AppFileWatch {
    uv_loop_t *loop;
    AppFolder **folders; // [count], those above before those below
    size_t count;
    unsigned round; // of app_file_watch_begin_round
    bool (*changed)(void *context, const char *path);
    void (*debounced)(void *context);
    void *context;
    uv_timer_t debounce_timer; // runs until the changed files are whole
    uint64_t debounce_begin_ms;
} AppFileWatch;

// changed: a file has changed, or a folder and so everything below it. path: the folder as it was given, and
// the name; without "./". Returns whether the change matters; then `debounced` follows once no further change
// comes for 60 ms, or after a second.
int app_file_watch_init(AppFileWatch *watch, uv_loop_t *loop,
                        bool (*changed)(void *context, const char *path), void (*debounced)(void *context),
                        void *context);
// After the loop has closed its handles.
void app_file_watch_finish(AppFileWatch *watch);

// A folder is watched once, however often it is added. 0, or libuv's error; UV_ENOENT: it is watched once it
// exists.
int app_file_watch_folder(AppFileWatch *watch, const char *folder);
// The folder that the file lies in.
int app_file_watch_folder_of(AppFileWatch *watch, const char *file);

// Once in a while all folders that matter are added again, between these two calls. Folders that do not
// exist, and were not added in this round or the one before, are forgotten.
void app_file_watch_begin_round(AppFileWatch *watch);
void app_file_watch_end_round(AppFileWatch *watch);

// Whether `debounced` is still to follow.
bool app_file_watch_is_debouncing(const AppFileWatch *watch);
// The files are known to be whole: `debounced` does not follow.
void app_file_watch_stop_debouncing(AppFileWatch *watch);

// Whether path is the folder, or begins with it.
bool app_file_watch_is_within(const char *path, const char *folder);
