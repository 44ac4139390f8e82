// One character at the newest tick, as a view shows it.
#pragma once

#include "views.h"

typedef struct AppFrameRequest {
    int id; // of the view
    const ProtocolView *view;
    const size_t *bones; // [bone_count] indices into the rig's
    size_t bone_count;
} AppFrameRequest;

// The line's beginning, which is different in each tick, and the rest of it. Both append to scratch->text.
// Between ticks only. False: out of memory.
bool app_frame_write_head(AppScratch *scratch, const AppFleet *fleet, const AppCharacter *character,
                          const AppFrameRequest *request);
bool app_frame_write_body(AppScratch *scratch, const AppFleet *fleet, const AppCharacter *character,
                          const AppFrameRequest *request);
