// The schemas of scenes.
#include "definition.h"

static void read_ground(ScriptReader *reader, const ScriptNode *node, void *out) {
    static const ScriptSchemaField height = {.type = SCRIPT_TYPE_NUMBER,
                                             .minimum = -1000.0,
                                             .maximum = 1000.0,
                                             .expects = "a height of -1000 to 1000 m, or false"};
    ScriptGround *ground = out;
    if (node->kind == SCRIPT_NODE_BOOLEAN && !node->boolean) return;
    ground->given = true;
    script_field_read(reader, &height, node, &ground->height);
}

static const ScriptSchemaField wind_fields[] = {
    {SCRIPT_FIELD(ScriptWind, velocity, VECTOR), .minimum = -100.0, .maximum = 100.0, .unit = "m/s",
     .help = "In the world."},
    {SCRIPT_FIELD(ScriptWind, turbulence, NUMBER), .minimum = 0.0, .maximum = 2.0,
     .help = "Share of the speed: eddies of a metre or two."},
    {SCRIPT_FIELD(ScriptWind, gust, NUMBER), .minimum = 0.0, .maximum = 2.0,
     .help = "Share of the speed: swelling over seconds."},
};
static const ScriptSchema wind_schema = {.constructor = "wind",
                                         .size = sizeof(ScriptWind),
                                         SCRIPT_FIELDS(wind_fields),
                                         .help = "The air's motion."};
static const ScriptSchema *const wind_schemas[] = {&wind_schema, NULL};

static const ScriptSchemaField tornado_fields[] = {
    {SCRIPT_FIELD(ScriptTornadoDef, name, NAME), .required = true,
     .help = "Unique in the world; of one that blows: changes it."},
    {SCRIPT_FIELD(ScriptTornadoDef, position, VECTOR), .required = true, .minimum = -1e6, .maximum = 1e6,
     .unit = "m", .help = "Foot of its vertical axis, in the world."},
    {SCRIPT_FIELD(ScriptTornadoDef, radius, NUMBER), .required = true, .minimum = 0.05, .maximum = 1000.0,
     .unit = "m", .help = "Of the core: the swirl is greatest at 1.12 radii."},
    {SCRIPT_FIELD(ScriptTornadoDef, strength, NUMBER), .required = true, .minimum = -150.0, .maximum = 150.0,
     .unit = "m/s", .help = "The greatest speed of the swirl; anticlockwise from above where positive."},
    {SCRIPT_FIELD(ScriptTornadoDef, lift, NUMBER), .required = true, .minimum = -150.0, .maximum = 150.0,
     .unit = "m/s", .help = "Updraft on the axis; it draws air in, at 0.32 of it at most."},
    {SCRIPT_FIELD(ScriptTornadoDef, velocity, VECTOR), .minimum = -300.0, .maximum = 300.0, .unit = "m/s",
     .help = "How its foot moves."},
};
const ScriptSchema script_tornado_schema = {.size = sizeof(ScriptTornadoDef),
                                            SCRIPT_FIELDS(tornado_fields),
                                            .help = "A column of turning air that stands on its foot."};

static const ScriptSchemaField spawn_fields[] = {
    {SCRIPT_FIELD(ScriptSpawnDef, script, STRING), .required = true,
     .expects = "the name of a character's script, such as \"characters/wake\"",
     .help = "What comes into the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, name, NAME), .text = "", .otherwise = "the script's own, numbered",
     .help = "Unique in the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, position, VECTOR), .minimum = -1e5, .maximum = 1e5, .unit = "m",
     .help = "In the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "In the world."},
    {SCRIPT_FIELD(ScriptSpawnDef, params, DATA), .help = "Goes to on_spawn."},
};
const ScriptSchema script_spawn_schema = {
    .size = sizeof(ScriptSpawnDef), SCRIPT_FIELDS(spawn_fields), .help = "A wish for a character."};
static const ScriptSchema *const spawn_schemas[] = {&script_spawn_schema, NULL};
static const ScriptSchemaField spawn = {.type = SCRIPT_TYPE_TABLE,
                                        .schemas = spawn_schemas,
                                        .expects = "{script =, name =, position =, rotation =, params =}"};

static const ScriptSchemaField camera_fields[] = {
    {SCRIPT_FIELD(ScriptCameraDef, target, NAME), .text = "", .otherwise = "none",
     .help = "A spawned character's name."},
    {SCRIPT_FIELD(ScriptCameraDef, distance, NUMBER), .minimum = 0.1, .maximum = 1000.0, .unit = "m",
     .otherwise = "the viewer's choice", .help = "From the target."},
    {SCRIPT_FIELD(ScriptCameraDef, height, NUMBER), .minimum = -1000.0, .maximum = 1000.0, .unit = "m",
     .otherwise = "the viewer's choice", .help = "Above the target's root."},
};
static const ScriptSchema camera_schema = {.size = sizeof(ScriptCameraDef), SCRIPT_FIELDS(camera_fields)};
static const ScriptSchema *const camera_schemas[] = {&camera_schema, NULL};

static const ScriptSchemaField scene_fields[] = {
    {SCRIPT_FIELD(ScriptSceneDef, ground, CUSTOM), .read = read_ground, .otherwise = "none",
     .expects = "a height in m, or false", .help = "A horizontal plane that all cloth meets."},
    {SCRIPT_FIELD(ScriptSceneDef, gravity, VECTOR), .minimum = -100.0, .maximum = 100.0, .unit = "m/s^2",
     .vector = {0.0f, -9.81f, 0.0f}, .help = "In the world."},
    {SCRIPT_FIELD(ScriptSceneDef, wind, TABLE), .schemas = wind_schemas,
     .help = "Still air where there is none."},
    {SCRIPT_FIELD(ScriptSceneDef, spawn, LIST), .element = &spawn, .help = "Who is there from the start."},
    {SCRIPT_FIELD(ScriptSceneDef, camera, TABLE), .schemas = camera_schemas,
     .expects = "{target =, distance =, height =}", .help = "A hint to viewers."},
    {SCRIPT_FIELD(ScriptSceneDef, on_start, FUNCTION), .expects = "function(scene) ... end",
     .help = "Called once, when everyone is there."},
};
const ScriptSchema script_scene_schema = {.constructor = "scene",
                                          .size = sizeof(ScriptSceneDef),
                                          SCRIPT_FIELDS(scene_fields),
                                          .help = "Who is where, in what weather."};
