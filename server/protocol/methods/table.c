// The methods, as data: roles, timing, parameters. openrpc.json has the same for other languages; a test
// compares the two. Handlers stand in app/server/handler_table.c.
#include "protocol/methods.h"
#include "protocol/view.h"

#include <string.h>
#include <text/buffer.h>
#include <text/nearest.h>

#define COUNT(array)           (sizeof(array) / sizeof *(array))
#define DEFAULT(value)         .has_default = true, .default_number = (value)
#define DEFAULT_TEXT(value)    .has_default = true, .default_text = (value)
#define RANGE(least, most, of) .minimum = (least), .maximum = (most), .unit = (of)
#define CHARACTER                                                                                            \
    { .name = "character", .type = PROTOCOL_TYPE_NAME, .required = true }
#define AXES                                                                                                 \
    { .name = "axes", .type = PROTOCOL_TYPE_ENUM, .choices = protocol_axes_names, DEFAULT_TEXT("gltf") }
#define FLAG(of, value)                                                                                      \
    { .name = (of), .type = PROTOCOL_TYPE_BOOL, DEFAULT(value) }
#define EVERYTHING(of)                                                                                       \
    { .name = (of), .type = PROTOCOL_TYPE_PATTERN_LIST, DEFAULT_TEXT("*") }
#define QUERY(of)     .name = (of), .role = PROTOCOL_ROLE_OBSERVER, .timing = PROTOCOL_AT_ONCE
#define COMMAND(of)   .name = (of), .role = PROTOCOL_ROLE_OPERATOR, .timing = PROTOCOL_COMMAND
#define PARAMS(table) .params = (table), .param_count = COUNT(table)

const char *const protocol_axes_names[] = {"gltf", "blender", "unreal", "unity", "maya", NULL};
const char *const protocol_bone_kind_names[] = {"skeleton", "driven", "cloth", "pendulum", "chain", NULL};
const char *const protocol_space_names[] = {"world", "model", "parent", NULL};
const char *const protocol_layout_names[] = {"matrix", "trs", NULL};
const char *const protocol_policy_names[] = {"latest", "queue", NULL};
static const char *const pose_space_names[] = {"parent", "model", NULL};
static const char *const level_names[] = {"full", "reduced", "skinned", NULL}; // in the order of SimLevel
static const char *const role_names[] = {"observer", "operator", NULL};

