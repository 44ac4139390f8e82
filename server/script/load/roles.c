// Asks rigs/roles.lua, in a host of its own.
#include "script/roles.h"

#include "api/api.h"
#include "define/skeleton.h"
#include "load/load.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROLES 64 // rigs/roles.lua has 21

typedef struct Guess {
    const SimBoneDef *bones;
    int bone_count;
    char (*roles)[SCRIPT_ROLES_SIZE];
} Guess;

typedef struct Role {
    const char *name; // kept by Lua's table
    int bone;
} Role;

static int guess(lua_State *lua);
static void add_role(const Guess *made, const Role *role);
static int compare_roles(const void *left, const void *right);

bool script_guess_roles(const ScriptHostDef *def, const SimBoneDef *bones, int bone_count,
                        char (*out_roles)[SCRIPT_ROLES_SIZE], char **out_reason) {
    Guess made = {bones, bone_count, out_roles};
    ScriptFindings findings = {0};
    ScriptError error = {0};
    memset(out_roles, 0, (size_t)bone_count * sizeof *out_roles);
    ScriptHost *host = script_host_make(def, true, &findings);
    ScriptState *state = host ? script_state_create(host, "rigs/roles", "rigs/roles.lua") : NULL;
    if (state) state->findings = &findings; // as while a script is loaded: it requires modules
    const bool done = state && script_state_enter(state, guess, &made, &error);
    *out_reason = error.message;
    error.message = NULL;
    script_error_finish(&error);
    script_state_destroy(state);
    script_host_destroy(host);
    script_findings_finish(&findings);
    return done;
}

static int guess(lua_State *lua) {
    const Guess *made = lua_touserdata(lua, 1);
    script_api_open(lua);
    lua_getglobal(lua, "require");
    lua_pushliteral(lua, "rigs.roles");
    lua_call(lua, 1, 1);
    script_bones_push(lua, made->bones, made->bone_count);
    lua_call(lua, 1, 1);
    Role roles[MOST_ROLES];
    int count = 0;
    for (lua_pushnil(lua); lua_next(lua, -2); lua_pop(lua, 1)) {
        const char *bone = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;
        for (int i = 0; bone && i < made->bone_count && count < MOST_ROLES; i++)
            if (strcmp(made->bones[i].name, bone) == 0) roles[count++] = (Role){lua_tostring(lua, -2), i};
    }
    qsort(roles, (size_t)count, sizeof *roles, compare_roles); // lua_next has no order
    for (int i = 0; i < count; i++) add_role(made, &roles[i]);
    return 0;
}

static void add_role(const Guess *made, const Role *role) {
    char *roles = made->roles[role->bone];
    const size_t used = strlen(roles);
    snprintf(roles + used, SCRIPT_ROLES_SIZE - used, "%s%s", used > 0 ? ", " : "", role->name);
}

static int compare_roles(const void *left, const void *right) {
    return strcmp(((const Role *)left)->name, ((const Role *)right)->name);
}
