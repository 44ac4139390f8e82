// Advice on garments whose bones are too few for their folds: the cloth is simulated in a world of its own,
// and a mesh skinned to the chosen bones is compared with it.
#include "rig/build.h"

#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <math.h>
#include <sim/world.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_RATE    60
#define SECONDS      3
#define JUDGED_EVERY 6      // ticks, after the first second
#define MOST_CLIPS   8      // of a character, to bound the time, as do
#define MOST_WORK    20000  // particles of general meshes in all clips; one clip is simulated at least
#define ACROSS       4      // points of a cell along its upper edge, the left particle among them
#define TOLERATED    0.004f // m, RMS

// How far a skinned mesh is from the cloth.
typedef struct Loss {
    double squares, worst; // m^2, m
    int samples;
} Loss;

// The character of one clip, with bones on every column of its grids.
typedef struct Probe {
    SimWorld *world;
    const SimRigInfo *rig;
    SimCharacterId character;
    const char *clip; // NULL: none
} Probe;

// What is known of one garment: its largest loss in any clip, and that with all bones in the same clip.
typedef struct Finding {
    const SimSkin *skins; // [particle_count] of a general mesh
    const char *clip;
    Loss chosen, all;
} Finding;

static bool has_few_bones(const SimGarmentDef *garment);
static int clips_of(const SimRigDef *rig);
static bool find_skins(const ScriptRigBuild *build, Finding *findings);
static bool begin(const ScriptRigBuild *build, SimRigDef *full, SimWorld **out_world, SimRigId *out_rig);
static void set_all_columns(const SimRigDef *rig, SimGarmentDef *garments, SimColliderDef *colliders,
                            SimRigDef *full);
static int same_bone(const SimRigDef *rig, const SimRigDef *full, int bone);
static void judge_clip(const ScriptRigBuild *build, SimWorld *world, SimRigId rig, int clip,
                       Finding *findings);
static void judge(const Probe *probe, const SimGarmentDef *garment, const SimSkin *skins, int index,
                  Loss *chosen, Loss *all);
static void judge_cell(const SimGarmentInfo *info, const float (*cloth)[3], const mat4 *moved, int row,
                       int column, const SimGarmentDef *bones, Loss *loss);
static void judge_faces(const SimGarmentInfo *info, const float (*cloth)[3], const mat4 *moved,
                        const SimSkin *skins, Loss *loss);
static void add(Loss *loss, double off);
static double rms(const Loss *loss);
static void warn(ScriptRigBuild *build, int garment, const Finding *finding);

void script_bones_lint(ScriptRigBuild *build) {
    const SimRigDef *rig = &build->rig;
    SimRigDef full = *rig;
    full.mesh_count = 0; // they take no part
    SimWorld *world = NULL;
    SimRigId id;
    bool any = false;
    for (int i = 0; i < rig->garment_count; i++) any = any || has_few_bones(&rig->garments[i]);
    if (!any || script_reader_failed(build->reader) || !build->bones_known) return;
    Finding *findings = calloc((size_t)rig->garment_count, sizeof *findings);
    if (findings && find_skins(build, findings) && begin(build, &full, &world, &id)) {
        const int clips = clips_of(rig);
        for (int clip = clips ? 0 : -1; clip < clips; clip++) judge_clip(build, world, id, clip, findings);
    }
    sim_world_destroy(world);
    for (int i = 0; findings && i < rig->garment_count; i++)
        if (rms(&findings[i].chosen) > (double)TOLERATED) warn(build, i, &findings[i]);
    free(findings);
}

// A grid that leaves columns out, or a general mesh with fewer bones than particles.
static bool has_few_bones(const SimGarmentDef *garment) {
    if (garment->kind != SIM_GARMENT_CLOTH) return false;
    return garment->faces ? garment->bone_particle_count < garment->columns : garment->bone_column_step > 1;
}

static int clips_of(const SimRigDef *rig) {
    int clips = rig->clip_count < MOST_CLIPS ? rig->clip_count : MOST_CLIPS, particles = 0;
    for (int i = 0; i < rig->garment_count; i++)
        if (rig->garments[i].faces) particles += rig->garments[i].columns;
    while (clips > 1 && clips * particles > MOST_WORK) clips--;
    return clips;
}

static bool find_skins(const ScriptRigBuild *build, Finding *findings) {
    bool done = true;
    for (int i = 0; done && i < build->rig.garment_count; i++) {
        const SimGarmentDef *garment = &build->rig.garments[i];
        if (!garment->faces || !has_few_bones(garment)) continue;
        SimSkin *skins = script_reader_alloc(build->reader, garment->columns, sizeof *skins);
        done = skins && sim_garment_faces_skin(garment, skins);
        findings[i].skins = skins;
    }
    return done;
}

