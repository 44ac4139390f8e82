// The golden hash: all that the simulation can do comes out as the same bits, whatever the instruction set,
// lane, company, number of threads, compiler, optimisation and processor. Prints what it found; exit status 1
// if something differs. `golden TEXT` leaves it at the runs whose title has that text in it. Whoever changes
// on purpose what is simulated writes the new hashes here.
#include "scene.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTION_SETS = 4,
    FIGURE_TICKS = 72,
    SHEET_TICKS = 16,
    MOST_CHARACTERS = 40,
    MOST_THREADS = 4,
    MOST_PARTICLES = 4096,
    MOST_RUNS = 14
};

// One way to the same bits.
typedef struct Run {
    const char *instruction_set; // NULL: as the world chooses, where the first few are alone in their lanes
    int characters;              // of the same rig
    int subject;                 // which of them is looked at
    int guests;                  // more that come in the course of it, and leave
    int threads;
} Run;

static const Run figure_runs[MOST_RUNS] = {
    {"scalar", 1, 0, 0, 1},     {"alone_avx2", 1, 0, 0, 1}, {"alone_avx512", 1, 0, 0, 1},
    {"alone_avx2", 3, 2, 0, 2}, {"baseline", 3, 1, 0, 1},   {"avx2", 3, 2, 0, 1},
    {"avx512", 3, 0, 0, 1},     {"baseline", 6, 5, 0, 4},   {"avx2", 12, 11, 0, 2},
    {"avx512", 20, 19, 0, 4},   {NULL, 1, 0, 0, 1},         {NULL, 2, 1, 0, 2},
    {NULL, 1, 0, 4, 1},         {NULL, 40, 17, 0, 4},
};
static const Run sheet_runs[MOST_RUNS] = {
    {"scalar", 1, 0, 0, 1}, {"baseline", 1, 0, 0, 1}, {"avx2", 1, 0, 0, 1},
    {"avx512", 1, 0, 0, 1}, {NULL, 2, 1, 0, 2},       {NULL, 1, 0, 3, 4},
};

typedef SimRigId (*MakeRig)(SimWorld *world, SimIssue *out_issue);

typedef struct Subject {
    const char *name;
    MakeRig make_rig;
    int ticks;
    const Run *runs; // [MOST_RUNS], the rest without characters
    uint64_t hash;
} Subject;

static const Subject subjects[] = {
    {"figure", golden_figure, FIGURE_TICKS, figure_runs, 0x5a9e93082d7ca999u},
    {"sheet", golden_sheet, SHEET_TICKS, sheet_runs, 0x1d6349608a2e9b09u},
    {"spring figure", golden_spring_figure, FIGURE_TICKS, figure_runs, 0x65c46c128735cb17u},
    {"faces figure", golden_faces_figure, FIGURE_TICKS, figure_runs, 0x49493cf1a47d7143u},
    {"spring sheet", golden_spring_sheet, SHEET_TICKS, sheet_runs, 0xdc1b7ba54531608eu},
};

typedef struct Stage {
    SimWorld *world;
    SimRigId rig;
    SimCharacterId characters[MOST_CHARACTERS];
    int count;
    int subject;
} Stage;

static void fail(const char *what) {
    fprintf(stderr, "golden: %s\n", what);
    exit(1);
}

// Threads
// --------------------------------------------------------------------------------------------------------------

typedef struct Worker {
    pthread_t thread;
    SimWorld *world;
    int first, step;
} Worker;

static void *work(void *data) {
    const Worker *worker = data;
    for (int task = worker->first; task < sim_world_task_count(worker->world); task += worker->step)
        sim_world_run_task(worker->world, task);
    return NULL;
}

static void tick(SimWorld *world, int threads) {
    Worker workers[MOST_THREADS];
    sim_world_begin_tick(world);
    for (int i = 0; i < threads; i++) {
        workers[i] = (Worker){.world = world, .first = i, .step = threads};
        if (i > 0 && pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) fail("no thread");
    }
    work(&workers[0]);
    for (int i = 1; i < threads; i++) pthread_join(workers[i].thread, NULL);
    sim_world_end_tick(world);
}

// What happens
// ---------------------------------------------------------------------------------------------------------

// Everyone but the subject has a place, a pace and fabrics of their own.
static void enter(Stage *stage) {
    SimIssue issue;
    int index = stage->count++;
    bool subject = index == stage->subject;
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    if (!subject) root.position[0] = 0.7f * (float)(index + 1);
    SimCharacterId character = sim_character_create(stage->world, stage->rig, &root, &issue);
    if (!sim_character_exists(stage->world, character)) fail(issue.message);
    stage->characters[index] = character;
    const SimRigInfo *info = sim_rig_info(stage->world, stage->rig);
    for (int garment = 0; garment < info->garment_count && !subject; garment++) {
        SimFabric fabric = golden_fabric(index + garment);
        sim_garment_set_fabric(stage->world, character, garment, &fabric, false);
    }
    SimPlay looped = {.loop = true, .speed = subject ? 1.0f : 0.5f * (float)(index % 8)};
    if (info->clip_count > 0) sim_character_play(stage->world, character, 0, &looped);
}

static void leave(Stage *stage) {
    sim_character_destroy(stage->world, stage->characters[--stage->count]);
}

