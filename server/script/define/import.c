// Imports files through a cache in Lua's registry.
#include "define/import.h"

#include "data/allocator.h"
#include "data/call_site.h"
#include "host/host.h"
#include "host/lookup.h"
#include "sandbox/state.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_TYPE   "tweed.file"
#define MAX_FOLDERS 64
#define MAX_FILES   64

static char files_key; // in the registry: files by path and scale

typedef struct OwnedFile {
    ScriptResource resource;
    AssetFile *file; // NULL: could not be loaded
} OwnedFile;

static void push_files(lua_State *lua);
static void finish_file(ScriptResource *resource);

const AssetFile *script_import(lua_State *lua, const char *name, float scale, AssetError *out_error) {
    char path[SCRIPT_PATH_SIZE];
    ScriptState *state = script_state_of(lua);
    if (!asset_can_import(out_error) || !script_import_find(lua, name, path, out_error)) return NULL;
    const AssetLoad load = {.scale = scale};
    luaL_checkstack(lua, 8, "import");
    push_files(lua);
    lua_pushfstring(lua, "%f %s", (lua_Number)scale, path);
    lua_pushvalue(lua, -1);
    if (lua_rawget(lua, -3) != LUA_TUSERDATA) {
        lua_pop(lua, 1);
        script_import_count(lua);
        OwnedFile *owned = script_resource_push(lua, sizeof *owned, 0, FILE_TYPE, finish_file);
        script_cpu_timer_pause(state->cpu_timer); // loading a large file does not use up the script's time
        owned->file = asset_file_load(path, &load, &state->import, out_error);
        script_cpu_timer_resume(state->cpu_timer);
        if (owned->file) { // failures are not cached
            lua_pushvalue(lua, -2);
            lua_pushvalue(lua, -2);
            lua_rawset(lua, -5);
        }
    }
    lua_replace(lua, -3);
    lua_pop(lua, 1);
    const AssetFile *file = ((OwnedFile *)lua_touserdata(lua, -1))->file;
    if (!file) lua_pop(lua, 1);
    return file;
}

void script_import_count(lua_State *lua) {
    if (script_state_of(lua)->import_count++ == MAX_FILES)
        luaL_error(lua, "a script may import files, loft and bind meshes %d times", MAX_FILES);
}

bool script_import_find(lua_State *lua, const char *name, char out_path[SCRIPT_PATH_SIZE],
                        AssetError *out_error) {
    ScriptState *state = script_state_of(lua);
    const ScriptStringList *assets = &state->host->assets;
    const char *folders[MAX_FOLDERS] = {state->folder};
    int count = 1;
    for (int i = 0; i < assets->count && count < MAX_FOLDERS; i++) folders[count++] = assets->items[i];
    const bool found = asset_find(name, folders, count, out_path, SCRIPT_PATH_SIZE, out_error);
    int sought = name[0] == '/' ? count : 0;
    while (sought < count && !script_state_add_searched_file(state, folders[sought], name)) sought++;
    char real[SCRIPT_PATH_SIZE];
    if (found && script_display_path(state->host, out_path, real)) script_state_add_file(state, real);
    return found;
}

void script_import_loaded(lua_State *lua) {
    lua_pushnil(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &files_key);
}

int script_import_has(lua_State *lua) {
    char path[SCRIPT_PATH_SIZE];
    AssetError error;
    const bool has =
        asset_can_import(&error) && script_import_find(lua, luaL_checkstring(lua, 1), path, &error);
    lua_pushboolean(lua, has);
    if (has) return 1;
    lua_pushstring(lua, error.message);
    return 2;
}

void script_argument_begin(lua_State *lua, const char *constructor, const char *prefix,
                           ScriptReader *out_reader) {
    const ScriptState *state = script_state_of(lua);
    if (!state->findings) luaL_error(lua, "%s works only while the file is loaded, not in callbacks", prefix);
    luaL_checkany(lua, 1);
    const ScriptCallSite *call_site = script_call_site_here(lua, constructor);
    ScriptArena *arena = script_arena_push(lua);
    ScriptNode *root = script_arena_alloc(arena, 1, sizeof *root);
    if (!root) luaL_error(lua, "out of memory");
    script_state_check_time(lua);
    *root = *script_node_read(lua, 1, true, SCRIPT_MAX_DEFINITION_NODES, arena);
    root->call_site = call_site; // for a string, too
    *out_reader = (ScriptReader){.arena = arena,
                                 .findings = state->findings,
                                 .sources = state->sources,
                                 .file = call_site->line ? call_site->file : state->file,
                                 .is_argument = true,
                                 .root = root,
                                 .prefix = prefix,
                                 .first_error = state->findings->error_count,
                                 .first_finding = state->findings->count};
}

ScriptFindingRange script_argument_end(const ScriptReader *reader) {
    const size_t first = reader->first_finding;
    return (ScriptFindingRange){first, reader->findings->count - first, reader->prefix};
}

static void push_files(lua_State *lua) {
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &files_key) == LUA_TTABLE) return;
    lua_pop(lua, 1);
    lua_newtable(lua);
    lua_pushvalue(lua, -1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &files_key);
}

static void finish_file(ScriptResource *resource) {
    asset_file_destroy(((OwnedFile *)(void *)resource)->file);
}
