// The schemas of scenes.
#include "schema/definition.h"

#define HEIGHT SCRIPT_RANGE(SIM_RANGE_GROUND), .expects = "a height%s, or false"

static const ScriptSchemaField wind_fields[] = {
    {SCRIPT_FIELD(ScriptWind, velocity, VECTOR), SCRIPT_RANGE(SIM_RANGE_WIND_VELOCITY),
     .help = "Its mean velocity in the world."},
    {SCRIPT_FIELD(ScriptWind, turbulence, NUMBER), SCRIPT_RANGE(SIM_RANGE_TURBULENCE),
     .help = "How strong eddies of a metre or two are, as a share of the speed."},
    {SCRIPT_FIELD(ScriptWind, gust, NUMBER), SCRIPT_RANGE(SIM_RANGE_GUST),
     .help = "How strongly it swells over seconds, as a share of the speed."},
};
const ScriptSchema script_wind_schema = {
    .constructor = "wind",
    .size = sizeof(ScriptWind),
    SCRIPT_FIELDS(wind_fields),
    .help = "The motion of the air.",
    .example = "tweed.wind { velocity = { 2, 0, 1 }, turbulence = .3, gust = .5 }"};
static const ScriptSchema *const wind_schemas[] = {&script_wind_schema, NULL};

static const ScriptSchemaField tornado_fields[] = {
    {SCRIPT_FIELD(ScriptTornadoDef, name, NAME), .required = true,
     .help = "Its name; that of one that blows changes it."},
    {SCRIPT_FIELD(ScriptTornadoDef, position, VECTOR), .required = true, SCRIPT_RANGE(SIM_RANGE_POSITION),
     .help = "The foot of its vertical axis, in the world."},
    {SCRIPT_FIELD(ScriptTornadoDef, radius, NUMBER), .required = true, SCRIPT_RANGE(SIM_RANGE_TORNADO_RADIUS),
     .help = "The radius of its core: the air turns fastest at 1.12 radii."},
    {SCRIPT_FIELD(ScriptTornadoDef, strength, NUMBER), .required = true,
     SCRIPT_RANGE(SIM_RANGE_TORNADO_STRENGTH),
     .help = "The greatest speed at which the air turns; anticlockwise from above where positive."},
    {SCRIPT_FIELD(ScriptTornadoDef, lift, NUMBER), .required = true, SCRIPT_RANGE(SIM_RANGE_TORNADO_LIFT),
     .help = "The updraft on the axis; it draws air in, at 0.32 of it at most."},
    {SCRIPT_FIELD(ScriptTornadoDef, velocity, VECTOR), SCRIPT_RANGE(SIM_RANGE_TORNADO_VELOCITY),
     .help = "How its foot moves."},
};
const ScriptSchema script_tornado_schema = {.name = "Tornado",
                                            .size = sizeof(ScriptTornadoDef),
                                            SCRIPT_FIELDS(tornado_fields),
                                            .help = "A column of turning air that stands on its foot."};

static const ScriptSchemaField spawn_fields[] = {
    {SCRIPT_FIELD(ScriptSpawnDef, script, STRING), .required = true,
     .expects = "the name of a character's script, such as \"characters/wake\"",
     .help = "The character's script, by its name below the script folders."},
    {SCRIPT_FIELD(ScriptSpawnDef, name, NAME), .text = "", .otherwise = "the script's, numbered",
     .help = "Its name in the world, unique."},
    {SCRIPT_FIELD(ScriptSpawnDef, position, VECTOR), SCRIPT_RANGE(SIM_RANGE_POSITION),
     .help = "Where its root is in the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "How its root is turned in the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, params, DATA), .help = "What its on_spawn gets."},
};
const ScriptSchema script_spawn_schema = {.name = "Spawn",
                                          .size = sizeof(ScriptSpawnDef),
                                          SCRIPT_FIELDS(spawn_fields),
                                          .help = "A wish for a character."};
static const ScriptSchema *const spawn_schemas[] = {&script_spawn_schema, NULL};
static const ScriptSchemaField spawn = {.type = SCRIPT_TYPE_TABLE,
                                        .schemas = spawn_schemas,
                                        .expects = "{script =, name =, position =, rotation =, params =}"};

static const ScriptSchemaField camera_fields[] = {
    {SCRIPT_FIELD(ScriptCameraDef, target, NAME), .text = "", .otherwise = "none",
     .help = "The name of the character in spawn that it looks at."},
    {SCRIPT_FIELD(ScriptCameraDef, distance, NUMBER), .minimum = 0.1, .maximum = 1000.0, .unit = "m",
     .otherwise = "the viewer's choice", .help = "Its distance from the target."},
    {SCRIPT_FIELD(ScriptCameraDef, height, NUMBER), .minimum = -1000.0, .maximum = 1000.0, .unit = "m",
     .otherwise = "the viewer's choice", .help = "Its height above the target's root."},
};
static const ScriptSchema camera_schema = {
    .name = "Camera", .size = sizeof(ScriptCameraDef), SCRIPT_FIELDS(camera_fields)};
static const ScriptSchema *const camera_schemas[] = {&camera_schema, NULL};

static void read_ground(ScriptReader *reader, const ScriptNode *node, void *out);

static const ScriptSchemaField scene_fields[] = {
    {SCRIPT_FIELD(ScriptSceneDef, ground, CUSTOM), HEIGHT, .read = read_ground, .otherwise = "none",
     .lua = "number|false", .help = "The height of a floor that all cloth meets."},
    {SCRIPT_FIELD(ScriptSceneDef, gravity, VECTOR), SCRIPT_RANGE(SIM_RANGE_GRAVITY),
     .vector = {0.0f, -9.81f, 0.0f}, .help = "Gravity in the world."},
    {SCRIPT_FIELD(ScriptSceneDef, wind, TABLE), .schemas = wind_schemas, .otherwise = "still air",
     .help = "The air, which a client may change."},
    {SCRIPT_FIELD(ScriptSceneDef, spawn, LIST), .element = &spawn,
     .help = "The characters that are there from the start."},
    {SCRIPT_FIELD(ScriptSceneDef, camera, TABLE), .schemas = camera_schemas,
     .expects = "{target =, distance =, height =}", .help = "A hint to viewers."},
    {SCRIPT_FIELD(ScriptSceneDef, on_start, FUNCTION), .expects = "function(scene) ... end",
     .lua = "fun(scene: { name: string, script: string })",
     .help = "Called once, when all of them are there."},
};
const ScriptSchema script_scene_schema = {
    .constructor = "scene",
    .size = sizeof(ScriptSceneDef),
    SCRIPT_FIELDS(scene_fields),
    .help = "Who is where, in what weather.",
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
