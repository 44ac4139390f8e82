// The imported files of a state. Each is loaded once, while the script loads, and kept as long as an object
// uses it.
#pragma once

#include "asset/file.h"
#include "schema/schema.h"

#include <lua.h>

// Pushes the file as userdata, for the objects made from it to hold. NULL with the reason, and nothing is
// pushed, if it cannot be loaded. scale: 0 for the file's own.
const AssetFile *script_import(lua_State *lua, const char *name, float scale, AssetError *out_error);
// Finds the file to import, and notes that the script depends on it. False with the reason if there is none.
bool script_import_find(lua_State *lua, const char *name, char out_path[SCRIPT_PATH_SIZE],
                        AssetError *out_error);
// Counts what takes long and is not part of the script's time: an import, a loft, a binding. Raises an error
// when there are too many.
void script_import_count(lua_State *lua);
// Drops the cache; objects keep their files.
void script_import_loaded(lua_State *lua);

// tweed.has_asset.
int script_import_has(lua_State *lua);

// For constructors that act when called. Begins reading the argument at index 1 and pushes the memory of the
// reader. Raises unless the script is loading.
void script_argument_begin(lua_State *lua, const char *constructor, const char *prefix,
                           ScriptReader *out_reader);
// The findings since script_argument_begin.
ScriptFindingRange script_argument_end(const ScriptReader *reader);
