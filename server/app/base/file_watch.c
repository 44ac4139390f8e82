// A libuv handle for each folder.
#include "base/file_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

#define PATH_BYTES        4096
#define DEBOUNCE_MS       60
#define DEBOUNCE_LIMIT_MS 1000

struct AppFolder {
    uv_fs_event_t handle;
    AppFileWatch *watch;
    bool is_wanted; // for what lies in it, and not only for the folders below
    unsigned round; // in which it was added last
    char path[];
};

static int add(AppFileWatch *watch, const char *path, bool is_wanted);
static int add_folder_of(AppFileWatch *watch, const char *file, bool is_wanted);
static AppFolder *create(AppFileWatch *watch, const char *path);
static void on_closed(uv_handle_t *handle);
static void on_event(uv_fs_event_t *handle, const char *name, int events, int status);
static bool watch_anew(AppFileWatch *watch, const char *path);
static void debounce(AppFileWatch *watch);
static void on_debounced(uv_timer_t *timer);

int app_file_watch_init(AppFileWatch *watch, uv_loop_t *loop,
                        bool (*changed)(void *context, const char *path), void (*debounced)(void *context),
                        void *context) {
    *watch = (AppFileWatch){.loop = loop, .changed = changed, .debounced = debounced, .context = context};
    watch->debounce_timer.data = watch;
    return uv_timer_init(loop, &watch->debounce_timer);
}

void app_file_watch_finish(AppFileWatch *watch) {
    for (size_t i = 0; i < watch->count; i++) free(watch->folders[i]);
    free(watch->folders);
    *watch = (AppFileWatch){0};
}

int app_file_watch_folder(AppFileWatch *watch, const char *path) {
    return add(watch, path, true);
}

int app_file_watch_folder_of(AppFileWatch *watch, const char *file) {
    return add_folder_of(watch, file, true);
}

void app_file_watch_begin_round(AppFileWatch *watch) {
    watch->round++;
}

void app_file_watch_end_round(AppFileWatch *watch) {
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++) {
        AppFolder *folder = watch->folders[i];
        const bool exists = uv_is_active((uv_handle_t *)&folder->handle);
        if (exists || watch->round - folder->round < 2)
            watch->folders[kept++] = folder;
        else
            uv_close((uv_handle_t *)&folder->handle, on_closed);
    }
    watch->count = kept;
}

bool app_file_watch_is_debouncing(const AppFileWatch *watch) {
    return uv_is_active((const uv_handle_t *)&watch->debounce_timer);
}

void app_file_watch_stop_debouncing(AppFileWatch *watch) {
    uv_timer_stop(&watch->debounce_timer);
}

bool app_file_watch_is_within(const char *path, const char *folder) {
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static AppFolder *find(const AppFileWatch *watch, const char *path) {
    for (size_t i = 0; i < watch->count; i++)
        if (strcmp(watch->folders[i]->path, path) == 0) return watch->folders[i];
    return NULL;
}

// The folders above come first in the list, since watch_anew needs that order. One that may not be read is
// left out.
static int add(AppFileWatch *watch, const char *path, bool is_wanted) {
    AppFolder *known = find(watch, path);
    const bool is_new = !known || known->round != watch->round;
    if (is_new && strcmp(path, "/") != 0 && strcmp(path, ".") != 0) (void)add_folder_of(watch, path, false);
    if (known) {
        known->is_wanted |= is_wanted;
        known->round = watch->round;
        return 0;
    }
    AppFolder *folder = TEXT_ARRAY_EXTEND(watch->folders, watch->count) ? create(watch, path) : NULL;
    if (!folder) return UV_ENOMEM;
    folder->is_wanted = is_wanted;
    folder->round = watch->round;
    const int error = uv_fs_event_init(watch->loop, &folder->handle);
    if (error) {
        free(folder);
        return error;
    }
    watch->folders[watch->count++] = folder; // from here on the loop knows the handle
    return uv_fs_event_start(&folder->handle, on_event, path, 0);
}

static int add_folder_of(AppFileWatch *watch, const char *file, bool is_wanted) {
    char folder[PATH_BYTES];
    const char *slash = strrchr(file, '/');
    const int length = slash == file ? 1 : slash ? (int)(slash - file) : 1; // "/" and "."
    snprintf(folder, sizeof folder, "%.*s", length, slash ? file : ".");
    return add(watch, folder, is_wanted);
}

static AppFolder *create(AppFileWatch *watch, const char *path) {
    const size_t size = strlen(path) + 1;
    AppFolder *folder = calloc(1, sizeof *folder + size);
    if (!folder) return NULL;
    folder->watch = watch;
    folder->handle.data = folder;
    memcpy(folder->path, path, size);
    return folder;
}

static void on_closed(uv_handle_t *handle) {
    free(handle->data);
}

static void on_event(uv_fs_event_t *handle, const char *name, int events, int status) {
    (void)events;
    char path[PATH_BYTES];
    const AppFolder *folder = handle->data;
    if (status < 0 || !name) return;
    const bool here = strcmp(folder->path, ".") == 0;
    const char *separator = here || strcmp(folder->path, "/") == 0 ? "" : "/";
    snprintf(path, sizeof path, "%s%s%s", here ? "" : folder->path, separator, name);
    const bool is_above = watch_anew(folder->watch, path);
    if (!is_above && !folder->is_wanted) return; // events of the others, as of /tmp, concern no watched file
    if (folder->watch->changed(folder->watch->context, path)) debounce(folder->watch);
}

// A watch stays with the folder that it was begun on, wherever that is now. What is not there begins to be
// watched when it is created, which its parent reports. False: no folder at the path or below is watched.
static bool watch_anew(AppFileWatch *watch, const char *path) {
    bool any = false;
    for (size_t i = 0; i < watch->count; i++) {
        AppFolder *folder = watch->folders[i];
        if (!app_file_watch_is_within(folder->path, path)) continue;
        uv_fs_event_stop(&folder->handle);
        (void)uv_fs_event_start(&folder->handle, on_event, folder->path, 0);
        any = true;
    }
    return any;
}

static void debounce(AppFileWatch *watch) {
    const uint64_t now = uv_now(watch->loop);
    if (!app_file_watch_is_debouncing(watch)) watch->debounce_begin_ms = now;
    if (now - watch->debounce_begin_ms < DEBOUNCE_LIMIT_MS)
        uv_timer_start(&watch->debounce_timer, on_debounced, DEBOUNCE_MS, 0);
}

static void on_debounced(uv_timer_t *timer) {
    const AppFileWatch *watch = timer->data;
    watch->debounced(watch->context);
}