static bool begin(const ScriptRigBuild *build, SimRigDef *full, SimWorld **out_world, SimRigId *out_rig) {
    SimIssue issue;
    SimWorldDef def = sim_default_world_def();
    const SimRigDef *rig = &build->rig;
    SimGarmentDef *garments = calloc((size_t)rig->garment_count, sizeof *garments);
    SimColliderDef *colliders = calloc((size_t)rig->collider_count + 1, sizeof *colliders);
    def.tick_rate = TICK_RATE;
    *out_world =
        garments && colliders && sim_validate_rig_def(rig, &issue) ? sim_world_create(&def, &issue) : NULL;
    if (*out_world) {
        set_all_columns(rig, garments, colliders, full);
        *out_rig = sim_rig_create(*out_world, full, &issue);
    }
    free(garments);
    free(colliders);
    return *out_world && out_rig->index != 0;
}

// Bones move no particle, so that the cloth is the same.
static void set_all_columns(const SimRigDef *rig, SimGarmentDef *garments, SimColliderDef *colliders,
                            SimRigDef *full) {
    for (int i = 0; i < rig->garment_count; i++) {
        garments[i] = rig->garments[i];
        if (!garments[i].faces) garments[i].bone_first_column = 0, garments[i].bone_column_step = 1;
    }
    full->garments = garments;
    for (int i = 0; i < rig->collider_count; i++) {
        colliders[i] = rig->colliders[i];
        if (colliders[i].shape != SIM_COLLIDER_PLANE && colliders[i].bone >= rig->bone_count)
            colliders[i].bone = same_bone(rig, full, colliders[i].bone);
    }
    full->colliders = colliders;
}

// The index in `full` of a garment's bone.
static int same_bone(const SimRigDef *rig, const SimRigDef *full, int bone) {
    for (int i = 0; i < rig->garment_count; i++)
        for (int row = 0; row < rig->garments[i].rows; row++)
            for (int column = 0; column < rig->garments[i].columns; column++)
                if (sim_garment_bone_index(rig, i, row, column) == bone)
                    return sim_garment_bone_index(full, i, row, column);
    return bone;
}

static void judge_clip(const ScriptRigBuild *build, SimWorld *world, SimRigId rig, int clip,
                       Finding *findings) {
    SimIssue issue;
    const SimTransform root = SIM_TRANSFORM_IDENTITY;
    const int count = build->rig.garment_count;
    SimPlay play = sim_default_play();
    Probe probe = {.world = world, .rig = sim_rig_info(world, rig)};
    Loss *losses = calloc(2 * (size_t)count, sizeof *losses);
    probe.character = sim_character_create(world, rig, &root, &issue);
    play.loop = true, play.fade = 0.0f;
    if (clip >= 0) sim_character_play(world, probe.character, clip, &play);
    for (int tick = 0; losses && tick < SECONDS * TICK_RATE; tick++) {
        sim_world_step(world);
        if (tick < TICK_RATE || tick % JUDGED_EVERY) continue;
        for (int i = 0; i < count; i++)
            if (has_few_bones(&build->rig.garments[i]))
                judge(&probe, &build->rig.garments[i], findings[i].skins, i, &losses[2 * i],
                      &losses[2 * i + 1]);
    }
    sim_character_destroy(world, probe.character);
    for (int i = 0; losses && i < count; i++)
        if (rms(&losses[2 * i]) > rms(&findings[i].chosen)) {
            findings[i].clip = clip < 0 ? NULL : build->rig.clips[clip].name;
            findings[i].chosen = losses[2 * i], findings[i].all = losses[2 * i + 1];
        }
    free(losses);
}

static void judge(const Probe *probe, const SimGarmentDef *garment, const SimSkin *skins, int index,
                  Loss *chosen, Loss *all) {
    const SimGarmentInfo *info = &probe->rig->garments[index];
    const mat4 *bones = sim_character_bones_model(probe->world, probe->character);
    const SimGarmentDef every_column = {.bone_column_step = 1};
    float(*cloth)[3] = calloc((size_t)info->particle_count, sizeof *cloth);
    mat4 *moved = aligned_alloc(_Alignof(mat4), (size_t)info->bone_count * sizeof *moved);
    for (int i = 0; moved && i < info->bone_count; i++) // of a grid, bone i is on particle i
        glm_mat4_mul((vec4 *)bones[info->bones[i].bone],
                     (vec4 *)probe->rig->bones[info->bones[i].bone].inverse_bind, moved[i]);
    if (cloth && moved) sim_garment_particles_model(probe->world, probe->character, index, cloth);
    if (cloth && moved && garment->faces)
        judge_faces(info, (const float(*)[3])cloth, (const mat4 *)moved, skins, chosen);
    for (int row = 1; cloth && moved && row + 1 < info->rows; row++)
        for (int column = 0; column < info->columns - !info->closed; column++) {
            judge_cell(info, (const float(*)[3])cloth, (const mat4 *)moved, row, column, garment, chosen);
            judge_cell(info, (const float(*)[3])cloth, (const mat4 *)moved, row, column, &every_column, all);
        }
    free(moved);
    free(cloth);
}

