// The whole Lua interface: the constructors and functions of `tweed` and the objects they return, in the
// order of the reference page. The table `tweed` is built from it, so everything in the table is documented.
#pragma once

#include "schema/function.h"

typedef struct ScriptApiPart {
    const char *title, *help;       // a heading, and its introduction
    const ScriptSchema *schemas[6]; // constructors, which return their table; NULL ends the list
    const ScriptSchema *common;     // a base of all of them, whose optional keys are documented once; or NULL
    const ScriptFunction *functions; // NULL: none
    const char *table;               // the table in tweed that holds the functions; NULL: tweed itself
    const ScriptObject *object;      // NULL: none
} ScriptApiPart;

// [*out_count]
const ScriptApiPart *script_api(int *out_count);
// Sets the globals of a new state.
void script_api_open(lua_State *lua);

// A helper below scripts/, as the reference page describes it. It is Lua: a test holds the ranges and
// defaults here to its own.
typedef struct ScriptHelper {
    const char *name;            // "rigs.gait.walk": a module, or a function of one
    const char *call;            // "gait.walk { ... }", in a line
    const char *help;            // sentences
    const ScriptSchema *options; // NULL: none
} ScriptHelper;

// Until one without a name.
extern const ScriptHelper script_helpers[];
// The result of rigs.humanoid.
extern const ScriptObject script_humanoid_object;
