// Shared by the files of load/.
#pragma once

#include "host/host.h"
#include "sandbox/state.h"
#include "schema/schema.h"
#include "script/scene.h"

typedef struct ScriptLoad {
    ScriptState *state; // NULL: moved to the caller, or not created
    ScriptArena arena;
    ScriptSources sources;
    ScriptFindings *findings;
    size_t first_finding, first_error; // the counts before loading
    const ScriptNode *root;            // the file's value; NULL if it failed
} ScriptLoad;

// Runs the file. Call script_load_end afterwards, also when it fails. file: a path by script_display_path.
void script_load_begin(ScriptLoad *load, ScriptHost *host, const char *file, ScriptFindings *findings);
// The constructor of the file's value: "character"; "" for other values.
const char *script_load_kind(const ScriptLoad *load);
// A reader at the file's value, valid as long as `load`.
ScriptReader script_load_reader(ScriptLoad *load);
bool script_load_failed(const ScriptLoad *load);
// Sorts the findings and frees the rest. out_state takes over the state; NULL: it is destroyed.
void script_load_end(ScriptLoad *load, ScriptState **out_state);

// Makes a character of a load whose file returned tweed.character{...}; takes over `load`. NULL if it has
// errors.
ScriptCharacter *script_character_make(ScriptHost *host, ScriptLoad *load);
// The character of that file, loaded on first use.
ScriptCharacter *script_character_of_file(ScriptHost *host, const char *file, ScriptFindings *findings);
// Destroys all characters of the host.
void script_characters_destroy(ScriptHost *host);

struct ScriptScene {
    ScriptState *state; // NULL for a character's file
    ScriptArena arena;  // of info
    ScriptSceneInfo info;
    int on_start;  // LUA_NOREF: none
    uint64_t pass; // of the host's, in which it ran last
};

// Loads the files below the sub-folder "fabrics" of each folder that are not loaded yet, and adds their
// fabrics to the host's. They are loaded together, so that each may be the base of any other. False with
// findings, and nothing is added, if one of them has an error.
bool script_fabrics_load(ScriptHost *host, const char *const *folders, int folder_count,
                         ScriptFindings *findings);
// The same for one file, whatever folder it lies in.
bool script_fabrics_load_file(ScriptHost *host, const char *file, ScriptFindings *findings);

// A copy for loading apart from the host: its folders, limits and optionally fabrics with their current
// values; a world of its own; no callbacks and no CPU timer. Returns NULL when memory runs out.
ScriptHost *script_host_copy(const ScriptHost *host, bool with_fabrics);
// script_host_create; with `checking` the host has a world of its own, adds the linter's advice and is
// created even if fabrics have errors.
ScriptHost *script_host_make(const ScriptHostDef *def, bool checking, ScriptFindings *findings);

// For `tweed check`: spawns the scene's characters in the host's world, calls on_spawn, on_start and one
// tick, and removes them. Errors that the scripts raise are added to the findings. Callbacks of an
// application get nothing but log lines.
void script_dry_run(ScriptHost *host, ScriptScene *scene, ScriptFindings *findings);
