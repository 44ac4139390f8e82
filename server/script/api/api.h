// All that scripts can say: the constructors and functions of `tweed`, and the objects they come across, in
// the order in which the reference page tells it. The table `tweed` is made after it, so nothing is there
// that authors are not told of.
#pragma once

#include "schema/function.h"

typedef struct ScriptApiPart {
    const char *title, *help;        // a heading, and sentences
    const ScriptSchema *schemas[5];  // of constructors, which give their table back; until NULL
    const ScriptSchema *common;      // a base of all these, whose optional keys are told once; NULL: none
    const ScriptFunction *functions; // NULL: none
    const char *table;               // of tweed, that functions lie in; NULL: in tweed itself
    const ScriptObject *object;      // NULL: none
} ScriptApiPart;

// [*out_count]
const ScriptApiPart *script_api(int *out_count);
// Opens all that a script can reach, in a new state.
void script_api_open(lua_State *lua);
