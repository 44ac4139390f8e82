// The helpers below scripts/ as the reference page describes them. They are Lua: a test holds the ranges and
// defaults here to theirs.
#pragma once

#include "schema/function.h"

typedef struct ScriptHelper {
    const char *name;            // "rigs.gait.walk": a module, or a function of one
    const char *call;            // "gait.walk { ... }", in a line
    const char *help;            // sentences
    const ScriptSchema *options; // NULL: none
} ScriptHelper;

// Until one without a name.
extern const ScriptHelper script_helpers[];
// What rigs.humanoid gives.
extern const ScriptObject script_humanoid_object;
