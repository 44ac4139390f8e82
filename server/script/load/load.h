// One file on its way from text to a definition.
#pragma once

#include "sandbox/state.h"
#include "schema/schema.h"

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
