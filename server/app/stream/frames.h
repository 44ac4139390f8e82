// The frame of one character at the newest tick, in the space and with the bones of a view.
#pragma once

#include "stream/views.h"

#include <cglm/cglm.h>

typedef struct AppFrameRequest {
    int id; // of the view
    const ProtocolView *view;
    const size_t *bones; // [bone_count] indices into the rig's
    size_t bone_count;
} AppFrameRequest;

// Writes the line's head, which depends on the tick, and its body. Both append to scratch->text.
// Between ticks only. False: out of memory.
bool app_frame_write_head(AppScratch *scratch, const AppCharacters *characters, const AppCharacter *character,
                          const AppFrameRequest *request);
bool app_frame_write_body(AppScratch *scratch, const AppCharacters *characters, const AppCharacter *character,
                          const AppFrameRequest *request);

// Where the bones of one character are.
typedef struct AppSkeleton {
    const SimRigInfo *rig;
    const mat4 *model; // [rig->bone_count]
    mat4 root;         // model to world
} AppSkeleton;

void app_skeleton_init(AppSkeleton *skeleton, const AppCharacters *characters, const AppCharacter *character);
// In that space, canonical axes. The parent space of a bone without a parent is the model's.
void app_skeleton_place(AppSkeleton *skeleton, ProtocolSpace space, size_t bone, float out_matrix[16]);