static const ProtocolParam session_open[] = {
    {.name = "protocol", .type = PROTOCOL_TYPE_INTEGER, RANGE(0, 1e9, NULL)},
    {.name = "client", .type = PROTOCOL_TYPE_STRING, RANGE(1, 128, NULL)},
    {.name = "token", .type = PROTOCOL_TYPE_STRING, RANGE(1, 512, NULL), .secret = true},
    {.name = "role", .type = PROTOCOL_TYPE_ENUM, .choices = role_names},
    FLAG("events", true),
};
static const ProtocolParam session_look[] = {
    {.name = "position", .type = PROTOCOL_TYPE_VEC3, RANGE(-1e6, 1e6, "m")},
};
static const ProtocolParam server_describe[] = {FLAG("cluster", false)};
static const ProtocolParam character_only[] = {CHARACTER};
static const ProtocolParam character_describe[] = {CHARACTER, AXES, FLAG("mesh", false)};
static const ProtocolParam character_spawn[] = {
    {.name = "script", .type = PROTOCOL_TYPE_STRING, .required = true, RANGE(1, 1024, NULL)},
    {.name = "name", .type = PROTOCOL_TYPE_NAME},
    {.name = "position", .type = PROTOCOL_TYPE_VEC3, RANGE(-1e6, 1e6, "m")},
    {.name = "rotation", .type = PROTOCOL_TYPE_QUATERNION, RANGE(-1e6, 1e6, NULL)},
    {.name = "params", .type = PROTOCOL_TYPE_TABLE},
    {.name = "node", .type = PROTOCOL_TYPE_STRING, RANGE(1, 32, NULL)},
};
static const ProtocolParam cluster_move[] = {
    CHARACTER,
    {.name = "node", .type = PROTOCOL_TYPE_STRING, .required = true, RANGE(1, 32, NULL)},
};
static const ProtocolParam cluster_drain[] = {
    {.name = "node", .type = PROTOCOL_TYPE_STRING, .required = true, RANGE(1, 32, NULL)},
    FLAG("off", false),
};
static const ProtocolParam character_move[] = {
    CHARACTER,
    {.name = "position", .type = PROTOCOL_TYPE_VEC3, RANGE(-1e6, 1e6, "m")},
    {.name = "rotation", .type = PROTOCOL_TYPE_QUATERNION, RANGE(-1e6, 1e6, NULL)},
    FLAG("teleport", false),
};
static const ProtocolParam character_level[] = {
    CHARACTER,
    {.name = "level", .type = PROTOCOL_TYPE_ENUM, .required = true, .choices = level_names},
};
static const ProtocolParam bone_pose[] = {
    {.name = "rotation", .type = PROTOCOL_TYPE_QUATERNION, RANGE(-1e6, 1e6, NULL)},
    {.name = "position", .type = PROTOCOL_TYPE_VEC3, RANGE(-1e6, 1e6, "m")},
};
static const ProtocolParam character_pose[] = {
    CHARACTER,
    {.name = "bones",
     .type = PROTOCOL_TYPE_MAP,
     .required = true,
     .fields = bone_pose,
     .field_count = COUNT(bone_pose)},
    {.name = "space", .type = PROTOCOL_TYPE_ENUM, .required = true, .choices = pose_space_names},
    {.name = "sequence", .type = PROTOCOL_TYPE_INTEGER, RANGE(0, 9007199254740991, NULL)},
    FLAG("teleport", false),
    FLAG("ignore_unknown", false),
};
static const ProtocolParam character_release[] = {
    CHARACTER,
    {.name = "bones", .type = PROTOCOL_TYPE_NAME_LIST},
};
static const ProtocolParam character_play[] = {
    CHARACTER,
    {.name = "clip", .type = PROTOCOL_TYPE_NAME, .required = true},
    FLAG("loop", false),
    {.name = "speed", .type = PROTOCOL_TYPE_NUMBER, RANGE(-10, 10, NULL), DEFAULT(1)},
    {.name = "fade", .type = PROTOCOL_TYPE_NUMBER, RANGE(0, 10, "s"), DEFAULT(0.2)},
    {.name = "at", .type = PROTOCOL_TYPE_NUMBER, RANGE(0, 86400, "s"), DEFAULT(0)},
    FLAG("in_place", false),
    FLAG("additive", false),
    {.name = "weight", .type = PROTOCOL_TYPE_NUMBER, RANGE(0, 1, NULL), DEFAULT(1)},
};
static const ProtocolParam character_stop[] = {
    CHARACTER,
    {.name = "clip", .type = PROTOCOL_TYPE_NAME},
    {.name = "fade", .type = PROTOCOL_TYPE_NUMBER, RANGE(0, 10, "s"), DEFAULT(0.2)},
};
static const ProtocolParam character_call[] = {
    CHARACTER,
    {.name = "command", .type = PROTOCOL_TYPE_NAME, .required = true},
    {.name = "arguments", .type = PROTOCOL_TYPE_TABLE},
};
static const ProtocolParam seam_set[] = {
    CHARACTER,
    {.name = "seam", .type = PROTOCOL_TYPE_NAME, .required = true},
    {.name = "closed", .type = PROTOCOL_TYPE_BOOL, .required = true},
};
static const ProtocolParam fabric_get[] = {
    {.name = "fabric", .type = PROTOCOL_TYPE_NAME},
    {.name = "character", .type = PROTOCOL_TYPE_NAME},
    {.name = "garment", .type = PROTOCOL_TYPE_NAME},
};
static const ProtocolParam fabric_set[] = {
    {.name = "fabric", .type = PROTOCOL_TYPE_NAME},
    {.name = "character", .type = PROTOCOL_TYPE_NAME},
    {.name = "garment", .type = PROTOCOL_TYPE_NAME},
    {.name = "values", .type = PROTOCOL_TYPE_VALUES, .required = true},
};
static const ProtocolParam fabric_save[] = {
    {.name = "fabric", .type = PROTOCOL_TYPE_NAME},
    {.name = "character", .type = PROTOCOL_TYPE_NAME},
    {.name = "garment", .type = PROTOCOL_TYPE_NAME},
    {.name = "name", .type = PROTOCOL_TYPE_NAME},
};
static const ProtocolParam wind[] = {
    {.name = "velocity", .type = PROTOCOL_TYPE_VEC3, RANGE(-300, 300, "m/s")},
    {.name = "turbulence", .type = PROTOCOL_TYPE_NUMBER, RANGE(0, 2, NULL)},
    {.name = "gust", .type = PROTOCOL_TYPE_NUMBER, RANGE(0, 2, NULL)},
};
static const ProtocolParam world_set[] = {
    {.name = "gravity", .type = PROTOCOL_TYPE_VEC3, RANGE(-300, 300, "m/s^2")},
    {.name = "wind", .type = PROTOCOL_TYPE_OBJECT, .fields = wind, .field_count = COUNT(wind)},
    {.name = "ground", .type = PROTOCOL_TYPE_NUMBER_OR_FALSE, RANGE(-1e6, 1e6, "m")},
};
static const ProtocolParam world_tornado[] = {
    {.name = "name", .type = PROTOCOL_TYPE_NAME, .required = true},
    {.name = "position", .type = PROTOCOL_TYPE_VEC3, .required = true, RANGE(-1e6, 1e6, "m")},
    {.name = "radius", .type = PROTOCOL_TYPE_NUMBER, .required = true, RANGE(0.05, 1000, "m")},
    {.name = "strength", .type = PROTOCOL_TYPE_NUMBER, .required = true, RANGE(-150, 150, "m/s")},
    {.name = "lift", .type = PROTOCOL_TYPE_NUMBER, .required = true, RANGE(-150, 150, "m/s")},
    {.name = "velocity", .type = PROTOCOL_TYPE_VEC3, RANGE(-300, 300, "m/s")},
};
static const ProtocolParam world_calm[] = {{.name = "name", .type = PROTOCOL_TYPE_NAME, .required = true}};
static const ProtocolParam script_reload[] = {
    {.name = "script", .type = PROTOCOL_TYPE_STRING, RANGE(1, 1024, NULL)},
};
static const ProtocolParam simulation_step[] = {
    {.name = "ticks", .type = PROTOCOL_TYPE_INTEGER, .required = true, RANGE(1, 100000, NULL)},
};
static const ProtocolParam stream_subscribe[] = {
    EVERYTHING("characters"),
    EVERYTHING("bones"),
    {.name = "kinds",
     .type = PROTOCOL_TYPE_ENUM_LIST,
     .choices = protocol_bone_kind_names,
     DEFAULT_TEXT(NULL)},
    AXES,
    {.name = "space", .type = PROTOCOL_TYPE_ENUM, .choices = protocol_space_names, DEFAULT_TEXT("world")},
    {.name = "layout", .type = PROTOCOL_TYPE_ENUM, .choices = protocol_layout_names, DEFAULT_TEXT("matrix")},
    {.name = "precision", .type = PROTOCOL_TYPE_INTEGER, RANGE(2, 7, "decimals"), DEFAULT(5)},
    FLAG("particles", false),
    FLAG("references", false),
    FLAG("wrinkles", false),
    {.name = "rate", .type = PROTOCOL_TYPE_NUMBER, RANGE(0.01, 1000, "Hz")},
    {.name = "policy", .type = PROTOCOL_TYPE_ENUM, .choices = protocol_policy_names, DEFAULT_TEXT("latest")},
    FLAG("static", true),
    FLAG("mesh", false),
    FLAG("redirect", false),
};
static const ProtocolParam stream_unsubscribe[] = {
    {.name = "view", .type = PROTOCOL_TYPE_INTEGER, .required = true, RANGE(0, 2147483647, NULL)},
};

