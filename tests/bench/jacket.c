// A body and its jacket, built from numbers.
#include "jacket.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLLIDERS = 8, FRAMES = JACKET_STRIDE + 1, FRAME_RATE = 60, WARM_STRIDES = 4 };
enum { ROOT, CHEST, LEFT_THIGH, RIGHT_THIGH, LEFT_SHIN, RIGHT_SHIN, LEFT_ARM, RIGHT_ARM };

typedef struct Body {
    SimBoneDef bones[JACKET_BONES];
    SimColliderDef colliders[COLLIDERS];
    SimClipDef clip;
    versor rotations[FRAMES][JACKET_BONES];
    SimGarmentDef garments[2];
    SimSkin attach[JACKET_COLUMNS], hood_attach;
    float positions[JACKET_PARTICLES][3], hood_positions[2][3];
    SimRigDef rig;
} Body;

const JacketBone jacket_bones[JACKET_BONES] = {
    [ROOT] = {"pelvis", -1, {0, 0, 0}, {0, 0, 0}, {0.16f, 0.12f, 0.12f}, 0},
    [CHEST] = {"chest", ROOT, {0, 0.2f, 0}, {0, 0.1f, 0}, {0.17f, 0.2f, 0.12f}, 0.05f},
    [LEFT_THIGH] = {"left thigh", ROOT, {0.09f, -0.05f, 0}, {0, -0.2f, 0}, {0.09f, 0.25f, 0.1f}, 0.6f},
    [RIGHT_THIGH] = {"right thigh", ROOT, {-0.09f, -0.05f, 0}, {0, -0.2f, 0}, {0.09f, 0.25f, 0.1f}, -0.6f},
    [LEFT_SHIN] = {"left shin", LEFT_THIGH, {0, -0.42f, 0}, {0, -0.2f, 0}, {0.06f, 0.22f, 0.07f}, 0.4f},
    [RIGHT_SHIN] = {"right shin", RIGHT_THIGH, {0, -0.42f, 0}, {0, -0.2f, 0}, {0.06f, 0.22f, 0.07f}, -0.4f},
    [LEFT_ARM] = {"left arm", CHEST, {0.3f, 0.2f, 0}, {0, -0.15f, 0}, {0.05f, 0.17f, 0.05f}, -0.5f},
    [RIGHT_ARM] = {"right arm", CHEST, {-0.3f, 0.2f, 0}, {0, -0.15f, 0}, {0.05f, 0.17f, 0.05f}, 0.5f},
};

static void make_skeleton(Body *body) {
    for (int i = 0; i < JACKET_BONES; i++) {
        SimBoneDef *bone = &body->bones[i];
        *bone = sim_default_bone_def();
        bone->name = jacket_bones[i].name;
        bone->parent = jacket_bones[i].parent;
        memcpy(bone->position, jacket_bones[i].position, sizeof(vec3));
        SimColliderDef *collider = &body->colliders[i];
        *collider = sim_default_collider_def();
        collider->name = jacket_bones[i].name;
        collider->shape = SIM_COLLIDER_ELLIPSOID;
        collider->bone = i;
        memcpy(collider->center, jacket_bones[i].center, sizeof(vec3));
        memcpy(collider->radii, jacket_bones[i].radii, sizeof(vec3));
    }
    for (int frame = 0; frame < FRAMES; frame++)
        for (int i = 0; i < JACKET_BONES; i++) {
            float half = 0.5f * jacket_bones[i].swing * sinf(6.2831853f * (float)frame / (FRAMES - 1));
            memcpy(body->rotations[frame][i], (versor){sinf(half), 0, 0, cosf(half)}, sizeof(versor));
        }
    body->clip = sim_default_clip_def();
    body->clip.name = "stride";
    body->clip.rate = FRAME_RATE;
    body->clip.frame_count = FRAMES;
    body->clip.rotations = (const versor *)(const void *)body->rotations;
}

// Open in front, round the hips and a little wider at the hem.
static void make_jacket(Body *body, const JacketSetting *setting) {
    SimGarmentDef *jacket = &body->garments[0];
    *jacket = sim_default_garment_def();
    jacket->self_collision = setting->self_collision;
    if (setting->article) {
        jacket->hard = SIM_HARD_ALAN_WAKE;
        jacket->collision = SIM_COLLISION_ALAN_WAKE;
        jacket->bend = SIM_BEND_ALAN_WAKE;
    }
    jacket->name = "jacket";
    jacket->rows = JACKET_ROWS;
    jacket->columns = JACKET_COLUMNS;
    jacket->bone_prefix = "jacket_";
    jacket->positions = (const float(*)[3])(const void *)body->positions;
    jacket->attach = body->attach;
    for (int p = 0; p < JACKET_PARTICLES; p++) {
        float turn = 0.3f + 5.7f * (float)(p % JACKET_COLUMNS) / (JACKET_COLUMNS - 1);
        float radius = 0.19f + 0.006f * (float)(p / JACKET_COLUMNS);
        body->positions[p][0] = radius * sinf(turn);
        body->positions[p][1] = 0.05f - 0.06f * (float)(p / JACKET_COLUMNS);
        body->positions[p][2] = radius * cosf(turn);
        body->attach[p % JACKET_COLUMNS] = (SimSkin){{ROOT}, {1.0f}};
    }
}

