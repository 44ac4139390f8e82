// A loaded file: the skeleton and the motions in sim's types, independent of the importer.
#pragma once

#include "asset/file.h"

// The bones of a foot end above its sole by this share of the height.
#define ASSET_SOLE_SHARE 0.02f
// The farthest position in a file, m, as in sim's poses: one beyond overflows when it is moved or turned.
#define ASSET_FARTHEST         1e9f
#define ASSET_MOST_BONE_FRAMES 10000000 // in the clips of a file: 280 MB

// A whole clip of the file, before cutting.
typedef struct AssetMotion {
    char *name;
    float rate;            // frames per second
    int first_frame;       // 1 after a calibration pose
    int frame_count;       // frame_count * bone_count fits an int
    versor *rotations;     // [frame_count][bone_count] in the parent's space
    float (*positions)[3]; // [frame_count][bone_count] in the parent's space, m; NULL: all as at rest
    float (*root)[3];      // [frame_count] x, z, heading of the root, or NULL
} AssetMotion;

struct AssetFile {
    char *path;
    float scale;
    float height;
    bool is_skinned;
    mat4 bind_place;   // of skinned meshes, from where the scene has them to model space, in the file's units
    SimBoneDef *bones; // names are on the heap
    int bone_count;
    float (*ends)[3];      // [bone_count] in the bone's space
    bool *has_end;         // [bone_count]
    SimRenderMesh *meshes; // all of theirs on the heap; joints index the bones
    int mesh_count;
    AssetMotion *motions;
    int motion_count;
};

// motion.c: normalizes a motion with rotations and positions as in the file, in metres. Drops a calibration
// pose, sets the motion down on the ground, moves the ground track from the bone that carries it to `root`,
// and gives neighbouring rotations one sign. Returns false and the error if memory runs out or a value is not
// finite or too large.
bool asset_motion_normalize(const AssetFile *file, AssetMotion *motion, AssetError *out_error);

// file.c: fills the error as printf does, cut to its size; always false. error may be NULL.
bool asset_fail(AssetError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// pose.c: whether a position is finite and at most ASSET_FARTHEST.
bool asset_is_in_range(const float *position);
// The model-space pose of all bones from local ones; in and out [bone_count].
void asset_pose_model(const AssetFile *file, versor *rotations, float (*positions)[3],
                      SimTransform *out_pose_model);
// The pose of the bones at rest.
void asset_rest_model(const AssetFile *file, SimTransform *out_pose_model);
// Height of the lowest point of a pose, bones and their ends, m; and of the highest.
float asset_pose_lowest(const AssetFile *file, const SimTransform *pose_model);
float asset_pose_highest(const AssetFile *file, const SimTransform *pose_model);

// A child's placement in the space that its parent's is given in.
SimTransform asset_compose(const SimTransform *parent, const float *position, const float *rotation);
// A child in its parent's space: the reverse of asset_compose.
SimTransform asset_relative(const SimTransform *parent, const SimTransform *child);
// Rotation and place of a matrix without its scaling (a mirrored one is unmirrored along x).
SimTransform asset_rigid(mat4 matrix);
