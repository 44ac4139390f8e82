// A scene: the environment, and the characters in it.
#pragma once

#include "script/host.h"

typedef struct ScriptScene ScriptScene;

typedef struct ScriptCamera {
    const char *target; // the name of a spawn, or ""
    float distance;     // m; 0: the viewer's choice
    float height;       // m above the target's root; 0: the viewer's choice
} ScriptCamera;

// Distances from which on less of a character's cloth is simulated, m; 0: never.
typedef struct ScriptLevels {
    float reduced, skinned;
} ScriptLevels;

typedef struct ScriptSceneInfo {
    const char *name;   // the file's own name: "wake"
    const char *script; // "scenes/wake", or the character's script
    SimEnvironment environment;
    const ScriptSpawn *spawns; // [spawn_count]
    int spawn_count;
    bool has_camera;
    ScriptCamera camera;
    ScriptLevels levels;
} ScriptSceneInfo;

// Loads a scene's file, or a character's file as a scene of one character. Adds the fabrics in fabrics/
// beside the file; from now on scripts are searched below the file's folder first. Loads the characters of
// the spawn list, too, so that all errors are reported at once. NULL if there are errors; they are added to
// the findings.
ScriptScene *script_scene_load(ScriptHost *host, const char *path, ScriptFindings *findings);
void script_scene_destroy(ScriptScene *scene);

// Valid as long as the scene.
const ScriptSceneInfo *script_scene_info(const ScriptScene *scene);

// Calls on_start, if any. Call when the scene's characters are spawned. False with the error.
bool script_scene_start(ScriptScene *scene, ScriptError *out_error);

// Call in a tick, after script_host_deliver_events: calls the scene's listeners. Errors go to the callback
// `failed`.
void script_scene_tick(ScriptScene *scene);