// At the particles, by the weights of the mesh that viewers get unless the script gives another one.
static void judge_faces(const SimGarmentInfo *info, const float (*cloth)[3], const mat4 *moved,
                        const SimSkin *skins, Loss *loss) {
    for (int p = info->pinned_count; p < info->particle_count; p++) { // pinned ones come first
        vec3 mesh = {0.0f, 0.0f, 0.0f}, by_bone;
        for (int k = 0; k < SIM_INFLUENCES; k++) {
            glm_mat4_mulv3((vec4 *)moved[skins[p].bones[k]], (float *)info->rest_model[p], 1.0f, by_bone);
            glm_vec3_muladds(by_bone, skins[p].weights[k], mesh);
        }
        add(loss, (double)glm_vec3_distance(mesh, (float *)cloth[p]));
    }
}

// Along the upper edge of a cell, by the weights of protocol/README.md.
static void judge_cell(const SimGarmentInfo *info, const float (*cloth)[3], const mat4 *moved, int row,
                       int column, const SimGarmentDef *bones, Loss *loss) {
    const int columns = info->columns, top = row * columns, next = (column + 1) % columns;
    const int first = bones->bone_first_column, step = bones->bone_column_step;
    const int last = first + (columns - 1 - first) / step * step;
    for (int i = 0; i < ACROSS; i++) {
        const float share = (float)i / ACROSS, at = (float)column + share;
        vec3 rest, is, by_left, by_right, mesh;
        glm_vec3_lerp((float *)info->rest_model[top + column], (float *)info->rest_model[top + next], share,
                      rest);
        glm_vec3_lerp((float *)cloth[top + column], (float *)cloth[top + next], share, is);
        int left = first + (int)floorf((at - (float)first) / (float)step) * step, right = left + step;
        if (info->closed && right > last) right = first + columns;
        if (info->closed && left < first) left = last - columns;
        if (!info->closed && right > last) left = left > last ? last : left, right = left;
        if (!info->closed && left < first) left = right;
        const float weight = left < right ? (at - (float)left) / (float)(right - left) : 0.0f;
        glm_mat4_mulv3((vec4 *)moved[top + (left + columns) % columns], rest, 1.0f, by_left);
        glm_mat4_mulv3((vec4 *)moved[top + right % columns], rest, 1.0f, by_right);
        glm_vec3_lerp(by_left, by_right, weight, mesh);
        add(loss, (double)glm_vec3_distance(mesh, is));
    }
}

static void add(Loss *loss, double off) {
    loss->squares += off * off;
    loss->worst = fmax(loss->worst, off);
    loss->samples++;
}

static double rms(const Loss *loss) {
    return loss->samples ? sqrt(loss->squares / loss->samples) : 0.0;
}

static void warn(ScriptRigBuild *build, int garment, const Finding *finding) {
    const SimGarmentDef *def = &build->rig.garments[garment];
    char bones[64], otherwise[96];
    if (def->faces) {
        snprintf(bones, sizeof bones, "%d for %d particles lose", def->bone_particle_count, def->columns);
        snprintf(otherwise, sizeof otherwise, "more bones, { count = }, or fewer particles lose less");
    } else {
        snprintf(bones, sizeof bones, "every = %d loses", def->bone_column_step);
        snprintf(otherwise, sizeof otherwise, "with every = 1 %.0f mm, %.0f mm at most",
                 1e3 * rms(&finding->all), 1e3 * finding->all.worst);
    }
    script_reader_key(build->reader, "garments");
    script_reader_index(build->reader, garment + 1);
    script_reader_key(build->reader, "bones");
    script_reader_warn(build->reader,
                       "%s folds: %s%s%s a mesh skinned to these bones is %.0f mm (RMS) from the cloth, %.0f "
                       "mm at most; %s",
                       bones, finding->clip ? "in clip \"" : "", finding->clip ? finding->clip : "hanging",
                       finding->clip ? "\"" : "", 1e3 * rms(&finding->chosen), 1e3 * finding->chosen.worst,
                       otherwise);
    for (int i = 0; i < 3; i++) script_reader_leave(build->reader);
}
