// Mass-spring cloth: Provot's hanging sheet, both solvers on one skirt, and sheets of 1,024 to 16,384
// particles; the same sheets as general meshes beside grids, with both solvers.
#include "bench.h"
#include "jacket.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SKIRT_ROWS = 12, SKIRT_COLUMNS = 32, SKIRT = SKIRT_ROWS * SKIRT_COLUMNS };
#define CALM 0.01 // m/s

enum { STANDING_TICKS = 1200 };
enum { SUBSTEPS = 4, SIZES = 6, LARGEST = 128, MOST_CHARACTERS = 16, PROVOT_TICKS = 900, MESH_BONES = 16 };

typedef struct Net {
    SimWorld *world;
    SimCharacterId character, others[MOST_CHARACTERS - 1];
    int other_count, rows, columns;
    bool closed;
    uint64_t ticks;
    bool shaken; // the root is moved to and fro
} Net;

typedef struct NetSetting {
    SimSolver solver;
    int rows, columns;
    bool body;    // a ring about the jacket's body, whose thighs swing
    bool corners; // hangs by two corners only
    bool shaken;
    bool faces; // the sheet is a general mesh of quads
    int others; // characters of the same rig beside it
    float limit;
    int limit_sweeps;
    SimFabricSpring spring;
} NetSetting;

static void place(const NetSetting *setting, int particle, float out[3]) {
    int row = particle / setting->columns, column = particle % setting->columns;
    float cell = setting->body ? 0.05f : setting->corners ? 0.06f : 0.015f;
    if (!setting->body) {
        memcpy(out, (float[3]){cell * (float)column, -cell * (float)row, 0.0f}, 3 * sizeof *out);
        return;
    }
    float turn = -6.2831853f * (float)column / (float)setting->columns, radius = 0.19f + 0.004f * (float)row;
    memcpy(out, (float[3]){radius * sinf(turn), 0.1f - cell * (float)row, radius * cosf(turn)},
           3 * sizeof *out);
}

static void fill_garment(const NetSetting *setting, SimGarmentDef *garment) {
    *garment = sim_default_garment_def();
    garment->name = "net";
    garment->bone_prefix = "net_";
    garment->rows = setting->rows;
    garment->columns = setting->columns;
    garment->closed = setting->body;
    garment->bone_column_step = setting->columns > SKIRT_COLUMNS ? setting->columns : 1;
    garment->solver = setting->solver;
    garment->limit_sweeps = setting->limit_sweeps;
    garment->references = setting->body ? SIM_REFERENCES_BLEND : SIM_REFERENCES_ATTACH;
    garment->max_distance_bottom = setting->body ? 0.5f : 10.0f;
    if (!setting->body) garment->max_distance_top = 10.0f;
    garment->fabric.density = 0.36f;
    garment->fabric.spring = setting->spring;
    garment->fabric.spring.limit = setting->limit;
    garment->fabric.world_motion = 1.0f;
}

// The body's thighs swing as the jacket's do.
static void fill_body(SimBoneDef *bones, SimColliderDef *colliders, versor *rotations, SimClipDef *clip) {
    for (int i = 0; i < JACKET_BONES; i++) {
        bones[i] = sim_default_bone_def();
        bones[i].name = jacket_bones[i].name;
        bones[i].parent = jacket_bones[i].parent;
        memcpy(bones[i].position, jacket_bones[i].position, sizeof(vec3));
        colliders[i] = sim_default_collider_def();
        colliders[i].name = jacket_bones[i].name;
        colliders[i].shape = SIM_COLLIDER_ELLIPSOID;
        colliders[i].bone = i;
        memcpy(colliders[i].center, jacket_bones[i].center, sizeof(vec3));
        memcpy(colliders[i].radii, jacket_bones[i].radii, sizeof(vec3));
    }
    for (int frame = 0; frame <= JACKET_STRIDE; frame++)
        for (int i = 0; i < JACKET_BONES; i++) {
            float half = 0.5f * jacket_bones[i].swing * sinf(6.2831853f * (float)frame / JACKET_STRIDE);
            memcpy(rotations[frame * JACKET_BONES + i], (versor){sinf(half), 0, 0, cosf(half)},
                   sizeof(versor));
        }
    *clip = sim_default_clip_def();
    clip->name = "stride";
    clip->loop_blend = 0.0f; // it ends as it begins
    clip->frame_count = JACKET_STRIDE + 1;
    clip->rotations = (const versor *)(const void *)rotations;
}

