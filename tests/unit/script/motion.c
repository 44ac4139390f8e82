// A judge of cloth in motion, which computes by other means than the simulation does.
#include "script/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double deepest(const Motion *motion, const double point[3], bool legs_only);
static double motion_depth(const SimColliderDef *collider, const mat4 bone, const double point[3]);
static double ellipsoid_depth(const double radii[3], const double center_to_point[3]);
static double capsule_depth(const SimColliderDef *collider, const double point[3]);
static void in_bone(const mat4 bone, const double point[3], double out[3]);

bool motion_start(Motion *motion, const char *script, int rate, const float gravity[3]) {
    return motion_start_with(motion, script, rate, gravity, true);
}

bool motion_start_with(Motion *motion, const char *script, int rate, const float gravity[3], bool rests) {
    static const char *const folders[] = {TESTS_DIRECTORY "/scripts/motion", PROJECT_DIRECTORY "/scripts"};
    SimWorldDef def = sim_default_world_def();
    SimIssue issue;
    *motion = (Motion){.rate = rate};
    def.tick_rate = rate;
    def.settle = def.sleep = rests;
    memcpy(def.environment.gravity_world, gravity, sizeof def.environment.gravity_world);
    motion->world = sim_world_create(&def, &issue);
    const ScriptHostDef host = {.world = motion->world,
                                .script_directories = folders,
                                .script_directory_count = 2,
                                .cache_directory = CACHE_DIRECTORY,
                                .script_budget_ns = 1000000000}; // however slow the machine is
    ScriptFindings findings = {0};
    motion->host = motion->world ? script_host_create(&host, &findings) : NULL;
    ScriptCharacter *character = motion->host ? script_character_load(motion->host, script, &findings) : NULL;
    for (size_t i = 0; i < findings.count; i++)
        fprintf(stderr, "%s: %s\n", findings.items[i].file, findings.items[i].message);
    script_findings_finish(&findings);
    if (!character) return false;
    const SimTransform root = SIM_TRANSFORM_IDENTITY;
    motion->rig_id = script_character_info(character)->rig;
    motion->rig = sim_rig_info(motion->world, motion->rig_id);
    motion->character = sim_character_create(motion->world, motion->rig_id, &root, &issue);
    return motion_look_at(motion, 0);
}

bool motion_look_at(Motion *motion, int garment) {
    motion->garment_index = garment;
    motion->garment = &motion->rig->garments[garment];
    return motion->garment->particle_count <= MOTION_PARTICLES;
}

void motion_another(const Motion *first, Motion *another) {
    const SimTransform root = SIM_TRANSFORM_IDENTITY;
    SimIssue issue;
    *another = *first;
    another->character = sim_character_create(first->world, first->rig_id, &root, &issue);
}

void motion_finish(Motion *motion) {
    if (motion->host) script_host_destroy(motion->host);
    sim_world_destroy(motion->world);
}

bool motion_fabric(Motion *motion, const char *name) {
    const ScriptFabric *fabric = script_fabric_find(motion->host, name);
    if (fabric)
        sim_garment_set_fabric(motion->world, motion->character, motion->garment_index, &fabric->values,
                               false);
    return fabric != NULL;
}

bool motion_play(Motion *motion, const char *clip, float fade) {
    SimPlay play = sim_default_play();
    play.loop = true, play.fade = fade;
    for (int i = 0; i < motion->rig->clip_count; i++)
        if (strcmp(motion->rig->clip_names[i], clip) == 0) {
            sim_character_play(motion->world, motion->character, i, &play);
            return true;
        }
    return false;
}

void motion_judge(Motion *motion) {
    motion_read(motion);
    motion_judge_particles(motion);
    motion_judge_between(motion);
    motion->judge.tick++;
}

void motion_record(Motion *motion, int ticks) {
    for (int tick = 0; tick < ticks; tick++) {
        sim_world_step(motion->world);
        motion_judge(motion);
    }
}