static void make_hood(Body *body) {
    SimGarmentDef *hood = &body->garments[1];
    *hood = sim_default_garment_def();
    hood->name = "hood";
    hood->kind = SIM_GARMENT_PENDULUM;
    hood->rows = 2;
    hood->columns = 1;
    hood->bone_prefix = "hood";
    hood->positions = (const float(*)[3])(const void *)body->hood_positions;
    hood->attach = &body->hood_attach;
    body->hood_attach = (SimSkin){{CHEST}, {1.0f}};
    memcpy(body->hood_positions, (float[2][3]){{0, 0.5f, -0.14f}, {0, 0.3f, -0.16f}},
           sizeof body->hood_positions);
}

static Body *make_body(const JacketSetting *setting) {
    Body *body = calloc(1, sizeof *body);
    if (!body) return NULL;
    make_skeleton(body);
    make_jacket(body, setting);
    make_hood(body);
    body->rig = (SimRigDef){.name = "jacket",
                            .bones = body->bones,
                            .bone_count = JACKET_BONES,
                            .garments = body->garments,
                            .garment_count = setting->hood ? 2 : 1,
                            .colliders = body->colliders,
                            .collider_count = setting->bare ? 0 : COLLIDERS,
                            .clips = &body->clip,
                            .clip_count = 1};
    return body;
}

static void fail(const SimIssue *issue) {
    fprintf(stderr, "the benchmark's jacket: %s: %s\n", issue->path, issue->message);
    exit(1);
}

void *jacket_create(const void *setting_) {
    const JacketSetting *setting = setting_;
    SimIssue issue = {0};
    SimWorldDef def = sim_default_world_def();
    if (!setting->still)
        def.environment.wind =
            (SimWind){.velocity_world = {1.0f, 0.0f, 0.5f}, .turbulence = 0.3f, .gust = 0.3f};
    if (setting->storm)
        def.environment.wind =
            (SimWind){.velocity_world = {12.0f, 0.0f, 16.0f}, .turbulence = 0.4f, .gust = 0.5f};
    SimWorld *world = sim_world_create(&def, &issue);
    Body *body = make_body(setting);
    if (!world || !body) fail(&issue);
    if (setting->instruction_set && !sim_world_use_instruction_set(world, setting->instruction_set)) {
        sim_world_destroy(world);
        free(body);
        return NULL;
    }
    SimRigId rig = sim_rig_create(world, &body->rig, &issue);
    if (!rig.index) fail(&issue);
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    for (int i = 0; i < setting->characters; i++) {
        SimCharacterId character = sim_character_create(world, rig, &root, &issue);
        if (!character.index) fail(&issue);
        SimPlay play = sim_default_play();
        play.loop = true;
        play.at = 0.031f * (float)(i % 16);
        sim_character_play(world, character, 0, &play);
        sim_character_set_level(world, character, setting->level);
        root.position[0] += 2.5f;
    }
    free(body);
    jacket_ticks(world, WARM_STRIDES * JACKET_STRIDE);
    return world;
}

void jacket_ticks(void *world, int count) {
    for (int i = 0; i < count; i++) sim_world_step(world);
}

void jacket_destroy(void *world) {
    sim_world_destroy(world);
}

// How deep a point is in an ellipsoid about the origin: its nearest point is x_i = e_i^2 y_i / (t + e_i^2)
// where sum (x_i / e_i)^2 = 1, by bisection; 0 outside.
static double ellipsoid_depth(const double e[3], const double y[3]) {
    double inside = 0.0, low = -HUGE_VAL, high = 0.0, distance = 0.0;
    for (int i = 0; i < 3; i++) {
        inside += pow(y[i] / e[i], 2.0);
        low = fmax(low, e[i] * (y[i] - e[i]));
    }
    if (inside >= 1.0) return 0.0;
    for (int round = 0; round < 60; round++) {
        double t = 0.5 * (low + high), sum = 0.0;
        for (int i = 0; i < 3; i++) sum += pow(e[i] * y[i] / (t + e[i] * e[i]), 2.0);
        *(sum > 1.0 ? &low : &high) = t;
    }
    for (int i = 0; i < 3; i++) distance += pow(e[i] * e[i] * y[i] / (high + e[i] * e[i]) - y[i], 2.0);
    return sqrt(distance);
}

double jacket_depth(const SimWorld *world, SimCharacterId character, float (*points)[3], int count) {
    double worst = 0.0;
    for (int bone = 0; bone < JACKET_BONES; bone++) {
        mat4 back;
        memcpy(back, sim_character_bones_model(world, character)[bone], sizeof back);
        glm_mat4_inv(back, back);
        for (int p = 0; p < count; p++) {
            vec3 point, local;
            double e[3], y[3];
            memcpy(point, points[p], sizeof point);
            glm_mat4_mulv3(back, point, 1.0f, local);
            for (int i = 0; i < 3; i++) {
                e[i] = (double)jacket_bones[bone].radii[i];
                y[i] = fmax(fabs((double)local[i] - (double)jacket_bones[bone].center[i]), 1e-8);
            }
            worst = fmax(worst, ellipsoid_depth(e, y));
        }
    }
    return worst;
}