static void net_destroy(void *subject) {
    Net *net = subject;
    sim_world_destroy(net->world);
    free(net);
}

static void net_ticks(void *subject, int count) {
    Net *net = subject;
    for (int i = 0; i < count; i++, net->ticks++) {
        SimTransform root = SIM_TRANSFORM_IDENTITY;
        root.position[0] = 0.3f * sinf(0.1f * (float)(net->ticks % 1000000));
        if (net->shaken) sim_character_move(net->world, net->character, &root, SIM_TELEPORT_NONE);
        for (int k = 0; k < net->other_count; k++)
            sim_character_move(net->world, net->others[k], &root, SIM_TELEPORT_NONE);
        sim_world_step(net->world);
    }
}

// Quads in place of rows and columns.
static void take_faces(SimGarmentDef *garment) {
    static int faces[LARGEST * LARGEST][4], bone_particles[MESH_BONES];
    static SimSkin skins[LARGEST * LARGEST];
    const int columns = garment->columns, count = garment->rows * columns;
    garment->face_count = 0;
    for (int p = 0; p < count - columns; p++)
        if (p % columns + 1 < columns)
            memcpy(faces[garment->face_count++], (int[4]){p, p + columns, p + columns + 1, p + 1},
                   sizeof *faces);
    for (int p = 0; p < count; p++) skins[p] = (SimSkin){{0}, {1.0f}};
    garment->rows = 1;
    garment->columns = count;
    garment->faces = (const int(*)[4])faces;
    garment->skins = skins;
    garment->bone_column_step = 1;
    garment->bone_particles = bone_particles;
    garment->bone_particle_count = sim_garment_spread(garment, MESH_BONES, bone_particles);
}

static void *net_create(const void *setting_) {
    const NetSetting *setting = setting_;
    static float positions[LARGEST * LARGEST][3];
    static bool pinned[LARGEST * LARGEST];
    SimSkin attach[LARGEST] = {0};
    SimBoneDef bones[JACKET_BONES];
    SimColliderDef colliders[JACKET_BONES];
    static versor rotations[(JACKET_STRIDE + 1) * JACKET_BONES];
    SimClipDef clip;
    SimGarmentDef garment;
    SimIssue issue;
    const int count = setting->rows * setting->columns;
    fill_body(bones, colliders, rotations, &clip);
    fill_garment(setting, &garment);
    for (int column = 0; column < setting->columns; column++) attach[column].weights[0] = 1.0f;
    for (int p = 0; p < count; p++) {
        place(setting, p, positions[p]);
        pinned[p] = setting->corners ? p == 0 || p == setting->columns - 1 : p < setting->columns;
    }
    garment.positions = (const float(*)[3])(const void *)positions;
    garment.pinned = pinned;
    garment.attach = attach;
    if (setting->faces) take_faces(&garment);
    const SimRigDef rig = {.name = "net",
                           .bones = bones,
                           .bone_count = setting->body ? JACKET_BONES : 1,
                           .colliders = colliders,
                           .collider_count = setting->body ? JACKET_BONES : 0,
                           .garments = &garment,
                           .garment_count = 1,
                           .clips = &clip,
                           .clip_count = setting->body ? 1 : 0};
    const SimWorldDef def = sim_default_world_def();
    const SimTransform root = SIM_TRANSFORM_IDENTITY;
    const SimPlay looped = {.loop = true, .speed = 1.0f};
    Net *net = calloc(1, sizeof *net);
    if (!net) return NULL;
    *net = (Net){.world = sim_world_create(&def, &issue),
                 .rows = setting->rows,
                 .columns = setting->columns,
                 .closed = setting->body,
                 .shaken = setting->shaken};
    const SimRigId id = sim_rig_create(net->world, &rig, &issue);
    if (!id.index) fprintf(stderr, "the benchmark's net: %s: %s\n", issue.path, issue.message), exit(1);
    net->character = sim_character_create(net->world, id, &root, &issue);
    for (; net->other_count < setting->others; net->other_count++)
        net->others[net->other_count] = sim_character_create(net->world, id, &root, &issue);
    if (setting->body) sim_character_play(net->world, net->character, 0, &looped);
    net_ticks(net, 60);
    return net;
}

