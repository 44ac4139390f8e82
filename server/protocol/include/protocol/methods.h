// The methods of the protocol and their parameters: one table for validation and defaults, which a test
// compares with openrpc.json.
#pragma once

#include "protocol/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/glob.h>

enum {
    PROTOCOL_MAX_PATTERNS = 256 // entries in a list of names or patterns
};

// A role includes the roles before it.
typedef enum ProtocolRole {
    PROTOCOL_ROLE_NONE = -1, // the connection must first show a token
    PROTOCOL_ROLE_OBSERVER,
    PROTOCOL_ROLE_OPERATOR
} ProtocolRole;

// "none", "observer" or "operator".
const char *protocol_role_name(ProtocolRole role);

// When a request takes effect.
typedef enum ProtocolTiming {
    PROTOCOL_AT_ONCE, // a query, or about the connection itself: answered between ticks
    PROTOCOL_COMMAND, // at the start of the next tick, in order of arrival; at once while paused
} ProtocolTiming;

typedef enum ProtocolType {
    PROTOCOL_TYPE_NAME,   // 1 to 64 bytes without * ? [
    PROTOCOL_TYPE_STRING, // minimum to maximum bytes
    PROTOCOL_TYPE_BOOL,
    PROTOCOL_TYPE_INTEGER,         // minimum to maximum
    PROTOCOL_TYPE_NUMBER,          // minimum to maximum; any finite number where these are equal
    PROTOCOL_TYPE_NUMBER_OR_FALSE, // likewise, or false
    PROTOCOL_TYPE_VEC3,            // three numbers, each minimum to maximum
    PROTOCOL_TYPE_QUATERNION,      // [x,y,z,w], each minimum to maximum, length at least 1e-3
    PROTOCOL_TYPE_ENUM,            // one of `choices`
    PROTOCOL_TYPE_ENUM_LIST,       // any of `choices`
    PROTOCOL_TYPE_PATTERN,         // a name, or a glob with * ? [abc] [a-z] [!a-z]
    PROTOCOL_TYPE_PATTERN_LIST,    // at most 256 of these
    PROTOCOL_TYPE_NAME_LIST,       // at most 256 names
    PROTOCOL_TYPE_OBJECT,          // an object with `fields`
    PROTOCOL_TYPE_MAP,             // {NAME: an object with `fields`}
    PROTOCOL_TYPE_VALUES,          // {KEY: number, GROUP: {KEY: number}}
    PROTOCOL_TYPE_TABLE,           // any object or array, all numbers in it finite
} ProtocolType;

typedef struct ProtocolParam {
    const char *name;
    ProtocolType type;
    bool required;
    bool secret;                // errors do not quote the value
    double minimum, maximum;    // inclusive, where the type says so
    const char *unit;           // as "m/s"; NULL = a plain number
    const char *const *choices; // NULL-terminated
    const struct ProtocolParam *fields;
    size_t field_count;
    bool has_default;
    double default_number;    // of numbers, integers and bools (0 or 1)
    const char *default_text; // of strings, names and enums; of a list its only entry, or NULL: all choices
} ProtocolParam;

typedef enum ProtocolMethodId {
    PROTOCOL_SESSION_OPEN,
    PROTOCOL_SESSION_PING,
    PROTOCOL_SESSION_LOOK,
    PROTOCOL_SERVER_DESCRIBE,
    PROTOCOL_SERVER_STATS,
    PROTOCOL_CHARACTER_LIST,
    PROTOCOL_CHARACTER_DESCRIBE,
    PROTOCOL_CHARACTER_SPAWN,
    PROTOCOL_CHARACTER_REMOVE,
    PROTOCOL_CHARACTER_RESET,
    PROTOCOL_CHARACTER_MOVE,
    PROTOCOL_CHARACTER_POSE,
    PROTOCOL_CHARACTER_RELEASE,
    PROTOCOL_CHARACTER_LEVEL,
    PROTOCOL_CHARACTER_PLAY,
    PROTOCOL_CHARACTER_STOP,
    PROTOCOL_CHARACTER_CALL,
    PROTOCOL_SEAM_LIST,
    PROTOCOL_SEAM_SET,
    PROTOCOL_FABRIC_LIST,
    PROTOCOL_FABRIC_GET,
    PROTOCOL_FABRIC_SET,
    PROTOCOL_FABRIC_EXPORT,
    PROTOCOL_FABRIC_SAVE,
    PROTOCOL_WORLD_GET,
    PROTOCOL_WORLD_SET,
    PROTOCOL_WORLD_TORNADO,
    PROTOCOL_WORLD_CALM,
    PROTOCOL_SIMULATION_PAUSE,
    PROTOCOL_SIMULATION_RESUME,
    PROTOCOL_SIMULATION_STEP,
    PROTOCOL_SCRIPT_LIST,
    PROTOCOL_SCRIPT_RELOAD,
    PROTOCOL_CLUSTER_MOVE,
    PROTOCOL_CLUSTER_DRAIN,
    PROTOCOL_STREAM_SUBSCRIBE,
    PROTOCOL_STREAM_UNSUBSCRIBE,
    PROTOCOL_METHOD_COUNT
} ProtocolMethodId;

