// A character's render meshes, skinned to its bones.
#pragma once

#include "asset/gltf.h"
#include "gltf/document.h"

// Appends the take's skin, whose root and bones are the nodes from first_node on, and returns its index.
int asset_gltf_add_skin(AssetGltf *document, const AssetTake *take, int first_node);

// Appends a mesh with its material.
void asset_gltf_add_mesh(AssetGltf *document, const SimRenderMesh *mesh);
