// The table, out of all that there is.
#include "api/api.h"
#include "api/module.h"
#include "api/self.h"
#include "data/call_site.h"
#include "define/clip.h"
#include "define/import.h"
#include "define/quaternion.h"
#include "define/skeleton.h"
#include "sandbox/seal.h"

void script_module_open(lua_State *lua) {
    script_skeleton_open(lua);
    script_clip_open(lua);
    script_self_open(lua);
    lua_newtable(lua);
    int part_count;
    const ScriptApiPart *parts = script_api(&part_count);
    for (int i = 0; i < part_count; i++) {
        for (const ScriptSchema *const *schema = parts[i].schemas; *schema; schema++)
            script_constructor_set(lua, (*schema)->constructor);
        if (parts[i].functions && !parts[i].table) script_functions_set(lua, parts[i].functions);
    }
    script_quaternion_open(lua);
    lua_setfield(lua, -2, "quaternion");
    script_seal(lua, "tweed");
}

void script_module_loaded(lua_State *lua) {
    script_import_loaded(lua);
}
