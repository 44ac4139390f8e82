// The methods of `self`, checked whole before the world is touched.
#include "self.h"

#include "host_data.h"
#include "nearest.h"
#include "options.h"

#include <lauxlib.h>
#include <string.h>

#define TYPE "tweed.self"

// Clips
// ------------------------------------------------------------------------------------------------------------

static const ScriptSchemaField play_fields[] = {
    {SCRIPT_FIELD(SimPlay, loop, BOOLEAN), .help = "Begin anew at the end; else stay on the last frame."},
    {SCRIPT_FIELD(SimPlay, speed, NUMBER), .minimum = -10.0, .maximum = 10.0, .number = 1.0,
     .help = "Negative plays backwards."},
    {SCRIPT_FIELD(SimPlay, fade, NUMBER), .minimum = 0.0, .maximum = 10.0, .unit = "s", .number = 0.2,
     .help = "From the present pose."},
    {SCRIPT_FIELD(SimPlay, at, NUMBER), .minimum = 0.0, .maximum = 1e5, .unit = "s",
     .help = "Where in the clip to begin."},
};
static const ScriptSchema play_schema = {.size = sizeof(SimPlay), SCRIPT_FIELDS(play_fields)};

typedef struct Stop {
    float fade;
} Stop;

static const ScriptSchemaField stop_fields[] = {
    {SCRIPT_FIELD(Stop, fade, NUMBER), .minimum = 0.0, .maximum = 10.0, .unit = "s", .number = 0.2,
     .help = "To the rest pose."},
};
static const ScriptSchema stop_schema = {.size = sizeof(Stop), SCRIPT_FIELDS(stop_fields)};

static SimWorld *world_of(const ScriptInstance *instance) {
    return instance->character->host->world;
}

static int check_clip(lua_State *lua, const ScriptInstance *instance, int index) {
    const char *name = luaL_checkstring(lua, index);
    const SimRigInfo *rig = sim_rig_info(world_of(instance), instance->character->info.rig);
    ScriptNearest nearest = script_nearest_to(name);
    for (int i = 0; i < rig->clip_count; i++) {
        if (strcmp(rig->clip_names[i], name) == 0) return i;
        script_nearest_offer(&nearest, rig->clip_names[i]);
    }
    char hint[128];
    script_nearest_hint(&nearest, hint, sizeof hint);
    return luaL_error(lua, "no clip \"%s\"%s", name, hint);
}

// self:play(clip, {loop, speed, fade, at})
static int play(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    SimPlay options;
    const int clip = check_clip(lua, instance, 2);
    script_options_read(lua, 3, &play_schema, "options", &options);
    sim_character_play(world_of(instance), instance->id, clip, &options);
    return 0;
}

// self:stop(clip, {fade}); without a clip whatever plays
static int stop(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    Stop options;
    const int clip = lua_isnoneornil(lua, 2) ? -1 : check_clip(lua, instance, 2);
    script_options_read(lua, 3, &stop_schema, "options", &options);
    sim_character_stop(world_of(instance), instance->id, clip, options.fade);
    return 0;
}

// self:clip() → name and time of the clip that plays, or nothing
static int clip(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    const SimRigInfo *rig = sim_rig_info(world_of(instance), instance->character->info.rig);
    float time = 0.0f;
    const int index = sim_character_clip(world_of(instance), instance->id, &time);
    if (index < 0) return 0;
    lua_pushstring(lua, rig->clip_names[index]);
    lua_pushnumber(lua, (lua_Number)time);
    return 2;
}

// Root
// -------------------------------------------------------------------------------------------------------------

typedef struct Move {
    float position[3], rotation[4];
    bool teleport;
} Move;

static const ScriptSchemaField move_fields[] = {
    {SCRIPT_FIELD(Move, position, VECTOR), .minimum = -1e5, .maximum = 1e5, .unit = "m",
     .otherwise = "as it is", .help = "In the world."},
    {SCRIPT_FIELD(Move, rotation, ROTATION), .otherwise = "as it is", .help = "In the world."},
    {SCRIPT_FIELD(Move, teleport, BOOLEAN), .help = "The cloth goes along, without feeling it."},
};
static const ScriptSchema move_schema = {.size = sizeof(Move), SCRIPT_FIELDS(move_fields)};

// self:move {position, rotation, teleport}
static int move(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    Move options;
    luaL_checktype(lua, 2, LUA_TTABLE);
    script_options_read(lua, 2, &move_schema, "move", &options);
    SimTransform root = sim_character_root(world_of(instance), instance->id);
    lua_getfield(lua, 2, "position"); // plain tables: what the schema read, metamethods aside
    if (!lua_isnil(lua, -1)) memcpy(root.position, options.position, sizeof options.position);
    lua_getfield(lua, 2, "rotation");
    if (!lua_isnil(lua, -1)) memcpy(root.rotation, options.rotation, sizeof options.rotation);
    sim_character_move(world_of(instance), instance->id, &root, options.teleport);
    return 0;
}

