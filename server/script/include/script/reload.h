// Loading apart from the host, on another thread if need be: anew what runs, swapped in only if it is whole,
// and what nobody has needed before.
#pragma once

#include "script/character.h"
#include "script/fabrics.h"
#include "script/scene.h"

typedef enum ScriptKind { SCRIPT_CHARACTER, SCRIPT_FABRIC, SCRIPT_SCENE } ScriptKind;

typedef struct ScriptReload ScriptReload;

// With all that loading needs to know of the host, which may be used and changed meanwhile. file: of a
// character or a scene; fabrics are loaded together, since they build on each other: NULL.
// NULL for want of memory.
ScriptReload *script_reload_create(const ScriptHost *host, ScriptKind kind, const char *file);
void script_reload_destroy(ScriptReload *reload);

// Loads it: any thread, one at a time; 2 s of its processor time for each file at most.
void script_reload_run(ScriptReload *reload);

// Then: whether it can be swapped in, and if not, why: the first mistake, with its calls and all others as
// traceback.
bool script_reload_succeeded(const ScriptReload *reload);
void script_reload_error(const ScriptReload *reload, ScriptError *out_error);
// The name of the script that has the first mistake; the caller frees it. NULL: there is none.
char *script_reload_failed_script(const ScriptReload *reload);
// Gives what the file has said while it was loaded to the host's callback `log`.
void script_reload_report_log(const ScriptReload *reload, const ScriptHost *host);
// The files it was read from, as far as it came: relative to the working folder, or absolute.
const char *const *script_reload_files(const ScriptReload *reload, int *out_count);

// What was loaded becomes the host's; on the thread that uses the host. NULL for want of memory.
//
// A character is on trial: its instances may be created while the old one's live. Then it is put in place of
// the old one, which is destroyed and has no instances any more, or discarded, without instances.
ScriptCharacter *script_reload_move_character(ScriptReload *reload, ScriptHost *host);
void script_character_replace(ScriptCharacter *old, ScriptCharacter *fresh);
void script_character_discard(ScriptCharacter *fresh);
// Or it is the first of its file, and joins the host's. False, and it is discarded, with the error, if a
// fabric that it needs has gone meanwhile.
bool script_character_accept(ScriptCharacter *fresh, ScriptError *out_error);

// A scene is on trial, too: it may be started, and is then accepted or destroyed.
ScriptScene *script_reload_move_scene(ScriptReload *reload, ScriptHost *host);
void script_scene_accept(ScriptScene *fresh);

// Fabrics take effect at once: `loaded` is called for each that is new, is defined otherwise than before, or
// whose script is one of `scripts`; before: its values until now, NULL: it is new. The values that were set
// on the others stay. False, and nothing is changed, with the error, if one is gone that a character needs.
typedef void (*ScriptFabricLoaded)(void *context, const ScriptFabric *fabric, const SimFabric *before);
bool script_reload_commit_fabrics(ScriptReload *reload, ScriptHost *host, const char *const *scripts,
                                  int script_count, ScriptFabricLoaded loaded, void *context,
                                  ScriptError *out_error);

// The scripts that are loaded
// ----------------------------------------------------------------------------------------------------------

// The character's of that file, as script_host_find gives it; NULL: it is not loaded.
ScriptCharacter *script_character_loaded(const ScriptHost *host, const char *file);
// The first, or the one after; NULL after the last.
ScriptCharacter *script_character_next(const ScriptHost *host, const ScriptCharacter *before);
const char *script_character_file(const ScriptCharacter *character);
// Those it was read from.
const char *const *script_character_files(const ScriptCharacter *character, int *out_count);
// Why it was suspended; NULL: it is not.
const ScriptError *script_character_suspension(const ScriptCharacter *character);

// The same of a scene; of a character's file as a scene: NULL, none.
const char *script_scene_file(const ScriptScene *scene);
const char *const *script_scene_files(const ScriptScene *scene, int *out_count);
const ScriptError *script_scene_suspension(const ScriptScene *scene);
size_t script_scene_memory(const ScriptScene *scene); // bytes of its Lua state

// Of all fabrics. files: all that was read; folders: below which every file counts, whether it is there or
// not, as script_host_create and script_scene_load have it: the folders that have a folder "fabrics".
const char *const *script_fabric_files(const ScriptHost *host, int *out_count);
const char *const *script_fabric_folders(const ScriptHost *host, int *out_count); // the caller frees the list
// The script's name for its file; NULL: no fabric is from it.
const char *script_fabric_script(const ScriptHost *host, const char *file);
