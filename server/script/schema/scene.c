// The schemas of scenes.
#include "schema/definition.h"

#define HEIGHT SCRIPT_RANGE(SIM_RANGE_GROUND), .expects = "a height%s, or false"

static const ScriptSchemaField wind_fields[] = {
    {SCRIPT_FIELD(ScriptWind, velocity, VECTOR), SCRIPT_RANGE(SIM_RANGE_WIND_VELOCITY),
     .help = "The mean velocity in the world."},
    {SCRIPT_FIELD(ScriptWind, turbulence, NUMBER), SCRIPT_RANGE(SIM_RANGE_TURBULENCE),
     .help = "The strength of eddies of one to two metres, as a share of the speed."},
    {SCRIPT_FIELD(ScriptWind, gust, NUMBER), SCRIPT_RANGE(SIM_RANGE_GUST),
     .help = "The strength of gusts that last seconds, as a share of the speed."},
};
const ScriptSchema script_wind_schema = {
    .constructor = "wind",
    .size = sizeof(ScriptWind),
    SCRIPT_FIELDS(wind_fields),
    .help = "The wind.",
    .example = "tweed.wind { velocity = { 2, 0, 1 }, turbulence = .3, gust = .5 }"};

static const ScriptSchemaField tornado_fields[] = {
    {SCRIPT_FIELD(ScriptTornadoDef, name, NAME), .required = true,
     .help = "The tornado's name; the name of an existing tornado changes that one."},
    {SCRIPT_FIELD(ScriptTornadoDef, position, VECTOR), .required = true, SCRIPT_RANGE(SIM_RANGE_POSITION),
     .help = "The foot of the vertical axis, in the world."},
    {SCRIPT_FIELD(ScriptTornadoDef, radius, NUMBER), .required = true, SCRIPT_RANGE(SIM_RANGE_TORNADO_RADIUS),
     .help = "The radius of the core; the air is fastest at 1.12 radii."},
    {SCRIPT_FIELD(ScriptTornadoDef, strength, NUMBER), .required = true,
     SCRIPT_RANGE(SIM_RANGE_TORNADO_STRENGTH),
     .help = "The greatest speed of rotation; positive is anticlockwise from above."},
    {SCRIPT_FIELD(ScriptTornadoDef, lift, NUMBER), .required = true, SCRIPT_RANGE(SIM_RANGE_TORNADO_LIFT),
     .help = "The speed of the updraft on the axis. It draws air in, at up to 0.32 of that speed."},
    {SCRIPT_FIELD(ScriptTornadoDef, velocity, VECTOR), SCRIPT_RANGE(SIM_RANGE_TORNADO_VELOCITY),
     .help = "The velocity of the foot."},
};
const ScriptSchema script_tornado_schema = {.name = "Tornado",
                                            .size = sizeof(ScriptTornadoDef),
                                            SCRIPT_FIELDS(tornado_fields),
                                            .help = "A column of rotating air."};

