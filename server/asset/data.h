// What a loaded file is inside: the skeleton and the motions as sim wants them, no trace of the importer.
#pragma once

#include "asset/file.h"

// A foot's bones end above its sole: by this share of the height.
#define ASSET_SOLE_SHARE 0.02f
// No place in a file is farther, m, as in a pose of sim's: what lies there overflows when it is moved or
// turned.
#define ASSET_FARTHEST 1e9f

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
    SimBoneDef *bones; // names are on the heap
    int bone_count;
    float (*ends)[3]; // [bone_count] in the bone's space
    bool *has_end;    // [bone_count]
    AssetMotion *motions;
    int motion_count;
};

// motion.c: puts a motion right whose rotations and positions are as in the file, in metres: drops a
// calibration pose, sets it down on the ground, takes the ground track out of the bone that carries it and
// gives neighbouring rotations one sign. False, with the error, for want of memory, or for values that are no
// numbers or too far.
bool asset_motion_normalize(const AssetFile *file, AssetMotion *motion, AssetError *out_error);

// file.c
void asset_motion_finish(AssetMotion *motion);
// Fills the error as printf does, cut to its size; always false. error may be NULL.
bool asset_fail(AssetError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// pose.c: whether a place is finite and near enough to reckon with.
bool asset_is_near(const float *position);
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
