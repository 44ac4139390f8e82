// Loads scripts apart from the host, on any thread: reloads, which replace the running script only if they
// succeed, and first loads.
#pragma once

#include "script/character.h"
#include "script/fabrics.h"
#include "script/scene.h"

typedef enum ScriptKind { SCRIPT_CHARACTER, SCRIPT_FABRIC, SCRIPT_SCENE } ScriptKind;

typedef struct ScriptReload ScriptReload;

// Copies what loading needs from the host, which may be used and changed meanwhile. file: of a character or
// scene; NULL for fabrics, which are loaded together, since one may be the base of another. Returns NULL when
// memory runs out.
ScriptReload *script_reload_create(const ScriptHost *host, ScriptKind kind, const char *file);
void script_reload_destroy(ScriptReload *reload);

// Loads the file. On any thread, one at a time; takes at most 2 s of processor time for each file.
void script_reload_run(ScriptReload *reload);

// Afterwards: whether loading succeeded; otherwise the first error, with its calls and all other errors as
// traceback.
bool script_reload_succeeded(const ScriptReload *reload);
void script_reload_error(const ScriptReload *reload, ScriptError *out_error);
// The name of the script with the first error; the caller frees it. NULL: there is none.
char *script_reload_failed_script(const ScriptReload *reload);
// Passes the log lines that the file has printed while loading to the host's callback `log`.
void script_reload_report_log(const ScriptReload *reload, const ScriptHost *host);
// The files read, relative to the working folder or absolute.
const char *const *script_reload_files(const ScriptReload *reload, int *out_count);

// Whether one of them has changed since.
bool script_reload_is_stale(const ScriptReload *reload);

// Moves the loaded script to the host; on the thread that uses the host. Returns NULL when memory runs out.
//
// A moved character is provisional: its instances may be created while the old one's live. Afterwards it
// either replaces the old one, which has no instances left and is destroyed, or is discarded, without
// instances.
ScriptCharacter *script_reload_move_character(ScriptReload *reload, ScriptHost *host);
void script_character_replace(ScriptCharacter *old, ScriptCharacter *fresh);
void script_character_discard(ScriptCharacter *fresh);
// The first character of its file is accepted instead. False with the error, and it is discarded, if a fabric
// that it needs has been removed meanwhile.
bool script_character_accept(ScriptCharacter *fresh, ScriptError *out_error);

// A moved scene is provisional, too: it may be started, and is then accepted or destroyed.
ScriptScene *script_reload_move_scene(ScriptReload *reload, ScriptHost *host);
void script_scene_accept(ScriptScene *fresh);

// Replaces the host's fabrics. `loaded` is called for each fabric that is new, whose definition has changed,
// or whose script is one of `scripts`; before: as it was, NULL for a new one. All others keep the
// values set on them. False with the error, and nothing changes, if a fabric that a character needs is
// missing.
typedef void (*ScriptFabricLoaded)(void *context, const ScriptFabric *fabric, const ScriptFabric *before);
bool script_reload_commit_fabrics(ScriptReload *reload, ScriptHost *host, const char *const *scripts,
                                  int script_count, ScriptFabricLoaded loaded, void *context,
                                  ScriptError *out_error);

// The scripts that are loaded
// ----------------------------------------------------------------------------------------------------------

// The loaded character of a file, as script_host_find returns it; NULL if it is not loaded.
ScriptCharacter *script_character_loaded(const ScriptHost *host, const char *file);
// The first character, or the one after `before`; NULL after the last.
ScriptCharacter *script_character_next(const ScriptHost *host, const ScriptCharacter *before);
const char *script_character_file(const ScriptCharacter *character);
// The files it was read from.
const char *const *script_character_files(const ScriptCharacter *character, int *out_count);
// The error that suspended it; NULL if it is not suspended.
const ScriptError *script_character_suspension(const ScriptCharacter *character);

// The same for a scene. A character's file as a scene has NULL and no files.
const char *script_scene_file(const ScriptScene *scene);
const char *const *script_scene_files(const ScriptScene *scene, int *out_count);
const ScriptError *script_scene_suspension(const ScriptScene *scene);
size_t script_scene_memory(const ScriptScene *scene); // bytes of its Lua state

// For all fabrics: the files read, and the folders whose sub-folder "fabrics" is loaded, whether it exists or
// not.
const char *const *script_fabric_files(const ScriptHost *host, int *out_count);
const char *const *script_fabric_folders(const ScriptHost *host, int *out_count); // the caller frees the list
// The script's name of a fabric's file; NULL if no fabric comes from it.
const char *script_fabric_script(const ScriptHost *host, const char *file);
