// The list of what can be loaded again, and the files it depends on; scripts whose first load failed
// included.
#pragma once

#include "reload/reload.h"

// Adds the scripts that were loaded since, and watches all files. with_events: reports each script. Returns
// false when memory runs out.
bool app_reloadables_update(AppReload *reload, bool with_events);
void app_reloadables_finish(AppReload *reload);

// Marks what was read from the file dirty. False: nothing was.
bool app_reloadables_note_change(AppReload *reload, const char *path);
// Everything may have changed.
void app_reloadables_note_all(AppReload *reload);
// Marks the script, or with NULL everything, dirty and requested. False: there is none of that name.
bool app_reloadables_request(AppReload *reload, const char *script);
// Marks what has failed dirty: there is a new fabric to load it with.
void app_reloadables_retry_failed(AppReload *reload);

// A first load has failed: the script can be reloaded from now on. Does nothing when out of memory.
void app_reloadables_add_failed(AppReload *reload, const AppLoad *load, const ScriptError *error);
// NULL: the file's script is loaded, or was never tried.
AppReloadable *app_reloadables_find_failed(const AppReload *reload, const char *file);
// NULL: none.
AppReloadable *app_reloadables_find(const AppReload *reload, ScriptKind kind, const char *file);
AppReloadable *app_reloadables_find_script(const AppReload *reload, const char *script);

// What it stands for; NULL: it is gone.
ScriptCharacter *app_reloadable_character(const AppReload *reload, const AppReloadable *item);
ScriptScene **app_reloadable_scene(const AppReload *reload, const AppReloadable *item);
// Whether a link now stands for its file, or for a folder above, that leads out of the folders of scripts.
bool app_reloadable_leads_out(const AppReload *reload, const AppReloadable *item);
// Whether it is about to be loaded, or being loaded.
bool app_reloadable_is_loading(const AppReload *reload, const AppReloadable *item);

// Records how its last load ended. failed: the load, for its files; NULL: it succeeded, or never began.
void app_reloadable_set_failed_files(AppReloadable *item, const AppLoad *failed);
// Sets failed_script: of fabrics, the one that has the first mistake.
void app_reloadable_set_failed_script(AppReloadable *item, const AppLoad *failed);
// The first load of a script that had failed has succeeded.
void app_reloadable_clear_failure(AppReload *reload, AppReloadable *item);

// Changes of the file are noticed from now on.
void app_reload_watch(AppReload *reload, const char *file);
