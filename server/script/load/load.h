// What the files of this room share: loading one file, and what is made of it.
#pragma once

#include "host/host.h"
#include "sandbox/state.h"
#include "schema/schema.h"
#include "script/scene.h"

typedef struct ScriptLoad {
    ScriptState *state; // NULL: taken over, or never made
    ScriptArena arena;
    ScriptSources sources;
    ScriptFindings *findings;
    size_t first_finding, first_error; // counts before
    const ScriptNode *root;            // what the file returned; NULL: it could not be had
} ScriptLoad;

// Runs the file. Then, whatever came of it, script_load_end. file: as script_display_path gives it.
void script_load_begin(ScriptLoad *load, ScriptHost *host, const char *file, ScriptFindings *findings);
// The constructor that made what the file returned: "character"; "" for anything else.
const char *script_load_kind(const ScriptLoad *load);
// At the root. Lives as long as load.
ScriptReader script_load_reader(ScriptLoad *load);
bool script_load_failed(const ScriptLoad *load);
// Frees all but the findings, and sorts them. With out_state the state is the caller's; else it goes too.
void script_load_end(ScriptLoad *load, ScriptState **out_state);

// Takes load over, whose file returned tweed.character{...}. NULL, with the findings, if it has mistakes.
// file: as script_display_path gives it.
ScriptCharacter *script_character_make(ScriptHost *host, ScriptLoad *load);
// The character of that file, loaded on first use.
ScriptCharacter *script_character_of_file(ScriptHost *host, const char *file, ScriptFindings *findings);
// All of the host's.
void script_characters_destroy(ScriptHost *host);

struct ScriptScene {
    ScriptState *state; // NULL: a character's file
    ScriptArena arena;  // of info
    ScriptSceneInfo info;
    int on_start; // LUA_NOREF: none
};

// Loads all files below the folders' own folder "fabrics" but those that were loaded before; the set then has
// their fabrics too. All are loaded together, so that each may be the base of any. False, with findings and
// the set as it was, for a mistake in any of them.
bool script_fabrics_load(ScriptHost *host, const char *const *folders, int folder_count,
                         ScriptFindings *findings);
// The same for one file, whatever folder it lies in.
bool script_fabrics_load_file(ScriptHost *host, const char *file, ScriptFindings *findings);

// For loading apart from the host: its folders and limits, a world of its own, no callbacks; fabrics, with
// the values they have now, if asked for. It has no watch. NULL for want of memory.
ScriptHost *script_host_copy(const ScriptHost *host, bool with_fabrics);
// As script_host_create; with `checking` the host has a world of its own, gives the linter's advice, and
// comes about in spite of mistakes in fabrics.
ScriptHost *script_host_make(const ScriptHostDef *def, bool checking, ScriptFindings *findings);
