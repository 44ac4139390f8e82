// The methods of `self`. Each checks all its arguments before it changes the world.
#include "api/self_methods.h"

#include "api/world.h"
#include "data/value_lua.h"
#include "runtime/instance.h"
#include "runtime/task.h"
#include "schema/function.h"

#include <lauxlib.h>
#include <string.h>
#include <text/nearest.h>

static const ScriptSchemaField play_fields[] = {
    {SCRIPT_FIELD(SimPlay, loop, BOOLEAN),
     .help = "Whether the clip starts again at its end; otherwise its last frame stays."},
    {SCRIPT_FIELD(SimPlay, speed, NUMBER), SCRIPT_RANGE(SIM_RANGE_PLAY_SPEED),
     .help = "The factor on the clip's speed; a negative one plays backwards."},
    {SCRIPT_FIELD(SimPlay, fade, NUMBER), SCRIPT_RANGE(SIM_RANGE_PLAY_FADE),
     .help = "How long the clip fades in from the current pose."},
    {SCRIPT_FIELD(SimPlay, at, NUMBER), SCRIPT_RANGE(SIM_RANGE_PLAY_AT),
     .help = "The time in the clip at which playing starts."},
    {SCRIPT_FIELD(SimPlay, in_place, BOOLEAN),
     .help = "Whether the root stays in place even where the clip moves it."},
    {SCRIPT_FIELD(SimPlay, additive, BOOLEAN),
     .help = "Whether the clip is added on top of the clip that plays: each bone's change since the clip's "
             "first frame, in its parent's space, without the root. At most four additive clips play at a "
             "time; a fifth ends the oldest."},
    {SCRIPT_FIELD(SimPlay, weight, NUMBER), SCRIPT_RANGE(SIM_RANGE_PLAY_WEIGHT),
     .help = "The share of an additive clip that is added."},
};
static const ScriptSchema play_schema = {.name = "PlayOptions",
                                         .size = sizeof(SimPlay),
                                         SCRIPT_FIELDS(play_fields),
                                         .help = "Options of self:play."};

typedef struct Stop {
    float fade;
} Stop;

static const ScriptSchemaField stop_fields[] = {
    {SCRIPT_FIELD(Stop, fade, NUMBER), SCRIPT_RANGE(SIM_RANGE_PLAY_FADE),
     .help = "How long the clip fades to the rest pose; an additive clip fades out."},
};
static const ScriptSchema stop_schema = {
    .name = "StopOptions", .size = sizeof(Stop), SCRIPT_FIELDS(stop_fields), .help = "Options of self:stop."};

typedef struct Move {
    float position[3], rotation[4];
    bool teleport;
} Move;

static const ScriptSchemaField move_fields[] = {
    {SCRIPT_FIELD(Move, position, VECTOR), SCRIPT_RANGE(SIM_RANGE_POSITION), .otherwise = "unchanged",
     .help = "The root's new position in the world."},
    {SCRIPT_FIELD(Move, rotation, ROTATION), .otherwise = "unchanged",
     .help = "The root's new rotation in the world."},
    {SCRIPT_FIELD(Move, teleport, BOOLEAN),
     .help = "Whether the cloth moves along rigidly, without swinging."},
};
static const ScriptSchema move_schema = {.name = "MoveOptions",
                                         .size = sizeof(Move),
                                         SCRIPT_FIELDS(move_fields),
                                         .help = "The target of self:move."};

static const ScriptParameter fields[] = {
    {.name = "name", .type = "string", .help = "The character's name in the world. Read-only."}, {0}};

static int play(lua_State *lua);
static int clip(lua_State *lua);
static SimWorld *world_of(const ScriptInstance *instance);
static int check_clip(lua_State *lua, const ScriptInstance *instance, int index);
static int stop(lua_State *lua);
static int move(lua_State *lua);
static int root(lua_State *lua);
static int remove_self(lua_State *lua);
static int open_seam(lua_State *lua);
static int set_seam(lua_State *lua, bool closed);
static int close_seam(lua_State *lua);
static int to_string(lua_State *lua);
static int get(lua_State *lua);
static int set(lua_State *lua);

