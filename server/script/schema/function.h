// Functions that scripts may call. One table gives them to Lua, and tells authors of them: the types file and
// the reference page are written from it.
#pragma once

#include "schema/schema.h"

#include <lua.h>

#define SCRIPT_ANY_BONE "BONE" // name of a field: each bone's, by its name

enum { SCRIPT_MOST_PARAMETERS = 4, SCRIPT_MOST_RESULTS = 2 };

// What goes in or comes out, and a field of an object.
typedef struct ScriptParameter {
    const char *name;           // NULL ends the list; "..." for any number of them; SCRIPT_ANY_BONE
    const char *type;           // as the types file has it: "string"; NULL: a table after schema
    const ScriptSchema *schema; // of the table that it is, or may be; NULL: none
    bool optional;
    const char *help; // one sentence; NULL: name and type say it
} ScriptParameter;

typedef struct ScriptFunction {
    const char *name; // NULL ends the table
    lua_CFunction function;
    ScriptParameter parameters[SCRIPT_MOST_PARAMETERS + 1], results[SCRIPT_MOST_RESULTS + 1];
    const char *help;    // sentences
    const char *example; // lines of Lua that call it; NULL: none
} ScriptFunction;

// What some functions give, and callbacks get.
typedef struct ScriptObject {
    const char *name;              // of its class: "Skeleton"
    const char *variable;          // by which examples and signatures call it: "skeleton"
    const char *help;              // sentences
    bool is_open;                  // scripts may keep fields of their own in it
    const ScriptParameter *fields; // until one without a name
    const ScriptFunction *methods; // until one without a name; NULL: none
} ScriptObject;

// Sets them in the table at the top of the stack.
void script_functions_set(lua_State *lua, const ScriptFunction *functions);

// Reads the table at index over the defaults; nothing, nil and {} are the defaults. Raises the first mistake,
// as "options.fade: expected ...". Texts and nodes live as long as what this pushes: one value.
void script_options_read(lua_State *lua, int index, const ScriptSchema *schema, const char *what, void *out);
// Likewise one value of field's type, whose default is all zero.
void script_argument_read(lua_State *lua, int index, const ScriptSchemaField *field, const char *what,
                          void *out);
// The place of the word at index in choices, which NULL ends; where it is none of them, the error names all.
// fallback: where nothing is given; NULL: that is a mistake.
int script_check_choice(lua_State *lua, int index, const char *fallback, const char *const choices[]);
