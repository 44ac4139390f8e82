#include "scene.h"

#include <math.h>

enum { BONES = 6, COLLIDERS = 6, FRAMES = 46, MOST_PARTICLES = 96, MOST_COLUMNS = 12 };
enum { HIPS, SPINE, LEFT, RIGHT, FOLLOWER, LOOKOUT };
enum { SHEET_SIDE = 64 }; // no smaller grid is cut

#define TURN 6.28318530717958648

// To 16 bits, so that it does not matter what the C library makes of the last one.
static float sine(double x) {
    return (float)(round(65536.0 * sin(x)) / 65536.0);
}
static float cosine(double x) {
    return sine(x + 0.25 * TURN);
}

// In the memory of its maker while it is compiled.
typedef struct Figure {
    SimRigDef rig;
    SimBoneDef bones[BONES];
    SimConstraintDef constraints[3];
    SimColliderDef colliders[COLLIDERS];
    SimGarmentDef garments[GOLDEN_GARMENTS];
    SimSeamDef front;
    SimClipDef clip;
    float positions[GOLDEN_GARMENTS][MOST_PARTICLES][3];
    SimSkin attach[MOST_COLUMNS];
    SimSkin skins[MOST_PARTICLES]; // the cape's
    versor rotations[FRAMES * BONES];
    float root[FRAMES][3];
} Figure;

SimWorldDef golden_world(void) {
    SimWorldDef def = sim_default_world_def();
    def.seed = 7;
    def.environment.wind = (SimWind){{2.0f, 0.0f, 1.0f}, 0.4f, 0.6f};
    def.environment.has_ground = true;
    def.environment.ground = -0.62f;
    return def;
}

bool golden_blow(SimWorld *world) {
    static const SimTornado whirl = {{1.0f, -0.5f, 0.7f}, 0.6f, 9.0f, 4.0f, {0}};
    static const SimTornado passing = {{-3.0f, -1.0f, 0.3f}, 0.4f, -7.0f, 2.0f, {3.0f, 0.0f, 0.0f}};
    return sim_world_set_tornado(world, "whirl", &whirl) && sim_world_set_tornado(world, "passing", &passing);
}

SimFabric golden_fabric(int index) {
    float share = 0.25f * (float)(index % 5); // from light and limp to heavy and stiff
    SimFabric fabric = sim_default_fabric();
    fabric.density = 0.05f + 0.7f * share;
    fabric.stretch = 3000.0f + 50000.0f * share;
    fabric.shear = 8.0f + 400.0f * share;
    fabric.drape = 0.012f + 0.07f * share;
    fabric.damping = 10.0f - 8.0f * share;
    fabric.contact_damping = 6.0f + 20.0f * share;
    fabric.thickness = 0.01f * share;
    fabric.friction = index % 3 == 1 ? 0.4f : 0.0f;
    fabric.world_motion = 0.3f - 0.15f * share;
    fabric.world_angular = 0.5f * share;
    fabric.world_centrifugal = 0.2f;
    fabric.max_distance = index % 7 == 4 ? 0.02f : 0.4f; // 0.02: cannot always be kept, conflicts
    fabric.edge = (SimFabricEdge){0.7f, 1.6f, 1.3f, 1.2f};
    fabric.spring = (SimFabricSpring){30.0f + 300.0f * share, 6.0f + 90.0f * share, 1.0f + 30.0f * share,
                                      0.002f + 0.03f * share, 0.12f - 0.08f * share};
    return fabric;
}

// The figure
// -----------------------------------------------------------------------------------------------------------

static void add_bone(Figure *figure, int bone, const char *name, SimBoneKind kind, int parent, float x,
                     float y) {
    figure->bones[bone] = sim_default_bone_def();
    figure->bones[bone].name = name;
    figure->bones[bone].kind = kind;
    figure->bones[bone].parent = parent;
    figure->bones[bone].position[0] = x;
    figure->bones[bone].position[1] = y;
}

static void add_constraint(Figure *figure, SimConstraintKind kind, int bone, int other) {
    SimConstraintDef *constraint = &figure->constraints[figure->rig.constraint_count++];
    *constraint = sim_default_constraint_def();
    constraint->kind = kind;
    constraint->bone = bone;
    constraint->other = other;
    constraint->axis[kind == SIM_CONSTRAINT_TWIST ? 0 : 1] = 1.0f;
    constraint->weight = 0.6f;
}

