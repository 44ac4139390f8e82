// Watching files for changes, by the folders that they lie in: editors write a new file and rename it, and a
// watch of the file itself would be left with the old one. The folders above are watched as well: one that is
// renamed, replaced or made anew, or a link to one that is turned elsewhere, is watched where it is then.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct AppFolder AppFolder;

typedef struct AppFileWatch {
    uv_loop_t *loop;
    AppFolder **folders; // [count]; none is let go of before the end
    size_t count;
    // Something has happened to a file, or to a folder and with it to all below; path: its folder as it was
    // given, and its name; "./" left out.
    void (*changed)(void *context, const char *path);
    void *context;
} AppFileWatch;

void app_file_watch_init(AppFileWatch *watch, uv_loop_t *loop, void (*changed)(void *, const char *),
                         void *context);
// After the loop has closed its handles.
void app_file_watch_finish(AppFileWatch *watch);

// Nothing happens where the folder is watched already. 0, or libuv's error; UV_ENOENT: from when it is there.
int app_file_watch_folder(AppFileWatch *watch, const char *folder);
// The folder that the file lies in.
int app_file_watch_folder_of(AppFileWatch *watch, const char *file);

// Whether path is the folder, or leads through it by its text.
bool app_file_watch_is_within(const char *path, const char *folder);
