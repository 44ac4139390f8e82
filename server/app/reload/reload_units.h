// What can be loaded anew, and which files that depends on; scripts that have failed at their first load,
// too.
#pragma once

#include "reload/first_loads.h"
#include "reload/reload.h"

// Adds the units of scripts that were loaded since, telling `loaded` of each unless it is NULL, and watches
// all files. False for want of memory.
bool app_units_update(App *app, void (*loaded)(App *app, const char *script));
void app_units_finish(AppReload *reload);

// Units that were read from the file are due. False: there is none.
bool app_units_note_change(App *app, const char *path);
// The unit of that script, or with NULL all, is asked for and due. False: there is none.
bool app_units_ask(App *app, const char *script);
void app_units_forget_fabrics(AppReload *reload);

// A script that is needed for the first time could not be loaded: it has a unit from now on. Nothing happens
// for want of memory.
void app_units_note_failure(App *app, const AppFirstLoad *load, const ScriptError *error);
// Its unit; NULL: the file's script has been loaded, or nobody has tried.
AppUnit *app_units_failed(const App *app, const char *file);
// There is something new to load them with.
void app_units_retry(AppReload *reload);
// Whether the unit is to be loaded anew, or is being so.
bool app_unit_is_due(const App *app, const AppUnit *unit);
// The unit's script is the host's now.
void app_unit_note_loaded(App *app, AppUnit *unit);

// What the unit stands for; NULL: it is gone.
ScriptCharacter *app_unit_character(const App *app, const AppUnit *unit);
ScriptScene **app_unit_scene(const App *app, const AppUnit *unit);

// Remembers the files of a try that failed; NULL: none.
void app_unit_set_tried(AppUnit *unit, const ScriptReload *failed);
// Sets failed_script: of fabrics, the one that has the first mistake.
void app_unit_name_failure(App *app, AppUnit *unit);

// Changes of the file are noticed from now on.
void app_units_watch(App *app, const char *file);

bool app_units_same_environment(const SimEnvironment *a, const SimEnvironment *b);
