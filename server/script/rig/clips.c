// Clips: motions laid out bone by bone for the character's skeleton.
#include "define/clip.h"
#include "rig/build.h"

#include <cglm/quat.h>
#include <math.h>
#include <string.h>

static void lay_out_motion(ScriptRigBuild *build, const ScriptClip *clip, SimClipDef *out);
static bool fill_rest(ScriptRigBuild *build, int frame_count, bool with_positions, versor **out_rotations,
                      float (**out_positions)[3]);
static void lay_out_tracks(ScriptRigBuild *build, const ScriptClip *clip, SimClipDef *out);
static void lay_out_track(const ScriptClip *clip, const ScriptTrack *track, int bone, int bone_count,
                          versor *rotations, float (*positions)[3]);

void script_build_clips(ScriptRigBuild *build) {
    const ScriptList *list = &build->def->clips;
    const ScriptClip *const *clips = list->items;
    SimClipDef *defs = script_reader_alloc(build->reader, list->count, sizeof *defs);
    if (!defs || !build->bones_known) return;
    script_reader_key(build->reader, "clips");
    for (int i = 0; i < list->count; i++) {
        defs[i] = sim_default_clip_def();
        defs[i].name = list->keys[i];
        if (!clips[i] || clips[i]->broken) continue; // reported already
        defs[i].loop_blend = clips[i]->loop_blend;
        script_reader_key(build->reader, list->keys[i]);
        if (clips[i]->file)
            lay_out_motion(build, clips[i], &defs[i]);
        else
            lay_out_tracks(build, clips[i], &defs[i]);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    build->rig.clips = defs;
    build->rig.clip_count = list->count;
}

static void lay_out_motion(ScriptRigBuild *build, const ScriptClip *clip, SimClipDef *out) {
    const AssetClip *motion = &clip->motion;
    const int bone_count = build->rig.bone_count;
    versor *rotations;
    float(*positions)[3];
    if (!fill_rest(build, motion->frame_count, motion->positions != NULL, &rotations, &positions)) return;
    int file_count, found = 0;
    const SimBoneDef *file_bones = asset_file_bones(clip->file, &file_count);
    for (int from = 0; from < file_count && from < motion->bone_count; from++) {
        const int to = script_bone_find(build->rig.bones, bone_count, file_bones[from].name);
        if (to < 0) continue; // bones that the character lacks are ignored
        found++;
        for (int frame = 0; frame < motion->frame_count; frame++) {
            const int source = frame * motion->bone_count + from, target = frame * bone_count + to;
            memcpy(rotations[target], motion->rotations[source], sizeof(versor));
            if (positions) memcpy(positions[target], motion->positions[source], sizeof *positions);
        }
    }
    if (!found)
        script_reader_error(build->reader, "none of the bones of %s is in the skeleton",
                            asset_file_path(clip->file));
    out->rate = motion->rate;
    out->frame_count = motion->frame_count;
    out->rotations = (const versor *)rotations;
    out->positions = (const float(*)[3])positions;
    out->root = (const float(*)[3])motion->root;
}

// Sets each frame to the rest pose.
static bool fill_rest(ScriptRigBuild *build, int frame_count, bool with_positions, versor **out_rotations,
                      float (**out_positions)[3]) {
    const int bone_count = build->rig.bone_count;
    versor *rotations =
        script_arena_alloc(build->reader->arena, (size_t)frame_count * (size_t)bone_count, sizeof(versor));
    float(*positions)[3] = NULL;
    if (with_positions)
        positions = script_arena_alloc(build->reader->arena, (size_t)frame_count * (size_t)bone_count,
                                       sizeof *positions);
    *out_rotations = rotations;
    *out_positions = positions;
    if (!rotations || (with_positions && !positions)) {
        script_reader_error(build->reader, "out of memory");
        return false;
    }
    for (int i = 0; i < frame_count * bone_count; i++) {
        const SimBoneDef *bone = &build->rig.bones[i % bone_count];
        memcpy(rotations[i], bone->rotation, sizeof(versor));
        if (positions) memcpy(positions[i], bone->position, sizeof *positions);
    }
    return true;
}

static void lay_out_tracks(ScriptRigBuild *build, const ScriptClip *clip, SimClipDef *out) {
    bool moves = false;
    versor *rotations;
    float(*positions)[3];
    for (const ScriptTrack *track = clip->tracks; track; track = track->next)
        moves |= track->positions != NULL;
    if (!fill_rest(build, clip->frame_count, moves, &rotations, &positions)) return;
    for (const ScriptTrack *track = clip->tracks; track; track = track->next) {
        const int bone = script_bone_find(build->rig.bones, build->rig.bone_count, track->bone);
        if (bone >= 0)
            lay_out_track(clip, track, bone, build->rig.bone_count, rotations, positions);
        else
            script_reader_unknown(build->reader, "bone", track->bone, build->bone_names,
                                  build->rig.bone_count);
    }
    out->rate = clip->rate;
    out->frame_count = clip->frame_count;
    out->rotations = (const versor *)rotations;
    out->positions = (const float(*)[3])positions;
    out->root = (const float(*)[3])clip->root;
}

static void lay_out_track(const ScriptClip *clip, const ScriptTrack *track, int bone, int bone_count,
                          versor *rotations, float (*positions)[3]) {
    for (int frame = 0; frame < clip->frame_count; frame++) {
        float *rotation = track->rotations[frame];
        const int target = frame * bone_count + bone;
        if (glm_quat_dot(rotation, rotation) > 0.0f) glm_quat_copy(rotation, rotations[target]);
        if (track->positions && isfinite(track->positions[frame][0]))
            memcpy(positions[target], track->positions[frame], sizeof *positions);
        // q and -q are the same rotation; interpolation between frames needs the nearer one
        if (frame > 0 && glm_quat_dot(rotations[target - bone_count], rotations[target]) < 0.0f)
            glm_vec4_negate(rotations[target]);
    }
}
