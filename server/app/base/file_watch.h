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
    AppFolder **folders; // [count]; none is removed before the end
    size_t count;
    // A file has changed, or a folder and so everything below it. path: the folder as it was given, and the
    // name; without "./".
    void (*changed)(void *context, const char *path);
    void *context;
} AppFileWatch;

void app_file_watch_init(AppFileWatch *watch, uv_loop_t *loop, void (*changed)(void *, const char *),
                         void *context);
// After the loop has closed its handles.
void app_file_watch_finish(AppFileWatch *watch);

// A folder is watched once, however often it is added. 0, or libuv's error; UV_ENOENT: it is watched once it
// exists.
int app_file_watch_folder(AppFileWatch *watch, const char *folder);
// The folder that the file lies in.
int app_file_watch_folder_of(AppFileWatch *watch, const char *file);

// Whether path is the folder, or begins with it.
bool app_file_watch_is_within(const char *path, const char *folder);