static const ScriptSchemaField spawn_fields[] = {
    {SCRIPT_FIELD(ScriptSpawnDef, script, STRING), .required = true,
     .expects = "the name of a character's script, such as \"characters/wake\"",
     .help = "The name of the character's script below the script folders."},
    {SCRIPT_FIELD(ScriptSpawnDef, name, NAME), .text = "", .otherwise = "the script's, numbered",
     .help = "The character's name in the world, unique."},
    {SCRIPT_FIELD(ScriptSpawnDef, position, VECTOR), SCRIPT_RANGE(SIM_RANGE_POSITION),
     .help = "The root's position in the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "The root's rotation in the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, params, DATA), .help = "The parameters of on_spawn."},
};
const ScriptSchema script_spawn_schema = {.name = "Spawn",
                                          .size = sizeof(ScriptSpawnDef),
                                          SCRIPT_FIELDS(spawn_fields),
                                          .help = "A character to spawn."};
static const ScriptSchemaField spawn = {.type = SCRIPT_TYPE_TABLE,
                                        .schemas = SCRIPT_ONE_SCHEMA(script_spawn_schema),
                                        .expects = "{script =, name =, position =, rotation =, params =}"};

static const ScriptSchemaField camera_fields[] = {
    {SCRIPT_FIELD(ScriptCameraDef, target, NAME), .text = "", .otherwise = "none",
     .help = "The name of a character in spawn to look at."},
    {SCRIPT_FIELD(ScriptCameraDef, distance, NUMBER), .minimum = 0.1, .maximum = 1000.0, .unit = "m",
     .otherwise = "the viewer's choice", .help = "The distance from the target."},
    {SCRIPT_FIELD(ScriptCameraDef, height, NUMBER), .minimum = -1000.0, .maximum = 1000.0, .unit = "m",
     .otherwise = "the viewer's choice", .help = "The height above the target's root."},
};
static const ScriptSchema camera_schema = {
    .name = "Camera", .size = sizeof(ScriptCameraDef), SCRIPT_FIELDS(camera_fields)};

static const ScriptSchemaField levels_fields[] = {
    {SCRIPT_FIELD(ScriptLevelsDef, reduced, NUMBER), .minimum = 0.1, .maximum = 1e6, .unit = "m",
     .otherwise = "never",
     .help = "From this distance on a character's cloth is simulated with half the substeps."},
    {SCRIPT_FIELD(ScriptLevelsDef, skinned, NUMBER), .minimum = 0.1, .maximum = 1e6, .unit = "m",
     .otherwise = "never", .help = "From this distance on it is not simulated, and follows the skeleton."},
};
static const ScriptSchema levels_schema = {
    .name = "Levels", .size = sizeof(ScriptLevelsDef), SCRIPT_FIELDS(levels_fields)};

static void read_ground(ScriptReader *reader, const ScriptNode *node, void *out);

static const ScriptSchemaField scene_fields[] = {
    {SCRIPT_FIELD(ScriptSceneDef, ground, CUSTOM), HEIGHT, .read = read_ground, .otherwise = "none",
     .lua = "number|false", .help = "The height of a floor that stops all cloth."},
    {SCRIPT_FIELD(ScriptSceneDef, gravity, VECTOR), SCRIPT_RANGE(SIM_RANGE_GRAVITY),
     .vector = {0.0f, (float)-SIM_STANDARD_GRAVITY, 0.0f}, .help = "The gravity."},
    {SCRIPT_FIELD(ScriptSceneDef, wind, TABLE), .schemas = SCRIPT_ONE_SCHEMA(script_wind_schema),
     .otherwise = "still air", .help = "The wind; clients may change it."},
    {SCRIPT_FIELD(ScriptSceneDef, spawn, LIST), .element = &spawn,
     .help = "The characters spawned at the start."},
    {SCRIPT_FIELD(ScriptSceneDef, camera, TABLE), .schemas = SCRIPT_ONE_SCHEMA(camera_schema),
     .expects = "{target =, distance =, height =}", .help = "A hint to viewers."},
    {SCRIPT_FIELD(ScriptSceneDef, levels, TABLE), .schemas = SCRIPT_ONE_SCHEMA(levels_schema),
     .expects = "{reduced =, skinned =}",
     .help = "Levels of detail by the distance from the nearest client that has said where it looks from "
             "(session.look)."},
    {SCRIPT_FIELD(ScriptSceneDef, on_start, FUNCTION), .expects = "function(scene) ... end",
     .lua = "fun(scene: { name: string, script: string })",
     .help = "Called once, when the characters in spawn are there."},
};
const ScriptSchema script_scene_schema = {
    .constructor = "scene",
    .size = sizeof(ScriptSceneDef),
    SCRIPT_FIELDS(scene_fields),
    .help = "A world: its characters, ground, gravity and wind.",
    .example = "local tweed = require \"tweed\"\n\n"
               "return tweed.scene {\n"
               "  ground = 0,\n"
               "  wind = tweed.wind { velocity = { 1, 0, 0 } },\n"
               "  spawn = {\n"
               "    { script = \"characters/guard\", name = \"left\", position = { -1, 0, 0 } },\n"
               "    { script = \"characters/guard\", name = \"right\", position = { 1, 0, 0 } },\n"
               "  },\n"
               "  camera = { target = \"left\", distance = 4 },\n"
               "  on_start = function(scene) tweed.log(\"info\", scene.name .. \" begins\") end,\n"
               "}"};

static void read_ground(ScriptReader *reader, const ScriptNode *node, void *out) {
    static const ScriptSchemaField height = {.type = SCRIPT_TYPE_NUMBER, HEIGHT};
    ScriptGround *ground = out;
    if (node->kind == SCRIPT_NODE_BOOLEAN && !node->boolean) return;
    ground->given = true;
    script_field_read(reader, &height, node, &ground->height);
}
