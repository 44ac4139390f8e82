// Tables that are arguments of functions called while the world runs.
#pragma once

#include "schema/schema.h"

#include <lua.h>

// Reads the table at index over the defaults; nothing, nil and {} are the defaults. Raises the first mistake,
// as "options.fade: expected ...". Texts and nodes live as long as what this pushes: one value.
void script_options_read(lua_State *lua, int index, const ScriptSchema *schema, const char *what, void *out);
// Likewise one value of field's type, whose default is all zero.
void script_argument_read(lua_State *lua, int index, const ScriptSchemaField *field, const char *what,
                          void *out);
// The place of the word at index in choices, which NULL ends; where it is none of them, the error names all.
// fallback: where nothing is given; NULL: that is a mistake.
int script_check_choice(lua_State *lua, int index, const char *fallback, const char *const choices[]);