static double length_between(const float a[3], const float b[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += pow((double)b[k] - (double)a[k], 2.0);
    return sqrt(sum);
}

// The largest elongation between direct neighbours, or also along the diagonals.
static double worst_stretch(const Net *net, bool diagonals) {
    static float now[LARGEST * LARGEST][3], rest[LARGEST * LARGEST][3];
    const SimRigInfo *rig = sim_rig_info(net->world, sim_character_rig(net->world, net->character));
    double most = 0.0;
    sim_garment_particles_model(net->world, net->character, 0, now);
    memcpy(rest, rig->garments[0].rest_model, (size_t)(net->rows * net->columns) * sizeof *rest);
    for (int p = 0; p < net->rows * net->columns; p++) {
        const int row = p / net->columns, right = row * net->columns + (p + 1) % net->columns;
        if (net->closed || right > p)
            most = fmax(most, length_between(now[p], now[right]) / length_between(rest[p], rest[right]));
        if (row + 1 < net->rows)
            most = fmax(most, length_between(now[p], now[p + net->columns]) /
                                  length_between(rest[p], rest[p + net->columns]));
        if (!diagonals || row + 1 == net->rows || (right < p && !net->closed)) continue;
        const int below = p + net->columns, opposite = right + net->columns;
        most = fmax(most, length_between(now[p], now[opposite]) / length_between(rest[p], rest[opposite]));
        most = fmax(most, length_between(now[right], now[below]) / length_between(rest[right], rest[below]));
    }
    return most - 1.0;
}

static void print_provot(void) {
    static const struct {
        float limit;
        int sweeps;
    } rows[] = {{1.0f, 1}, {0.1f, 5}, {0.1f, 25}, {0.1f, 100}};
    bench_heading(
        "Provot's sheet: 12 x 32 particles of 1.3 g hang by two corners; springs of 200, 20, 5 N/m; 15 s");
    printf("  %-8s %20s %22s %14s\n", "limit", "sweeps a tick", "worst spring, % longer", "at rest, %");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const NetSetting setting = {.solver = SIM_SOLVER_MASS_SPRING,
                                    .rows = SKIRT_ROWS,
                                    .columns = SKIRT_COLUMNS,
                                    .corners = true,
                                    .limit = rows[i].limit,
                                    .limit_sweeps = rows[i].sweeps,
                                    .spring = {200.0f, 20.0f, 5.0f, 0.02f, 0.0f}};
        Net *net = net_create(&setting);
        double most = 0.0, last = 0.0;
        for (int tick = 0; net && tick < PROVOT_TICKS; tick++) {
            net_ticks(net, 1);
            last = worst_stretch(net, true);
            most = fmax(most, last);
        }
        if (rows[i].limit < 1.0f)
            printf("  %-8.2g %20d", (double)rows[i].limit, SUBSTEPS * rows[i].sweeps);
        else
            printf("  %-8s %20s", "none", "");
        printf(" %22.2f %14.2f\n", 100.0 * most, 100.0 * last);
        if (net) net_destroy(net);
    }
}

typedef float Points[SKIRT][3];

// How deep the cloth is in the body: points of each quad as a bilinear patch, 5 along each side.
static double worst_depth(const Net *net, Points now) {
    static float points[16 * (SKIRT - SKIRT_COLUMNS)][3];
    int count = 0;
    for (int p = 0; p < SKIRT - SKIRT_COLUMNS; p++)
        for (int i = 0; i < 16; i++, count++) {
            const int right = p - p % SKIRT_COLUMNS + (p + 1) % SKIRT_COLUMNS;
            const float a = 0.25f * (float)(i % 4), b = 0.25f * (float)(i / 4 + 1);
            for (int k = 0; k < 3; k++)
                points[count][k] =
                    (1.0f - b) * ((1.0f - a) * now[p][k] + a * now[right][k]) +
                    b * ((1.0f - a) * now[p + SKIRT_COLUMNS][k] + a * now[right + SKIRT_COLUMNS][k]);
        }
    return jacket_depth(net->world, net->character, points, count);
}

