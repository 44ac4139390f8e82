// A scene: the environment, and who is in it.
#pragma once

#include "script/host.h"

typedef struct ScriptScene ScriptScene;

typedef struct ScriptCamera {
    const char *target; // a spawn's name, "" where none is named
    float distance;     // m; 0 where it is left to the viewer
    float height;       // m above the target's root; 0 where it is left to the viewer
} ScriptCamera;

typedef struct ScriptSceneInfo {
    const char *name;   // the file's own name: "wake"
    const char *script; // "scenes/wake", or of the character's file
    SimEnvironment environment;
    const ScriptSpawn *spawns; // [spawn_count]
    int spawn_count;
    bool has_camera;
    ScriptCamera camera;
} ScriptSceneInfo;

// Loads a scene's file, or a character's file as a scene of one. Fabrics below fabrics/ beside the file join
// the others; scripts are from now on sought below the file's folder first. The characters of the spawn list
// are loaded as well, so that all mistakes are told at once.
// NULL, with the findings, if anything is wrong. Findings are added to.
ScriptScene *script_scene_load(ScriptHost *host, const char *path, ScriptFindings *findings);
void script_scene_destroy(ScriptScene *scene);

// Lives as long as the scene.
const ScriptSceneInfo *script_scene_info(const ScriptScene *scene);

// Calls on_start, if it has one; once the scene's characters are spawned. False with the error.
bool script_scene_start(ScriptScene *scene, ScriptError *out_error);

// In a tick, after script_host_deliver_events: what on_start listens to. Errors go to the callback `failed`.
void script_scene_tick(ScriptScene *scene);