static void make_skeleton(Figure *figure) {
    add_bone(figure, HIPS, "hips", SIM_BONE_SKELETON, -1, 0.0f, 0.0f);
    add_bone(figure, SPINE, "spine", SIM_BONE_SKELETON, HIPS, 0.0f, 0.2f);
    add_bone(figure, LEFT, "left", SIM_BONE_SKELETON, HIPS, 0.08f, -0.05f);
    add_bone(figure, RIGHT, "right", SIM_BONE_SKELETON, HIPS, -0.08f, -0.05f);
    add_bone(figure, FOLLOWER, "follower", SIM_BONE_DRIVEN, SPINE, 0.1f, 0.3f);
    add_bone(figure, LOOKOUT, "lookout", SIM_BONE_DRIVEN, SPINE, -0.1f, 0.3f);
    add_constraint(figure, SIM_CONSTRAINT_TWIST, FOLLOWER, LEFT);
    add_constraint(figure, SIM_CONSTRAINT_AIM, LOOKOUT, RIGHT);
    add_constraint(figure, SIM_CONSTRAINT_POSITION, FOLLOWER, LOOKOUT);
}

static void make_colliders(Figure *figure) {
    static const char *const names[COLLIDERS] = {"trunk", "head", "left", "right", "slope", "hem"};
    static const SimColliderShape shapes[COLLIDERS] = {SIM_COLLIDER_ELLIPSOID, SIM_COLLIDER_SPHERE,
                                                       SIM_COLLIDER_CAPSULE,   SIM_COLLIDER_CAPSULE,
                                                       SIM_COLLIDER_PLANE,     SIM_COLLIDER_CAPSULE};
    static const int bones[COLLIDERS] = {HIPS, SPINE, LEFT, RIGHT, 0, 0};
    for (int i = 0; i < COLLIDERS; i++) {
        SimColliderDef *collider = &figure->colliders[i];
        *collider = sim_default_collider_def();
        collider->name = names[i];
        collider->shape = shapes[i];
        collider->bone = bones[i];
        collider->radius = 0.07f, collider->radius_end = 0.05f;
    }
    SimColliderDef *trunk = &figure->colliders[0], *slope = &figure->colliders[4],
                   *hem = &figure->colliders[5];
    trunk->center[1] = 0.1f;
    trunk->radii[0] = 0.14f, trunk->radii[1] = 0.25f, trunk->radii[2] = 0.1f;
    figure->colliders[1].center[1] = 0.35f, figure->colliders[1].radius = 0.11f;
    for (int leg = 2; leg < 4; leg++) figure->colliders[leg].to[1] = -0.5f;
    slope->normal[0] = 0.6f, slope->normal[1] = 0.8f, slope->offset = -0.45f;
    hem->to[1] = -0.1f, hem->radius = 0.02f, hem->radius_end = 0.03f;
}

static void make_clip(Figure *figure) {
    for (int frame = 0; frame < FRAMES; frame++) {
        float phase = 0.4f * (float)frame;
        for (int bone = 0; bone < BONES; bone++) {
            float *rotation = figure->rotations[frame * BONES + bone];
            float angle = bone == LEFT || bone == RIGHT ? 0.6f : bone == SPINE ? 0.2f : 0.0f;
            float half = 0.5f * angle * sine((double)(phase + 3.0f * (float)(bone == LEFT)));
            rotation[bone == SPINE ? 1 : 0] = sine((double)half);
            rotation[3] = cosine((double)half);
        }
        figure->root[frame][0] = 0.01f * (float)frame;
        figure->root[frame][1] = 0.03f * (float)frame;
        figure->root[frame][2] = 0.02f * (float)frame;
    }
    figure->clip = sim_default_clip_def();
    figure->clip.name = "kick";
    figure->clip.rate = 30.0f;
    figure->clip.frame_count = FRAMES;
    figure->clip.rotations = (const versor *)figure->rotations;
    figure->clip.root = (const float(*)[3])figure->root;
}

// Rows one below the other, columns round the y axis: the `share` of a turn that begins at the front.
static SimGarmentDef *add_garment(Figure *figure, GoldenGarment which, const char *name, int rows,
                                  int columns, const float top[3], double share) {
    SimGarmentDef *garment = &figure->garments[which];
    *garment = sim_default_garment_def();
    garment->kind = columns > 1 ? SIM_GARMENT_CLOTH : rows > 2 ? SIM_GARMENT_CHAIN : SIM_GARMENT_PENDULUM;
    garment->name = garment->bone_prefix = name;
    garment->rows = rows;
    garment->columns = columns;
    garment->positions = (const float(*)[3])figure->positions[which];
    garment->attach = figure->attach;
    garment->references = SIM_REFERENCES_ATTACH;
    garment->max_distance_top = 0.0f;
    garment->max_distance_bottom = -1.0f;
    garment->fabric = golden_fabric((int)which);
    for (int p = 0; p < rows * columns; p++) {
        double turn = TURN * (0.5 - 0.5 * share + share * (double)(p % columns) / (double)columns);
        float radius = top[2] + 0.012f * (float)(p / columns);
        figure->positions[which][p][0] = top[0] - radius * sine(turn);
        figure->positions[which][p][1] = top[1] - 0.06f * (float)(p / columns);
        figure->positions[which][p][2] = -radius * cosine(turn);
    }
    return garment;
}