static double top_speed(Points before, Points now) {
    double most = 0.0;
    for (int p = 0; p < SKIRT; p++) most = fmax(most, 60.0 * length_between(before[p], now[p]));
    return most;
}

typedef struct Observed {
    double stretch, depth; // worst: share of rest, m
    double settle;         // s until no particle is faster than CALM; infinite: not while watched
} Observed;

// The skirt about thighs that stride, stop where they are farthest apart, and come together.
static Observed observe(Net *net) {
    static Points now, before;
    Observed observed = {0};
    for (int tick = 0; tick < 20 * JACKET_STRIDE; tick++) {
        net_ticks(net, 1);
        sim_garment_particles_model(net->world, net->character, 0, now);
        observed.stretch = fmax(observed.stretch, worst_stretch(net, false));
        observed.depth = fmax(observed.depth, worst_depth(net, now));
    }
    net_ticks(net, JACKET_STRIDE / 4);
    sim_character_stop(net->world, net->character, -1, 0.2f);
    int last = 0;
    for (int tick = 1; tick <= STANDING_TICKS; tick++) {
        sim_garment_particles_model(net->world, net->character, 0, before);
        net_ticks(net, 1);
        sim_garment_particles_model(net->world, net->character, 0, now);
        if (top_speed(before, now) > CALM) last = tick;
    }
    observed.settle = last < STANDING_TICKS ? last / 60.0 : HUGE_VAL;
    return observed;
}

static void print_solvers(void) {
    static const char *const names[] = {"verlet", "mass_spring"};
    NetSetting settings[2];
    BenchEntry entries[2];
    double seconds[2];
    for (int i = 0; i < 2; i++) {
        settings[i] = (NetSetting){.solver = (SimSolver)i,
                                   .rows = SKIRT_ROWS,
                                   .columns = SKIRT_COLUMNS,
                                   .body = true,
                                   .limit = 0.1f,
                                   .limit_sweeps = 100,
                                   .spring = sim_default_fabric().spring};
        entries[i] = (BenchEntry){names[i], &settings[i], net_create, net_ticks, net_destroy, JACKET_STRIDE};
    }
    bench_time(entries, 2, seconds);
    bench_heading("both solvers on a skirt of 12 x 32 particles, one, about thighs that stride; 60 Hz");
    printf("  %-14s %12s %24s %14s %12s %12s\n", "solver", "us a tick", "ns a particle-substep", "stretch, %",
           "depth, mm", "settled, s");
    for (int i = 0; i < 2; i++) {
        Net *net = net_create(&settings[i]);
        if (!net) return;
        const Observed observed = observe(net);
        printf("  %-14s %12.1f %24.1f %14.1f %12.2f %12.1f\n", names[i], 1e6 * seconds[i],
               1e9 * seconds[i] / (SUBSTEPS * SKIRT), 100.0 * observed.stretch, 1e3 * observed.depth,
               observed.settle);
        net_destroy(net);
    }
}

