// Functions that scripts may call. One table registers them in Lua and documents them: the types file and the
// reference page are written from it.
#pragma once

#include "schema/schema.h"

#include <lua.h>

#define SCRIPT_ANY_BONE "BONE" // name of a field: each bone's, by its name

enum { SCRIPT_MAX_PARAMETERS = 4, SCRIPT_MAX_RESULTS = 2 };

// A parameter or result of a function, or a field of an object.
typedef struct ScriptParameter {
    const char *name;           // NULL ends the list; "..." for any number of them; SCRIPT_ANY_BONE
    const char *type;           // the type in the types file: "string"; NULL: a table with that schema
    const ScriptSchema *schema; // of the table that it is or may be; or NULL
    bool optional;
    const char *help; // one sentence; NULL: name and type suffice
} ScriptParameter;

typedef struct ScriptFunction {
    const char *name; // NULL ends the table
    lua_CFunction function;
    ScriptParameter parameters[SCRIPT_MAX_PARAMETERS + 1], results[SCRIPT_MAX_RESULTS + 1];
    const char *help;    // sentences
    const char *example; // lines of Lua that call it; NULL: none
} ScriptFunction;

// An object that functions return or callbacks get.
typedef struct ScriptObject {
    const char *name;              // the class: "Skeleton"
    const char *variable;          // its name in examples and signatures: "skeleton"
    const char *help;              // sentences
    bool is_open;                  // scripts may add fields
    const ScriptParameter *fields; // ends with one without a name
    const ScriptFunction *methods; // ends with one without a name; or NULL
} ScriptObject;

// Sets the functions in the table at the top of the stack.
void script_functions_set(lua_State *lua, const ScriptFunction *functions);

// Reads the table at index over the defaults; none, nil and {} give the defaults. Raises the first error,
// "options.fade: expected ...". Pushes one value, which holds the texts and nodes.
void script_options_read(lua_State *lua, int index, const ScriptSchema *schema, const char *what, void *out);
// The same for one value of the field's type, whose default is all zero.
void script_argument_read(lua_State *lua, int index, const ScriptSchemaField *field, const char *what,
                          void *out);
// The position in `choices`, which end with NULL, of the string at index; otherwise raises an error that
// lists them. fallback: used if none is given; NULL: required.
int script_check_choice(lua_State *lua, int index, const char *fallback, const char *const choices[]);
