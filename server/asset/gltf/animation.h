// A character's motion as curves of few keys.
#pragma once

#include "asset/gltf.h"
#include "gltf/document.h"

// Appends the animation of a take whose root and bones are the nodes from first_node on.
void asset_gltf_add_animation(AssetGltf *document, const AssetShot *shot, const AssetTake *take,
                              int first_node, AssetShotInfo *info);