// Of a change of the garment's springs, us: the best of ten.
static double change_time(const Net *net) {
    double best = HUGE_VAL;
    for (int i = 0; i < 10; i++) {
        SimFabric fabric = sim_default_fabric();
        fabric.spring.shear *= 1.0f + 0.1f * (float)i;
        const clock_t begin = clock();
        sim_garment_set_fabric(net->world, net->character, 0, &fabric, true);
        best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    return 1e6 * best;
}

// Structural, shear and flexion springs; or edges, diagonals and bending elements.
static int link_count(int rows, int columns) {
    return rows * (columns - 1) + columns * (rows - 1) + 2 * (rows - 1) * (columns - 1) +
           rows * (columns - 2) + columns * (rows - 2);
}

static void print_sizes(void) {
    static const struct {
        int rows, columns, characters;
    } sheets[SIZES] = {{32, 32, 1}, {32, 32, 8}, {22, 48, 1}, {22, 50, 1}, {64, 64, 1}, {128, 128, 1}};
    NetSetting settings[SIZES];
    BenchEntry entries[SIZES];
    double seconds[SIZES];
    for (int i = 0; i < SIZES; i++) {
        settings[i] = (NetSetting){.solver = SIM_SOLVER_MASS_SPRING,
                                   .rows = sheets[i].rows,
                                   .columns = sheets[i].columns,
                                   .shaken = true,
                                   .others = sheets[i].characters - 1,
                                   .limit = 0.1f,
                                   .limit_sweeps = 10,
                                   .spring = sim_default_fabric().spring};
        entries[i] = (BenchEntry){"", &settings[i], net_create, net_ticks, net_destroy, 0};
    }
    bench_time(entries, SIZES, seconds);
    bench_heading("sheets of springs, a particle every 1.5 cm, shaken to and fro at 1.8 m/s; 60 Hz");
    printf("  %-16s %10s %10s %10s %12s %14s %18s %12s %10s\n", "rows x columns", "particles", "characters",
           "springs", "us a tick", "steps a tick", "ns a spring-step", "change, us", "unstable");
    for (int i = 0; i < SIZES; i++) {
        const int rows = sheets[i].rows, columns = sheets[i].columns, characters = sheets[i].characters;
        const int springs = link_count(rows, columns);
        char size[24];
        Net *net = net_create(&settings[i]);
        if (!net) return;
        const int steps = SUBSTEPS * sim_garment_springs(net->world, net->character, 0).steps;
        net_ticks(net, 300);
        snprintf(size, sizeof size, "%d x %d", rows, columns);
        printf("  %-16s %10d %10d %10d %12.1f %14d %18.2f %12.1f %10d\n", size, rows * columns, characters,
               springs, 1e6 * seconds[i], steps, 1e9 * seconds[i] / (steps * springs * characters),
               change_time(net), (int)sim_world_stats(net->world).unstable);
        net_destroy(net);
    }
}

// A general mesh has the links of the grid, and the grid's are solved in strips where it is large.
static void print_meshes(void) {
    enum { MESHES = 4, KINDS = 4 };
    static const struct { int side, characters; } sheets[MESHES] = {{32, 1}, {32, 16}, {64, 1}, {128, 1}};
    NetSetting settings[MESHES][KINDS];
    BenchEntry entries[MESHES * KINDS];
    double seconds[MESHES * KINDS];
    for (int i = 0; i < MESHES; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            settings[i][kind] = (NetSetting){.solver = kind < 2 ? SIM_SOLVER_VERLET : SIM_SOLVER_MASS_SPRING,
                                             .rows = sheets[i].side,
                                             .columns = sheets[i].side,
                                             .shaken = true,
                                             .faces = kind % 2 == 1,
                                             .others = sheets[i].characters - 1,
                                             .limit = 0.1f,
                                             .limit_sweeps = 10,
                                             .spring = sim_default_fabric().spring};
            entries[i * KINDS + kind] =
                (BenchEntry){"", &settings[i][kind], net_create, net_ticks, net_destroy, 0};
        }
    bench_time(entries, MESHES * KINDS, seconds);
    bench_heading(
        "the same sheets as grids and as general meshes, ns a link-substep of verlet, a spring-step "
        "of springs");
    printf("  %-10s %12s %10s %14s %16s %14s %16s\n", "particles", "characters", "links", "verlet, grid",
           "verlet, general", "springs, grid", "springs, general");
    for (int i = 0; i < MESHES; i++) {
        const int links = link_count(sheets[i].side, sheets[i].side);
        double each[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
            Net *net = net_create(&settings[i][kind]);
            if (!net) return;
            const int steps = SUBSTEPS * sim_garment_springs(net->world, net->character, 0).steps;
            each[kind] = 1e9 * seconds[i * KINDS + kind] / (steps * links * sheets[i].characters);
            net_destroy(net);
        }
        printf("  %-10d %12d %10d %14.2f %16.2f %14.2f %16.2f\n", sheets[i].side * sheets[i].side,
               sheets[i].characters, links, each[0], each[1], each[2], each[3]);
    }
}

void table_springs(void) {
    print_provot();
    print_solvers();
    print_sizes();
    print_meshes();
}