static const ScriptFunction methods[] = {
    {"play", play,
     .parameters = {{.name = "clip", .type = "string", .help = "The name of one of the character's clips."},
                    {.name = "options", .schema = &play_schema, .optional = true}},
     .help = "Plays a clip, in place of the current one or on top of it.",
     .example = "self:play(\"walk\", { loop = true, fade = .3 })\n"
                "self:play(\"walk\", { additive = true, weight = .3, at = .5 })"},
    {"stop", stop,
     .parameters =
         {{.name = "clip", .type = "string", .optional = true, .help = "Default: the clip that plays."},
          {.name = "options", .schema = &stop_schema, .optional = true}},
     .help =
         "Stops a clip. The character returns to its rest pose; after an additive clip, to the clip below.",
     .example = "self:stop(\"walk\", { fade = .5 })"},
    {"clip", clip,
     .results = {{.name = "clip", .type = "string", .optional = true},
                 {.name = "time", .type = "number", .optional = true}},
     .help = "The name of the clip that plays and its current time in s; nil where none plays.",
     .example = "local clip, time = self:clip()"},
    {"move", move, .parameters = {{.name = "to", .schema = &move_schema}},
     .help = "Moves the character's root.",
     .example = "self:move { position = { 0, 0, 2 }, teleport = true }"},
    {"root", root,
     .results = {{.name = "position", .type = "tweed.Vector"},
                 {.name = "rotation", .type = "tweed.Rotation"}},
     .help = "The root's position and rotation in the world.",
     .example = "local position = self:root()\n"
                "self:move { position = { position[1], 0, position[3] + 1 } }"},
    {"pose", script_self_pose,
     .parameters = {{.name = "bones",
                     .type = "table<string, tweed.PosedBone>",
                     .schema = &script_posed_bone_schema,
                     .help = "Skeleton and driven bones: their pose, not the difference from rest."},
                    {.name = "options", .schema = &script_pose_options_schema, .optional = true}},
     .results = {{.name = "ignored", .type = "string[]"}},
     .help = "Sets the pose of bones in place of the clip, until they are released. A rotation or position "
             "that is not given stays as it is. If several scripts or clients pose a bone, the last one "
             "wins. Returns the names of the bones that were left out.",
     .example = "self:pose({ Spine = { rotation = tweed.quaternion.axis_angle({ 1, 0, 0 }, .3) } })\n"
                "self:pose({ LeftArm = { position = { .3, 1.2, .1 } } }, { space = \"model\" })"},
    {"release", script_self_release,
     .parameters =
         {{.name = "bones", .type = "string[]", .optional = true, .help = "Default: all posed bones."}},
     .help = "Releases posed bones: they return to the clip within 0.2 s.",
     .example = "self:release { \"Spine\", \"LeftArm\" }"},
    {"bone", script_self_bone,
     .parameters = {{.name = "name", .type = "string", .help = "The name of one of the character's bones."},
                    {.name = "space",
                     .type = "\"model\"|\"parent\"|\"world\"",
                     .optional = true,
                     .help = "\"model\" (default), \"parent\" (the bone's parent) or \"world\"."}},
     .results = {{.name = "position", .type = "tweed.Vector"},
                 {.name = "rotation", .type = "tweed.Rotation"}},
     .help = "The position and rotation of a bone. For bones of the skeleton and driven bones, where the "
             "clip and the poses set so far put the bone in the tick that follows this callback; for a "
             "garment's bones, where the last tick left them.",
     .example = "local position, rotation = self:bone(\"LeftArm\", \"world\")"},
    {"remove", remove_self,
     .help = "Removes the character from the world after all scripts of this tick. `self` is invalid from "
             "then on.",
     .example = "self:remove()"},
    {"run", script_task_run,
     .parameters = {{.name = "task", .type = "fun(...: any)"},
                    {.name = "...", .type = "any", .help = "Arguments for the function."}},
     .help = "Runs a function as a coroutine of the character. It starts at once; tweed.wait pauses it.",
     .example = "self:run(function(clip)\n"
                "  self:play(clip)\n"
                "  tweed.wait(1.5)\n"
                "  self:stop()\n"
                "end, \"walk\")"},
    {"open_seam", open_seam,
     .parameters = {{.name = "name", .type = "string", .help = "The name of one of the character's seams."}},
     .help = "Opens a seam.", .example = "self:open_seam(\"front\")"},
    {"close_seam", close_seam,
     .parameters = {{.name = "name", .type = "string", .help = "The name of one of the character's seams."}},
     .help = "Closes a seam; its two sides come together within 0.2 s.",
     .example = "self:close_seam(\"front\")"},
    {0},
};
const ScriptObject script_self_object = {
    .name = "Self",
    .variable = "self",
    .help = "A character in the world, the first argument of its callbacks and commands. Its methods "
            "and `name` cannot be assigned. Every other key is free for the script's own values, which last "
            "until the character is reset or removed.",
    .is_open = true,
    .fields = fields,
    .methods = methods};

