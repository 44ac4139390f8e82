// A view: the characters, bones and data that a subscription streams, and their form. Equal views share one
// id and one encoding on the server.
#pragma once

#include "protocol/axes.h"
#include "protocol/methods.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ProtocolBoneKind {
    PROTOCOL_BONE_SKELETON,
    PROTOCOL_BONE_DRIVEN, // by aim, slide, position or twist
    PROTOCOL_BONE_CLOTH,
    PROTOCOL_BONE_PENDULUM,
    PROTOCOL_BONE_CHAIN,
    PROTOCOL_BONE_KIND_COUNT
} ProtocolBoneKind;

typedef enum ProtocolSpace {
    PROTOCOL_SPACE_WORLD,
    PROTOCOL_SPACE_MODEL,
    PROTOCOL_SPACE_PARENT
} ProtocolSpace;
typedef enum ProtocolLayout { PROTOCOL_LAYOUT_MATRIX, PROTOCOL_LAYOUT_TRS } ProtocolLayout;
typedef enum ProtocolPolicy { PROTOCOL_POLICY_LATEST, PROTOCOL_POLICY_QUEUE } ProtocolPolicy;

// The names on the wire, in the order of the enumerations, NULL-terminated.
extern const char *const protocol_bone_kind_names[];
extern const char *const protocol_space_names[];
extern const char *const protocol_layout_names[];
extern const char *const protocol_policy_names[];

// Names and globs, sorted and unique; only "*" where that is one of them. One allocation, owned by the view.
typedef struct ProtocolPatterns {
    char (*entries)[TEXT_NAME_BYTES + 1]; // [count], NUL-terminated
    size_t count;
} ProtocolPatterns;

typedef struct ProtocolView {
    ProtocolPatterns characters;
    ProtocolPatterns bones;
    uint32_t kinds; // bit 1 << ProtocolBoneKind
    ProtocolAxes axes;
    ProtocolSpace space;
    ProtocolLayout layout;
    int precision; // decimals, 2 to 7
    bool particles;
    bool references;
    bool wrinkles;
} ProtocolView;

// The options of one connection's subscription, which are not part of the view.
typedef struct ProtocolSubscription {
    double rate; // Hz; 0 = every tick
    ProtocolPolicy policy;
    bool static_data; // `static`: descriptions with stream.static
    bool mesh;
    bool redirect; // in a cluster: only what the server itself simulates
} ProtocolSubscription;

// Reads validated params of stream.subscribe. Returns false when memory runs out (-32603); there is nothing
// to finish then.
bool protocol_view_read(const cJSON *params, ProtocolView *out_view, ProtocolSubscription *out_subscription,
                        ProtocolError *out_error);
void protocol_view_finish(ProtocolView *view);

// Whether two views show the same. The order and repetition of list entries do not matter.
bool protocol_view_equal(const ProtocolView *a, const ProtocolView *b);

bool protocol_view_has_character(const ProtocolView *view, const char *name);
bool protocol_view_has_bone(const ProtocolView *view, const char *name, ProtocolBoneKind kind);

// Whether a subscription with this rate gets this tick: floor(tick * rate / tick_rate) has grown in the last
// `interval` ticks, which is how long ago there could be a frame last. Tick 0 always is due.
bool protocol_rate_is_due(double rate, uint64_t tick, uint64_t interval, double tick_rate);