// A method, without its handler. A layer that handles methods keeps its own table, indexed by
// ProtocolMethodId.
typedef struct ProtocolMethod {
    const char *name;
    ProtocolRole role; // the least that may call it; session.open needs none
    ProtocolTiming timing;
    const ProtocolParam *params;
    size_t param_count;
    bool targets_fabric;  // takes either `fabric`, or `character` and `garment`
    bool any_time;        // does not read the world: may be answered while a tick runs
    bool runs_scripts;    // calls into scripts: a script's own request for it waits until no script runs
    bool connection_only; // about a connection, its requests or files: refused to scripts
    bool exclusive;       // waits while another request for it is in progress
} ProtocolMethod;

// Every method, in the order of openrpc.json. A test checks each row against that file.
extern const ProtocolMethod protocol_methods[PROTOCOL_METHOD_COUNT];

// The index of a row in protocol_methods.
static inline ProtocolMethodId protocol_method_id(const ProtocolMethod *method) {
    return (ProtocolMethodId)(method - protocol_methods);
}

// NULL with error -32601 (and the nearest name) when there is none.
const ProtocolMethod *protocol_find_method(const char *name, ProtocolError *out_error);

// Checks `params` (NULL = {}) against the method's table. On false *out_error is -32602, its path the
// offending field and its message what was expected, with range and unit, and what was found.
bool protocol_validate_params(const ProtocolMethod *method, const cJSON *params, ProtocolError *out_error);

// The same for the fields of an object at `path`, "params.values", where the table is made at run time.
bool protocol_validate_fields(const ProtocolParam *table, size_t count, const cJSON *object, const char *path,
                              ProtocolError *out_error);

// The params of a request that passed validation, or the fields of an object in them. Pass it by value: it
// owns nothing.
typedef struct ProtocolParams {
    const ProtocolParam *table;
    size_t table_count;
    const cJSON *object; // NULL = {}
} ProtocolParams;

ProtocolParams protocol_params(const ProtocolMethod *method, const cJSON *params);

// Whether the client gave it. Here and below, a name that the table does not have fails an assert.
bool protocol_param_given(ProtocolParams params, const char *name);

// The value given, or the table's default; with neither false, 0 or NULL.
bool protocol_param_bool(ProtocolParams params, const char *name);
int64_t protocol_param_integer(ProtocolParams params, const char *name);
double protocol_param_number(ProtocolParams params, const char *name);
const char *protocol_param_string(ProtocolParams params, const char *name); // names, strings and enums

// The index into the enum's choices, which is the value of the C enumeration of that name; -1 with neither.
int protocol_param_choice(ProtocolParams params, const char *name);

// False (and `out` untouched) when not given. Quaternions come out with length 1.
bool protocol_param_vec3(ProtocolParams params, const char *name, float out[3]);
bool protocol_param_quaternion(ProtocolParams params, const char *name, float out[4]);

// A number or false: returns false (and 0) where the value is false or was not given.
bool protocol_param_number_or_false(ProtocolParams params, const char *name, double *out_number);

// The fields of an object parameter; of none when it was not given.
ProtocolParams protocol_param_fields(ProtocolParams params, const char *name);

// The fields of one entry of a map.
ProtocolParams protocol_param_entry(ProtocolParams params, const char *name, const cJSON *entry);

// The JSON itself (lists, maps, values, tables); NULL when not given. Belongs to the request.
const cJSON *protocol_param_json(ProtocolParams params, const char *name);