void script_self_open(lua_State *lua) {
    luaL_newmetatable(lua, SCRIPT_SELF_TYPE);
    lua_pushcfunction(lua, to_string);
    lua_setfield(lua, -2, "__tostring");
    lua_newtable(lua);
    script_functions_set(lua, methods);
    lua_pushvalue(lua, -1);
    lua_pushcclosure(lua, get, 1);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, set, 1);
    lua_setfield(lua, -2, "__newindex");
    lua_pushliteral(lua, "a character");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}

static int play(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    SimPlay options;
    const int clip = check_clip(lua, instance, 2);
    script_options_read(lua, 3, &play_schema, "options", &options);
    sim_character_play(world_of(instance), instance->id, clip, &options);
    return 0;
}

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

static SimWorld *world_of(const ScriptInstance *instance) {
    return instance->character->host->world;
}

static int check_clip(lua_State *lua, const ScriptInstance *instance, int index) {
    const char *name = luaL_checkstring(lua, index);
    const SimRigInfo *rig = sim_rig_info(world_of(instance), instance->character->info.rig);
    char hint[1024];
    const int found = sim_rig_clip_named(rig, name);
    if (found >= 0) return found;
    script_error_hint(name, rig->clip_names, rig->clip_count, hint, sizeof hint);
    return luaL_error(lua, "no clip \"%s\"%s", name, rig->clip_count ? hint : "; the character has no clips");
}

static int stop(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    Stop options;
    const int clip = lua_isnoneornil(lua, 2) ? -1 : check_clip(lua, instance, 2);
    script_options_read(lua, 3, &stop_schema, "options", &options);
    sim_character_stop(world_of(instance), instance->id, clip, options.fade);
    return 0;
}

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

static int root(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    const SimTransform transform = sim_character_root(world_of(instance), instance->id);
    script_floats_push(lua, transform.position, 3);
    script_floats_push(lua, transform.rotation, 4);
    return 2;
}

static int remove_self(lua_State *lua) {
    script_remove_character(lua, "self:remove", script_self_check(lua, 1)->name);
    return 0;
}

static int open_seam(lua_State *lua) {
    return set_seam(lua, false);
}

static int set_seam(lua_State *lua, bool closed) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    const char *name = luaL_checkstring(lua, 2);
    const SimRigInfo *rig = sim_rig_info(world_of(instance), instance->character->info.rig);
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < rig->seam_count; i++) {
        if (strcmp(rig->seams[i].name, name) == 0) {
            sim_seam_set_closed(world_of(instance), instance->id, i, closed);
            return 0;
        }
        text_nearest_offer(&nearest, rig->seams[i].name);
    }
    return script_error_raise_unknown(lua, "seam", &nearest);
}

static int close_seam(lua_State *lua) {
    return set_seam(lua, true);
}

// The character's name, for print.
static int to_string(lua_State *lua) {
    ScriptInstance *const *instance = luaL_checkudata(lua, 1, SCRIPT_SELF_TYPE);
    lua_pushstring(lua, *instance ? (*instance)->name : "a character that is gone");
    return 1;
}

// upvalue: the methods. What the script has put there comes after them.
static int get(lua_State *lua) {
    ScriptInstance **instance = luaL_checkudata(lua, 1, SCRIPT_SELF_TYPE);
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
    luaL_checkudata(lua, 1, SCRIPT_SELF_TYPE);
    if (lua_type(lua, 2) == LUA_TSTRING) {
        const char *key = lua_tostring(lua, 2);
        lua_pushvalue(lua, 2);
        if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL || strcmp(key, "name") == 0)
            return luaL_error(lua, "self.%s cannot be assigned: it is %s", key,
                              strcmp(key, "name") == 0 ? "the character's name" : "a method of self");
    }
    lua_settop(lua, 3);
    lua_getiuservalue(lua, 1, 1);
    lua_replace(lua, 1);
    if (lua_isnil(lua, 2)) return luaL_error(lua, "self[nil] cannot be assigned");
    lua_rawset(lua, 1);
    return 0;
}
