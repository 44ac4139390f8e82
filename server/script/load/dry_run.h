// Running a scene's callbacks once, for `tweed check`.
#pragma once

#include "script/scene.h"

// Spawns the scene's characters in the host's world, calls on_spawn, on_start and one tick, and takes them
// away again. What the scripts raise is added to the findings. Nothing is asked of any application.
void script_dry_run(ScriptHost *host, ScriptScene *scene, ScriptFindings *findings);
