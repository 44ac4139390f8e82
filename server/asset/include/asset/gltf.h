// Writes what characters did as a glTF 2.0 binary file (.glb), which editors, engines and browsers open:
// bones as nodes, skinned meshes with materials, and one animation a character.
//
// A character is a node, which moves in the world; below it its bones, each in its parent's space. Names are
// the character's own; with several characters, bones and the nodes of meshes are named CHARACTER:NAME.
// Characters of one rig share their meshes.
#pragma once

#include <sim/rig.h>
#include <text/buffer.h>

// A character, from one frame on. Bones, their inverse bind matrices and meshes are those of its rig.
typedef struct AssetTake {
    const char *name;
    const SimRigInfo *rig;
    int first_frame;                // of the shot
    int frame_count;                // 1 at least
    const SimTransform *transforms; // [frame_count][1 + bone_count] of the root in the world, then of each
                                    // bone in its parent's space; a bone without parent in the root's
} AssetTake;

typedef struct AssetShot {
    const AssetTake *takes; // [take_count]
    int take_count;
    double rate; // Hz, > 0: frame i is at i / rate seconds
    bool with_meshes;
    // Keys are left out as long as, in each frame, no bone's origin is further from its place in the world
    // than position_error, and no bone is turned further than rotation_error. 0: none is left out unless
    // nothing changes.
    double position_error; // m, >= 0
    double rotation_error; // radians, >= 0
} AssetShot;

typedef struct AssetShotInfo {
    int meshes, vertices; // in the file
    size_t keys;          // of all curves, and
    size_t samples;       // those that there would be with one a frame
} AssetShotInfo;

// Appends the file's bytes. The same shot gives the same bytes. Returns false when memory runs out, or the
// file would be larger than the 4 GiB that the format allows (out_text->failed is false then).
bool asset_gltf_write(const AssetShot *shot, TextBuffer *out_text, AssetShotInfo *out_info);
