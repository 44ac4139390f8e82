// Loads skeletons and motion from a file (BVH, glTF, FBX, X, …) and converts them for sim.
//
// - Units are metres, +Y is up, and the facing is the file's (BVH and glTF face +Z).
// - Without a skin in the file, the rest pose is moved so that its lowest point (a bone or the end of one) is
//   a sole's thickness, 2 % of its height, above y = 0. Each clip is moved likewise by its lowest recurring
//   point (the fifth percentile over its frames), if that is a matter of centimetres.
// - The ground track of the bone that carries the motion (the hips) becomes the clip's root track; height,
//   lean and the other motion stay in the bone.
// - Neighbouring rotations never differ in sign only. Animated scaling is dropped.
//
// A loaded file is immutable: several threads may read it. Load one file at a time in a process.
#pragma once

#include "asset/find.h"
#include "asset/import.h"
#include "sim/rig.h"

typedef struct AssetFile AssetFile;

typedef struct AssetLoad {
    // Metres per unit of the file, at most 1000; 0 (default): glTF is metres, FBX says its unit, and others
    // are read as whichever of metre, CMU's 0.056444 m, inch, centimetre and millimetre makes the rest pose 1
    // to 2.5 m high and nearest to 1.75 m; 1 where none does.
    float scale;
} AssetLoad;

// path: from asset_find. load: NULL for all defaults. limits: NULL: this process reads it. Returns NULL and
// an error that names the file if it is not readable, has an unknown format, has no bones or is broken.
AssetFile *asset_file_load(const char *path, const AssetLoad *load, AssetImport *limits,
                           AssetError *out_error);
void asset_file_destroy(AssetFile *file);

const char *asset_file_path(const AssetFile *file);
float asset_file_height(const AssetFile *file); // m, of the rest pose, ends of bones included
float asset_file_scale(const AssetFile *file);  // metres per unit of the file, as it was read

// Parents first; names, rest pose in the parent's space, inverse bind matrices where the file has skinned
// meshes. End sites are not bones. Pointers live as long as the file.
const SimBoneDef *asset_file_bones(const AssetFile *file, int *out_count);

// The end of a leaf bone (BVH: its end site), in the bone's space, m. False where the file has none for it.
bool asset_file_bone_end(const AssetFile *file, int bone, float out_end[3]);

// The file's skinned meshes, in model space at the bind pose. Joints index the file's bones; those that are
// no bones give their weight to the nearest bone above. Colours are the file's, uvs are in the texture's
// units.
const SimRenderMesh *asset_file_meshes(const AssetFile *file, int *out_count);

typedef struct AssetClipInfo {
    const char *name; // as in the file; may be ""
    float rate;       // frames per second
    int frame_count;
    float first;     // s: where the motion begins; later than 0 where frame 0 is a calibration pose
    float duration;  // s: where it ends, (frame_count - 1) / rate
    bool moves_root; // its way over the ground is the root's track
} AssetClipInfo;

int asset_file_clip_count(const AssetFile *file);
AssetClipInfo asset_file_clip_info(const AssetFile *file, int clip);

typedef struct AssetCut {
    float from; // s in the file's time; negative (default): the motion's first frame
    float to;   // s in the file's time; negative (default): its last frame
} AssetCut;

// A clip that owns its memory, in SimClipDef's layout; the bones are those of asset_file_bones.
typedef struct AssetClip {
    float rate;            // frames per second, that of the file
    int frame_count;       // 1 at least
    int bone_count;        // as of the file
    versor *rotations;     // [frame_count][bone_count] in the parent's space
    float (*positions)[3]; // [frame_count][bone_count] in the parent's space, m; NULL: as at rest
    float (*root)[3]; // [frame_count] x, z (m), heading (radians about +Y, unwrapped); frame 0 is 0, 0, 0.
                      // NULL: the root stays where it is
} AssetClip;

// Cuts a clip out of a clip of the file; times are rounded to the nearest frame. clip_index: below the clip
// count. Returns false and an error if the cut is outside of the motion or empty, or memory runs out.
bool asset_clip_init(AssetClip *clip, const AssetFile *file, int clip_index, const AssetCut *cut,
                     AssetError *out_error);
void asset_clip_finish(AssetClip *clip);