double motion_acceleration(Motion *motion) {
    double worst = 0.0, rate = motion->rate;
    float(*const before)[MOTION_PARTICLES][3] = motion->before;
    memcpy(before[0], before[1], sizeof before[0]);
    memcpy(before[1], motion->x, sizeof before[1]);
    motion_read(motion);
    for (int p = 0; p < motion->garment->particle_count; p++) {
        double sum = 0.0;
        for (int i = 0; i < 3; i++)
            sum +=
                pow((double)motion->x[p][i] - 2.0 * (double)before[1][p][i] + (double)before[0][p][i], 2.0);
        worst = fmax(worst, sqrt(sum) * rate * rate);
    }
    return worst;
}

void motion_read(Motion *motion) {
    sim_garment_particles_model(motion->world, motion->character, motion->garment_index, motion->x);
    sim_garment_references_model(motion->world, motion->character, motion->garment_index, motion->references);
    sim_garment_max_distances(motion->world, motion->character, motion->garment_index, motion->limits);
}

bool motion_in_slit(const SimGarmentInfo *garment, int row, int column) {
    for (int i = 0; i < garment->slit_count; i++)
        if (garment->slits[i].column == column && row + 1 >= garment->slits[i].row) return true;
    return false;
}

double motion_distance(const float a[3], const float b[3]) {
    double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1], z = (double)b[2] - (double)a[2];
    return sqrt(x * x + y * y + z * z);
}

// In all that stands for the body, whether the garment lists it or not; planes and colliders on cloth are no
// part of it.
double motion_deepest(const Motion *motion, const double point[3]) {
    return deepest(motion, point, false);
}

static double deepest(const Motion *motion, const double point[3], bool legs_only) {
    const mat4 *bones = sim_character_bones_model(motion->world, motion->character);
    double worst = 0.0;
    for (int i = 0; i < motion->rig->collider_count; i++) {
        const SimColliderDef *collider = &motion->rig->colliders[i];
        if (collider->shape == SIM_COLLIDER_PLANE) continue;
        if (motion->rig->bones[collider->bone].kind > SIM_BONE_DRIVEN) continue;
        if (legs_only && !strstr(collider->name, "thigh") && !strstr(collider->name, "shin")) continue;
        worst = fmax(worst, motion_depth(collider, bones[collider->bone], point));
    }
    return worst;
}

