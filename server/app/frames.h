// One character at the newest tick, as a view shows it.
#pragma once

#include "views.h"

typedef struct AppFrameRequest {
    int id; // of the view
    const ProtocolView *view;
    const size_t *bones; // [bone_count] indices into the rig's
    size_t bone_count;
} AppFrameRequest;

// Appends the line to scratch->text. Between ticks only. False: out of memory.
bool app_frame_write(AppScratch *scratch, const AppFleet *fleet, const AppCharacter *character,
                     const AppFrameRequest *request);
