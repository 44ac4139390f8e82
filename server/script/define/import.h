// The imported files of a state. Each is loaded once, while the script loads, and kept as long as an object
// uses it.
#pragma once

#include "asset/file.h"
#include "schema/schema.h"

#include <lua.h>

// Pushes the file as userdata, for the objects made from it to hold. NULL with the reason, and nothing is
// pushed, if it cannot be loaded. scale: 0 for the file's own.
const AssetFile *script_import(lua_State *lua, const char *name, float scale, AssetError *out_error);
// Drops the cache; objects keep their files.
void script_import_loaded(lua_State *lua);

// tweed.has_asset.
int script_import_has(lua_State *lua);

// For constructors that act when called. Begins reading the argument at index 1 and pushes the memory of the
// reader. Raises unless the script is loading.
void script_argument_begin(lua_State *lua, const char *constructor, const char *prefix,
                           ScriptReader *out_reader);
// The findings since script_argument_begin.
ScriptFindingRange script_argument_end(ScriptReader *reader, size_t first);