static void make_grids(Figure *figure) {
    SimGarmentDef *skirt =
        add_garment(figure, GOLDEN_SKIRT, "skirt_", 8, 12, (vec3){0.0f, 0.05f, 0.15f}, 1.0);
    skirt->closed = true;
    skirt->references = SIM_REFERENCES_BLEND;
    skirt->max_distance_curve = 0.5f;
    skirt->fabric.friction = 0.4f;
    SimGarmentDef *coat = add_garment(figure, GOLDEN_COAT, "coat_", 7, 11, (vec3){0.0f, 0.2f, 0.19f}, 0.95);
    coat->bone_column_step = 1;
    coat->bone_last_row = SIM_LAST_ROW_FOLLOW;
    SimGarmentDef *cape = add_garment(figure, GOLDEN_CAPE, "cape_", 7, 7, (vec3){0.0f, 0.4f, 0.24f}, 0.4);
    cape->self_collision = 0.03f;
    cape->fabric.limit = 0.15f;
    cape->skins = figure->skins;
    SimGarmentDef *article =
        add_garment(figure, GOLDEN_ALAN_WAKE, "article_", 6, 8, (vec3){0.0f, 0.3f, 0.3f}, 0.5);
    article->collision = SIM_COLLISION_ALAN_WAKE;
    article->hard = SIM_HARD_ALAN_WAKE;
    article->bend = SIM_BEND_ALAN_WAKE;
}

static void make_chains(Figure *figure) {
    SimGarmentDef *braid = add_garment(figure, GOLDEN_BRAID, "braid_", 7, 1, (vec3){0.0f, 0.6f, 0.13f}, 1.0);
    braid->pose_stiffness[0] = 3.0f, braid->pose_stiffness[1] = 0.5f;
    braid->pose_damping = 0.3f;
    braid->angle_limit[0] = 30.0f, braid->angle_limit[1] = 70.0f;
    add_garment(figure, GOLDEN_BOB, "bob", 2, 1, (vec3){0.2f, 0.3f, 0.1f}, 1.0);
}

static void make_figure(Figure *figure) {
    *figure = (Figure){.rig = {.name = "figure",
                               .bones = figure->bones,
                               .bone_count = BONES,
                               .constraints = figure->constraints,
                               .colliders = figure->colliders,
                               .collider_count = COLLIDERS,
                               .garments = figure->garments,
                               .garment_count = GOLDEN_GARMENTS,
                               .seams = &figure->front,
                               .seam_count = 1,
                               .clips = &figure->clip,
                               .clip_count = 1}};
    for (int column = 0; column < MOST_COLUMNS; column++)
        figure->attach[column] = (SimSkin){{HIPS, SPINE}, {0.5f, 0.5f}};
    for (int p = 0; p < MOST_PARTICLES; p++)
        figure->skins[p] = (SimSkin){{SPINE, HIPS, LEFT}, {0.5f, 0.3f, 0.2f}};
    make_skeleton(figure);
    make_colliders(figure);
    make_grids(figure);
    make_chains(figure);
    make_clip(figure);
    figure->colliders[5].bone = sim_garment_bone_index(&figure->rig, GOLDEN_SKIRT, 3, 6);
    figure->front = sim_default_seam_def();
    figure->front.name = "front";
    figure->front.garments[0] = figure->front.garments[1] = GOLDEN_COAT;
    figure->front.columns[1] = figure->garments[GOLDEN_COAT].columns - 1;
    figure->front.first_rows[0] = figure->front.first_rows[1] = 1;
    figure->front.row_count = 4;
}

SimRigId golden_figure(SimWorld *world, SimIssue *out_issue) {
    Figure figure;
    make_figure(&figure);
    return sim_rig_create(world, &figure.rig, out_issue);
}

SimRigId golden_spring_figure(SimWorld *world, SimIssue *out_issue) {
    Figure figure;
    make_figure(&figure);
    for (int i = 0; i < GOLDEN_GARMENTS; i++)
        if (i != GOLDEN_ALAN_WAKE) figure.garments[i].solver = SIM_SOLVER_MASS_SPRING;
    return sim_rig_create(world, &figure.rig, out_issue);
}

