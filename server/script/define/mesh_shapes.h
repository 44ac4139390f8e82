// Ellipsoids, spheres and capsules in model space, from colliders as scripts write them.
#pragma once

#include "define/skeleton.h"
#include "schema/schema.h"

#include <asset/surface.h>

// The field that reads a list of them: a ScriptList of ScriptItem.
extern const ScriptSchemaField script_mesh_shape_element;

// The shapes where the skeleton's rest pose carries them, [list->count]. NULL with findings at the current
// path if one is broken or its bone is unknown.
AssetShape *script_mesh_shapes(ScriptReader *reader, const ScriptList *list, const ScriptSkeleton *skeleton);

// The index of a skeleton's bone; -1 with a finding at the current path.
int script_mesh_find_bone(ScriptReader *reader, const ScriptSkeleton *skeleton, const char *name);
