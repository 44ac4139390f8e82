// Reads back what static.h and frame.h write, as a recording holds it: into canonical axes and metres.
//
// Functions return false with an error whose path and text begin with the member, such as
// "bones[3].rest: expected 16 numbers". What they read outlives the JSON.
#pragma once

#include "protocol/error.h"
#include "protocol/frame.h"
#include "protocol/static.h"

#include <cjson/cJSON.h>

typedef struct ProtocolMemory ProtocolMemory;

typedef struct ProtocolDescription {
    ProtocolCharacter character;
    const ProtocolMesh *meshes;        // [mesh_count]; 0 without mesh:true
    const ProtocolMaterial *materials; // [mesh_count]
    size_t mesh_count;
    ProtocolMemory *memory;
} ProtocolDescription;

// Reads `description` of stream.static, or the result of character.describe. Finish it if that succeeds.
bool protocol_read_description(const cJSON *json, ProtocolAxes axes, ProtocolDescription *out_description,
                               ProtocolError *out_error);
void protocol_description_finish(ProtocolDescription *description);

// Reads `bones` of stream.frame in the view's layout and axes: in the view's space.
bool protocol_read_frame_bones(const cJSON *params, const ProtocolView *view, size_t bone_count,
                               float (*out_bones)[16], ProtocolError *out_error);

typedef struct ProtocolRecordedFrame {
    ProtocolFrame frame; // without view and tick_rate; all bones, and particles, references and wrinkles
                         // where it has them
    float (*bones)[16];  // of `frame`
    ProtocolMemory *memory;
} ProtocolRecordedFrame;

// Reads params of stream.frame: positions in the view's space. Finish it if that succeeds.
bool protocol_read_frame(const cJSON *params, const ProtocolView *view, size_t bone_count,
                         ProtocolRecordedFrame *out_frame, ProtocolError *out_error);
void protocol_recorded_frame_finish(ProtocolRecordedFrame *frame);
