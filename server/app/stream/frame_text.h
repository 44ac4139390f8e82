// The text of a frame: bones and points are converted from the world to the view's space here; protocol does
// axes, layout and text.
#pragma once

#include "characters/characters.h"

#include <cglm/cglm.h>
#include <protocol/frame.h>
#include <protocol/view.h>

// Which bones of a rig the view shows.
typedef struct AppSelection {
    SimRigId rig;
    size_t *bones; // [count]
    size_t count;
} AppSelection;

// Room for what is computed on the way to a frame; grows to what the largest character takes. Of one thread.
typedef struct AppScratch {
    TextBuffer text;
    float *floats;
    size_t float_count;
    ProtocolPoints *points;
    size_t point_count;
    ProtocolWrinkles *wrinkles;
    size_t wrinkle_count;
} AppScratch;

// All zero is empty.
void app_scratch_finish(AppScratch *scratch);

typedef struct AppFrameSource {
    const AppCharacters *characters;
    const AppCharacter *character;
    const ProtocolView *view;
    int view_id;
    AppSelection selection;
    const char *last_body; // [last_body_length] of the frame before; 0: none
    size_t last_body_length;
    uint64_t last_tick; // of that frame
} AppFrameSource;

// Writes the newest tick's frame into scratch->text. The last body is reused where the character has not
// moved since, as when it sleeps. Returns the offset of the body, which does not depend on the tick; 0: out
// of memory. By any thread while nothing changes the world.
size_t app_frame_write(AppScratch *scratch, const AppFrameSource *source);
// Whether the frame has the last body, so that its memory must outlast the writing.
bool app_frame_repeats(const AppFrameSource *source);

// Where the bones of one character are.
typedef struct AppSkeleton {
    const SimRigInfo *rig;
    const mat4 *model; // [rig->bone_count]
    mat4 root;         // model to world
} AppSkeleton;

void app_skeleton_init(AppSkeleton *skeleton, const AppCharacters *characters, const AppCharacter *character);
// In that space, canonical axes. The parent space of a bone without a parent is the model's.
void app_skeleton_place(AppSkeleton *skeleton, ProtocolSpace space, size_t bone, float out_matrix[16]);