static void push_floats(lua_State *lua, const float *numbers, int count) {
    lua_createtable(lua, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushnumber(lua, (lua_Number)numbers[i]);
        lua_rawseti(lua, -2, i + 1);
    }
}

// self:root() → position, rotation in the world
static int root(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    const SimTransform transform = sim_character_root(world_of(instance), instance->id);
    push_floats(lua, transform.position, 3);
    push_floats(lua, transform.rotation, 4);
    return 2;
}

// Seams
// ------------------------------------------------------------------------------------------------------------

static int set_seam(lua_State *lua, bool closed) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    const char *name = luaL_checkstring(lua, 2);
    const SimRigInfo *rig = sim_rig_info(world_of(instance), instance->character->info.rig);
    ScriptNearest nearest = script_nearest_to(name);
    for (int i = 0; i < rig->seam_count; i++) {
        if (strcmp(rig->seams[i].name, name) == 0) {
            sim_seam_set_closed(world_of(instance), instance->id, i, closed);
            return 0;
        }
        script_nearest_offer(&nearest, rig->seams[i].name);
    }
    char hint[128];
    script_nearest_hint(&nearest, hint, sizeof hint);
    return luaL_error(lua, "no seam \"%s\"%s", name, hint);
}

// self:open_seam(name)
static int open_seam(lua_State *lua) {
    return set_seam(lua, false);
}

// self:close_seam(name): within 0.2 s
static int close_seam(lua_State *lua) {
    return set_seam(lua, true);
}

// The object
// -------------------------------------------------------------------------------------------------------------

static const luaL_Reg methods[] = {
    {"clip", clip},
    {"close_seam", close_seam},
    {"move", move},
    {"open_seam", open_seam},
    {"play", play},
    {"root", root},
    {"run", script_instance_run},
    {"stop", stop},
    {NULL, NULL},
};

ScriptInstance *script_self_check(lua_State *lua, int index) {
    ScriptInstance **instance = luaL_testudata(lua, index, TYPE);
    if (!instance) luaL_error(lua, "expected self as the first argument: write self:method(...)");
    if (!*instance) luaL_error(lua, "this character is gone, or was reset: its self is no longer valid");
    return *instance;
}

// upvalue: the methods. What the script has put there comes after them.
static int get(lua_State *lua) {
    ScriptInstance **instance = luaL_checkudata(lua, 1, TYPE);
    if (lua_type(lua, 2) == LUA_TSTRING) {
        lua_pushvalue(lua, 2);
        if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL) return 1;
        if (*instance && strcmp(lua_tostring(lua, 2), "name") == 0) {
            lua_pushstring(lua, (*instance)->name);
            return 1;
        }
    }
    lua_getiuservalue(lua, 1, 1);
    lua_pushvalue(lua, 2);
    lua_rawget(lua, -2);
    return 1;
}

static int set(lua_State *lua) {
    luaL_checkudata(lua, 1, TYPE);
    if (lua_type(lua, 2) == LUA_TSTRING) {
        const char *key = lua_tostring(lua, 2);
        lua_pushvalue(lua, 2);
        if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL || strcmp(key, "name") == 0)
            return luaL_error(lua, "self.%s cannot be assigned", key);
    }
    lua_settop(lua, 3);
    lua_getiuservalue(lua, 1, 1);
    lua_replace(lua, 1);
    if (lua_isnil(lua, 2)) return luaL_error(lua, "self[nil] cannot be assigned");
    lua_rawset(lua, 1);
    return 0;
}

void script_self_push(lua_State *lua, ScriptInstance *instance) {
    ScriptInstance **self = lua_newuserdatauv(lua, sizeof *self, 1);
    *self = NULL;
    lua_newtable(lua);
    lua_setiuservalue(lua, -2, 1);
    luaL_setmetatable(lua, TYPE);
    *self = instance;
}

void script_self_end(lua_State *lua, int reference) {
    if (reference == LUA_NOREF || !lua_checkstack(lua, 2)) return;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, reference);
    ScriptInstance **self = lua_touserdata(lua, -1);
    if (self) *self = NULL;
    lua_pop(lua, 1);
    luaL_unref(lua, LUA_REGISTRYINDEX, reference);
}

void script_self_open(lua_State *lua) {
    luaL_newmetatable(lua, TYPE);
    luaL_newlib(lua, methods);
    lua_pushvalue(lua, -1);
    lua_pushcclosure(lua, get, 1);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, set, 1);
    lua_setfield(lua, -2, "__newindex");
    lua_pushliteral(lua, "a character");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}