// The point in the axes of an ellipsoid on its bone.
void motion_in_axes(const SimColliderDef *collider, const mat4 bone, const double point[3], double out[3]) {
    double local[3];
    in_bone(bone, point, local);
    for (int i = 0; i < 3; i++) local[i] -= (double)collider->center[i];
    const float *q = collider->rotation;
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    const double axes[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                               {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                               {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++)
        out[i] = axes[i][0] * local[0] + axes[i][1] * local[1] + axes[i][2] * local[2];
}

void motion_judge_particles(Motion *motion) {
    const SimGarmentInfo *garment = motion->garment;
    MotionJudge *judge = &motion->judge;
    for (int p = garment->columns; p < garment->particle_count; p++) {
        const float *x = motion->x[p];
        double rest = motion_distance(garment->rest_model[p - garment->columns], garment->rest_model[p]);
        judge->stretch =
            fmax(judge->stretch, fabs(motion_distance(motion->x[p - garment->columns], x) / rest - 1.0));
        judge->penetration =
            fmax(judge->penetration,
                 motion_deepest(motion, (double[3]){(double)x[0], (double)x[1], (double)x[2]}));
        judge->beyond =
            fmax(judge->beyond, motion_distance(motion->references[p], x) - (double)motion->limits[p]);
    }
}

// Points of each quad as a bilinear patch, the right and lower edge left to the neighbours.
void motion_judge_between(Motion *motion) {
    const SimGarmentInfo *garment = motion->garment;
    int columns = garment->columns, quads = garment->closed ? columns : columns - 1;
    const double step = 1.0 / (MOTION_SAMPLES - 1);
    for (int row = 0; row + 1 < garment->rows; row++)
        for (int column = 0; column < quads; column++) {
            if (motion_in_slit(garment, row, column)) continue;
            int right = (column + 1) % columns;
            const int corner[4] = {row * columns + column, row * columns + right,
                                   (row + 1) * columns + column, (row + 1) * columns + right};
            for (int i = 0; i < MOTION_SAMPLES - 1; i++)
                for (int k = 0; k < MOTION_SAMPLES - 1; k++) {
                    if (row == 0 && k == 0) continue; // between pinned particles
                    if (i == 0 && k == 0) continue;   // a particle
                    double a = i * step, b = k * step, point[3];
                    const double share[4] = {(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b};
                    for (int n = 0; n < 3; n++) {
                        point[n] = 0.0;
                        for (int c = 0; c < 4; c++) point[n] += share[c] * (double)motion->x[corner[c]][n];
                    }
                    double depth = motion_deepest(motion, point);
                    motion->judge.between = fmax(motion->judge.between, depth);
                    if (depth > motion->judge.in_legs)
                        motion->judge.in_legs = fmax(motion->judge.in_legs, deepest(motion, point, true));
                    motion->judge.samples++;
                    motion->judge.deep += depth > 1e-3;
                }
        }
}

// m inside, 0 outside.
static double motion_depth(const SimColliderDef *collider, const mat4 bone, const double point[3]) {
    double local[3], radii[3];
    if (collider->shape == SIM_COLLIDER_CAPSULE) {
        in_bone(bone, point, local);
        return capsule_depth(collider, local);
    }
    const bool is_sphere = collider->shape == SIM_COLLIDER_SPHERE;
    for (int i = 0; i < 3; i++) radii[i] = (double)(is_sphere ? collider->radius : collider->radii[i]);
    motion_in_axes(collider, bone, point, local);
    return ellipsoid_depth(radii, local);
}

static void in_bone(const mat4 bone, const double point[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = 0.0;
        for (int k = 0; k < 3; k++) out[i] += (double)bone[i][k] * (point[k] - (double)bone[3][k]);
    }
}

// The nearest point of the surface is e^2 y / (t + e^2) where sum (e y / (t + e^2))^2 = 1, which falls with
// t: bisection.
static double ellipsoid_depth(const double radii[3], const double center_to_point[3]) {
    double y[3], low = -HUGE_VAL, high = 0.0, unit = 0.0, distance = 0.0;
    for (int i = 0; i < 3; i++) unit += pow(center_to_point[i] / radii[i], 2.0);
    if (!(unit < 1.0)) return 0.0;
    for (int i = 0; i < 3; i++) {
        double e = radii[i];
        y[i] = fmax(fabs(center_to_point[i]), 1e-8 * e); // on a plane of symmetry either side is as near
        low = fmax(low, e * (y[i] - e));
    }
    for (int round = 0; round < 60; round++) {
        double t = 0.5 * (low + high), sum = 0.0;
        for (int i = 0; i < 3; i++) sum += pow(radii[i] * y[i] / (t + radii[i] * radii[i]), 2.0);
        *(sum > 1.0 ? &low : &high) = t;
    }
    for (int i = 0; i < 3; i++) {
        double ee = radii[i] * radii[i];
        distance += pow(ee * y[i] / (high + ee) - y[i], 2.0);
    }
    return sqrt(distance);
}

// The largest of radius minus distance over the spheres along the axis, of which there is one maximum: by
// thirds.
static double capsule_depth(const SimColliderDef *collider, const double point[3]) {
    double low = 0.0, high = 1.0, depth = 0.0;
    for (int round = 0; round < 60; round++) {
        double inside[2];
        for (int side = 0; side < 2; side++) {
            double t = low + (high - low) * (side + 1) / 3.0, square = 0.0;
            for (int i = 0; i < 3; i++)
                square +=
                    pow(point[i] - (1.0 - t) * (double)collider->from[i] - t * (double)collider->to[i], 2.0);
            inside[side] =
                (1.0 - t) * (double)collider->radius + t * (double)collider->radius_end - sqrt(square);
        }
        if (round == 0 && fmax(inside[0], inside[1]) < -0.5) return 0.0;
        *(inside[0] < inside[1] ? &low : &high) =
            low + (high - low) * (inside[0] < inside[1] ? 1.0 : 2.0) / 3.0;
        depth = fmax(inside[0], inside[1]);
    }
    return fmax(depth, 0.0);
}