const ProtocolMethod protocol_methods[PROTOCOL_METHOD_COUNT] = {
    [PROTOCOL_SESSION_OPEN] = {.name = "session.open",
                               .role = PROTOCOL_ROLE_NONE,
                               .timing = PROTOCOL_AT_ONCE,
                               PARAMS(session_open),
                               .any_time = true,
                               .connection_only = true},
    [PROTOCOL_SESSION_PING] = {QUERY("session.ping"), .any_time = true, .connection_only = true},
    [PROTOCOL_SESSION_LOOK] = {QUERY("session.look"), PARAMS(session_look), .connection_only = true},
    [PROTOCOL_SERVER_DESCRIBE] = {QUERY("server.describe"), PARAMS(server_describe)},
    [PROTOCOL_SERVER_STATS] = {QUERY("server.stats")},
    [PROTOCOL_CHARACTER_LIST] = {QUERY("character.list")},
    [PROTOCOL_CHARACTER_DESCRIBE] = {QUERY("character.describe"), PARAMS(character_describe)},
    [PROTOCOL_CHARACTER_SPAWN] = {COMMAND("character.spawn"), PARAMS(character_spawn), .runs_scripts = true},
    [PROTOCOL_CHARACTER_REMOVE] = {COMMAND("character.remove"), PARAMS(character_only), .runs_scripts = true},
    [PROTOCOL_CHARACTER_RESET] = {COMMAND("character.reset"), PARAMS(character_only), .runs_scripts = true},
    [PROTOCOL_CHARACTER_MOVE] = {COMMAND("character.move"), PARAMS(character_move)},
    [PROTOCOL_CHARACTER_POSE] = {COMMAND("character.pose"), PARAMS(character_pose)},
    [PROTOCOL_CHARACTER_RELEASE] = {COMMAND("character.release"), PARAMS(character_release)},
    [PROTOCOL_CHARACTER_LEVEL] = {COMMAND("character.level"), PARAMS(character_level)},
    [PROTOCOL_CHARACTER_PLAY] = {COMMAND("character.play"), PARAMS(character_play)},
    [PROTOCOL_CHARACTER_STOP] = {COMMAND("character.stop"), PARAMS(character_stop)},
    [PROTOCOL_CHARACTER_CALL] = {COMMAND("character.call"), PARAMS(character_call), .runs_scripts = true},
    [PROTOCOL_SEAM_LIST] = {QUERY("seam.list"), PARAMS(character_only)},
    [PROTOCOL_SEAM_SET] = {COMMAND("seam.set"), PARAMS(seam_set)},
    [PROTOCOL_FABRIC_LIST] = {QUERY("fabric.list")},
    [PROTOCOL_FABRIC_GET] = {QUERY("fabric.get"), PARAMS(fabric_get), .targets_fabric = true},
    [PROTOCOL_FABRIC_SET] = {COMMAND("fabric.set"), PARAMS(fabric_set), .targets_fabric = true},
    [PROTOCOL_FABRIC_EXPORT] = {QUERY("fabric.export"), PARAMS(fabric_get), .targets_fabric = true},
    [PROTOCOL_FABRIC_SAVE] = {COMMAND("fabric.save"), PARAMS(fabric_save), .targets_fabric = true,
                              .connection_only = true},
    [PROTOCOL_WORLD_GET] = {QUERY("world.get")},
    [PROTOCOL_WORLD_SET] = {COMMAND("world.set"), PARAMS(world_set)},
    [PROTOCOL_WORLD_TORNADO] = {COMMAND("world.tornado"), PARAMS(world_tornado)},
    [PROTOCOL_WORLD_CALM] = {COMMAND("world.calm"), PARAMS(world_calm)},
    [PROTOCOL_SIMULATION_PAUSE] = {COMMAND("simulation.pause")},
    [PROTOCOL_SIMULATION_RESUME] = {COMMAND("simulation.resume")},
    [PROTOCOL_SIMULATION_STEP] = {COMMAND("simulation.step"), PARAMS(simulation_step),
                                  .connection_only = true},
    [PROTOCOL_SCRIPT_LIST] = {QUERY("script.list")},
    [PROTOCOL_SCRIPT_RELOAD] = {COMMAND("script.reload"), PARAMS(script_reload), .connection_only = true,
                                .exclusive = true},
    [PROTOCOL_CLUSTER_MOVE] = {COMMAND("cluster.move"), PARAMS(cluster_move), .connection_only = true},
    [PROTOCOL_CLUSTER_DRAIN] = {COMMAND("cluster.drain"), PARAMS(cluster_drain), .connection_only = true},
    [PROTOCOL_STREAM_SUBSCRIBE] = {QUERY("stream.subscribe"), PARAMS(stream_subscribe),
                                   .connection_only = true},
    [PROTOCOL_STREAM_UNSUBSCRIBE] = {QUERY("stream.unsubscribe"), PARAMS(stream_unsubscribe),
                                     .connection_only = true},
};

const char *protocol_role_name(ProtocolRole role) {
    return role == PROTOCOL_ROLE_NONE ? "none" : role_names[role];
}

const ProtocolMethod *protocol_find_method(const char *name, ProtocolError *out_error) {
    const char *names[PROTOCOL_METHOD_COUNT];
    for (size_t i = 0; i < PROTOCOL_METHOD_COUNT; i++) {
        if (strcmp(protocol_methods[i].name, name) == 0) return &protocol_methods[i];
        names[i] = protocol_methods[i].name;
    }
    const TextNearest nearest = text_nearest_of(name, names, PROTOCOL_METHOD_COUNT);
    char hint[TEXT_HINT_SIZE];
    text_nearest_hint(&nearest, hint, sizeof hint);
    TextBuffer quoted = {0};
    text_buffer_append_excerpt(&quoted, name);
    protocol_error_set(out_error, PROTOCOL_UNKNOWN_METHOD, "method", "no method %s%s",
                       text_buffer_string(&quoted), hint);
    text_buffer_finish(&quoted);
    return NULL;
}
