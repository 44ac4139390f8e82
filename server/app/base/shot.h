// A shot that is baked: what each character did, frame by frame, and the file that it is written to.
#pragma once

#include "base/log.h"
#include "base/options.h"

#include <asset/gltf.h>

#define APP_EXIT_SHOT_FILE 4 // the exit status where the file cannot be written

// A character's frames. Set the take's name, rig and first frame; the rest is added.
typedef struct AppTrack {
    AssetTake take;
    SimTransform *transforms; // [capacity][1 + bone_count]
    int capacity;             // frames
} AppTrack;

// Appends a frame: the root in the world, and the bones in model space or each in its parent's. Returns false
// when memory runs out.
bool app_track_add(AppTrack *track, const SimTransform *root, const mat4 *bones, bool in_parent_space);
// Appends frames that lead evenly from the last one to the next one added, `count` of them.
bool app_track_bridge(AppTrack *track, int count, const SimTransform *root, const mat4 *bones,
                      bool in_parent_space);
void app_track_finish(AppTrack *track);

// Finds what `named` leads to, so that a link is followed and its file replaced. NULL: it cannot be written,
// which the log tells. Free the path.
char *app_shot_find_file(const char *named, AppLog *log);

// Writes the file in one go and prints what is in it. takes: [take_count], 0: an error. Returns the exit
// status of the process.
int app_shot_write(const char *path, const AssetTake *takes, size_t take_count, int frame_count, double rate,
                   const AppOptions *options, AppLog *log);

// Tells why nothing was baked. Returns the exit status.
int app_shot_fail(AppLog *log, const char *message);
