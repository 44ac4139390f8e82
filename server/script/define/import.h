// Imported files of a state: loaded once while the script loads, kept as long as an object needs them.
#pragma once

#include "asset/file.h"
#include "schema/schema.h"

#include <lua.h>

// Pushes the file as userdata, that objects made of it hold. NULL with the reason, and nothing pushed, if it
// cannot be had. scale: 0 for the file's own.
const AssetFile *script_import(lua_State *lua, const char *name, float scale, AssetError *out_error);
// Forgets what was loaded.
void script_import_loaded(lua_State *lua);

// tweed.has_asset.
int script_import_has(lua_State *lua);

// For constructors that act when they are called. Begins a reading of the call's argument at index 1 (a
// table, or whatever the caller takes), pushing what the reader needs to live. Raises unless the script is
// loading.
void script_argument_begin(lua_State *lua, const char *constructor, const char *prefix,
                           ScriptReader *out_reader);
// The findings since begin.
ScriptFindingRange script_argument_end(ScriptReader *reader, size_t first);