// Some cells are one face, others two triangles.
static void make_faces(SimGarmentDef *garment, int (*faces)[4], bool *pinned, const SimSkin *skins) {
    static const int bones[] = {0, 2, 9, 20, 23, 31, 40, 47};
    for (int p = 0; p < garment->rows * garment->columns; p++) {
        const int column = p % garment->columns, below = p + garment->columns;
        pinned[p] = p < garment->columns;
        if (column + 1 == garment->columns || below >= garment->rows * garment->columns) continue;
        const bool whole = p % 3 == 0;
        const int face[2][4] = {{p, below, below + 1, whole ? p + 1 : -1}, {p, below + 1, p + 1, -1}};
        for (int i = 0; i < 4; i++) faces[garment->face_count][i] = face[0][i];
        for (int i = 0; i < 4 && !whole; i++) faces[garment->face_count + 1][i] = face[1][i];
        garment->face_count += whole ? 1 : 2;
    }
    garment->columns *= garment->rows;
    garment->rows = 1;
    garment->faces = (const int(*)[4])faces;
    garment->pinned = pinned;
    garment->skins = skins;
    garment->bone_particles = bones;
    garment->bone_particle_count = sizeof bones / sizeof *bones;
    garment->fabric.limit = garment->self_collision = 0.0f;
}

SimRigId golden_faces_figure(SimWorld *world, SimIssue *out_issue) {
    Figure figure;
    int faces[2][MOST_PARTICLES][4];
    bool pinned[2][MOST_PARTICLES];
    make_figure(&figure);
    SimGarmentDef *article = &figure.garments[GOLDEN_ALAN_WAKE];
    make_faces(&figure.garments[GOLDEN_CAPE], faces[0], pinned[0], figure.skins);
    make_faces(article, faces[1], pinned[1], figure.skins);
    article->collision = SIM_COLLISION_EXACT;
    article->hard = SIM_HARD_EXACT;
    article->bend = SIM_BEND_CURVATURE;
    article->solver = SIM_SOLVER_MASS_SPRING;
    figure.rig.seam_count = 0;
    return sim_rig_create(world, &figure.rig, out_issue);
}

// The sheet
// ------------------------------------------------------------------------------------------------------------

// A curtain before a body and over a ball.
static SimRigId make_sheet(SimWorld *world, SimSolver solver, SimIssue *out_issue) {
    static const SimSkin skin = {{0}, {1.0f}};
    float positions[SHEET_SIDE * SHEET_SIDE][3];
    SimSkin attach[SHEET_SIDE];
    SimBoneDef bone = sim_default_bone_def();
    bone.name = "rail";
    for (int p = 0; p < SHEET_SIDE * SHEET_SIDE; p++) {
        positions[p][0] = 0.04f * ((float)(p % SHEET_SIDE) - 0.5f * SHEET_SIDE);
        positions[p][1] = -0.03f * (float)(p / SHEET_SIDE);
        positions[p][2] = 0.01f * (float)(p / SHEET_SIDE);
    }
    for (int column = 0; column < SHEET_SIDE; column++) attach[column] = skin;
    SimColliderDef colliders[2] = {sim_default_collider_def(), sim_default_collider_def()};
    colliders[0].bone = colliders[1].bone = 0;
    colliders[0].name = "body", colliders[0].shape = SIM_COLLIDER_ELLIPSOID;
    colliders[0].center[1] = -0.8f, colliders[0].center[2] = 0.5f;
    colliders[0].radii[0] = 0.9f, colliders[0].radii[1] = 0.25f, colliders[0].radii[2] = 0.2f;
    colliders[1].name = "ball", colliders[1].shape = SIM_COLLIDER_SPHERE, colliders[1].radius = 0.2f;
    colliders[1].center[1] = -1.4f, colliders[1].center[2] = 0.7f;
    SimGarmentDef garment = sim_default_garment_def();
    garment.name = garment.bone_prefix = "sheet_";
    garment.rows = garment.columns = SHEET_SIDE;
    garment.positions = (const float(*)[3])positions;
    garment.attach = attach;
    garment.references = SIM_REFERENCES_ATTACH;
    garment.max_distance_bottom = 3.0f;
    garment.bone_column_step = 8;
    garment.fabric = golden_fabric(1);
    garment.solver = solver;
    SimRigDef rig = {.name = "sheet",
                     .bones = &bone,
                     .bone_count = 1,
                     .colliders = colliders,
                     .collider_count = 2,
                     .garments = &garment,
                     .garment_count = 1};
    return sim_rig_create(world, &rig, out_issue);
}

SimRigId golden_sheet(SimWorld *world, SimIssue *out_issue) {
    return make_sheet(world, SIM_SOLVER_VERLET, out_issue);
}

SimRigId golden_spring_sheet(SimWorld *world, SimIssue *out_issue) {
    return make_sheet(world, SIM_SOLVER_MASS_SPRING, out_issue);
}