// Up and down, round, and twice too far for any motion.
static void move(const Stage *stage, SimCharacterId character, int at) {
    SimTransform root = sim_character_root(stage->world, character);
    int beat = at % 20;
    root.position[1] = 0.004f * (float)(beat * (20 - beat));
    root.position[2] += 0.02f;
    SimTeleport teleport = at == 34 ? SIM_TELEPORT_KEEP : at == 58 ? SIM_TELEPORT_RESET : SIM_TELEPORT_NONE;
    if (teleport != SIM_TELEPORT_NONE) root.position[0] += 2.0f;
    sim_character_move(stage->world, character, &root, teleport);
}

static void change_weather(SimWorld *world) {
    SimEnvironment environment = *sim_world_environment(world);
    environment.wind = (SimWind){{-4.0f, 0.5f, 3.0f}, 0.8f, 0.3f};
    sim_world_set_environment(world, &environment);
    sim_world_remove_tornado(world, "whirl");
}

// What is done to the subject before a tick.
static void act(const Stage *stage, int at) {
    SimCharacterId subject = stage->characters[stage->subject];
    const SimRigInfo *info = sim_rig_info(stage->world, stage->rig);
    move(stage, subject, at);
    SimFabric fabric = golden_fabric(3);
    if (at == 12) sim_garment_set_fabric(stage->world, subject, 0, &fabric, true);
    if (at == 40) change_weather(stage->world);
    if (info->seam_count > 0 && at == 20) sim_seam_set_closed(stage->world, subject, 0, false);
    if (info->seam_count > 0 && at == 44) sim_seam_set_closed(stage->world, subject, 0, true);
}

// What came of it
// --------------------------------------------------------------------------------------------------------

static uint64_t hash(uint64_t hash, const void *bytes, size_t count) { // FNV-1a
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

// Root, bones, particles, wrinkles and confidences of the subject.
static uint64_t look(const Stage *stage, uint64_t so_far) {
    static float numbers[MOST_PARTICLES][3];
    static float weights[2][MOST_PARTICLES];
    SimCharacterId subject = stage->characters[stage->subject];
    const SimRigInfo *info = sim_rig_info(stage->world, stage->rig);
    SimTransform root = sim_character_root(stage->world, subject);
    so_far = hash(so_far, &root, sizeof root);
    so_far = hash(so_far, sim_character_bones_model(stage->world, subject),
                  (size_t)info->bone_count * sizeof(mat4));
    for (int i = 0; i < info->garment_count; i++) {
        const SimGarmentInfo *garment = &info->garments[i];
        size_t bones = (size_t)garment->bone_count * sizeof(float);
        sim_garment_particles_model(stage->world, subject, i, numbers);
        so_far = hash(so_far, numbers, (size_t)garment->particle_count * sizeof numbers[0]);
        sim_garment_wrinkles(stage->world, subject, i, weights[0], weights[1]);
        so_far = hash(hash(so_far, weights[0], bones), weights[1], bones);
        sim_garment_bone_confidence(stage->world, subject, i, weights[0]);
        so_far = hash(so_far, weights[0], bones);
    }
    return so_far;
}

// False where this processor lacks the instruction set.
static bool run(const Run *run, MakeRig make_rig, int ticks, uint64_t *out_hash) {
    SimIssue issue;
    SimWorldDef def = golden_world();
    Stage stage = {.world = sim_world_create(&def, &issue), .subject = run->subject};
    if (!stage.world || !golden_blow(stage.world)) fail("no world");
    bool able = !run->instruction_set || sim_world_use_instruction_set(stage.world, run->instruction_set);
    if (able) {
        stage.rig = make_rig(stage.world, &issue);
        if (!stage.rig.index) fprintf(stderr, "%s: ", issue.path), fail(issue.message);
        while (stage.count < run->characters) enter(&stage);
        *out_hash = 0xcbf29ce484222325u;
    }
    for (int at = 0; able && at < ticks; at++) {
        for (int i = 0; at == ticks / 4 && i < run->guests; i++) enter(&stage);
        for (int i = 0; at == ticks / 2 && i < run->guests; i++) leave(&stage);
        act(&stage, at);
        tick(stage.world, run->threads);
        *out_hash = look(&stage, *out_hash);
    }
    if (sim_world_stats(stage.world).unstable > 0) fail("cloth became unstable");
    sim_world_destroy(stage.world);
    return able;
}

// How many runs with this text in their title came out otherwise than expected.
static int run_some(const char *text, const Subject *subject) {
    const Run *runs = subject->runs;
    int different = 0;
    for (int i = 0; i < MOST_RUNS && runs[i].characters > 0; i++) {
        char title[128];
        uint64_t found = 0;
        snprintf(title, sizeof title, "%s %d of %d, %d guests, %d threads, %s", subject->name,
                 runs[i].subject, runs[i].characters, runs[i].guests, runs[i].threads,
                 runs[i].instruction_set ? runs[i].instruction_set : "the world's choice");
        if (!strstr(title, text)) continue;
        bool able = run(&runs[i], subject->make_rig, subject->ticks, &found);
        different += able && found != subject->hash;
        printf("%s: ", title);
        if (!able)
            printf("this processor lacks it\n");
        else
            printf("%016llx%s\n", (unsigned long long)found,
                   found == subject->hash ? "" : " IS NOT THE GOLDEN HASH");
    }
    return different;
}

int main(int argc, char **argv) {
    const char *text = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    int different = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
        different += run_some(text, &subjects[i]);
    return different > 0;
}
