// Builds a rig: the order of its parts, and errors that only sim finds.
#include "rig/build.h"

#include <cglm/cglm.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTICLE_NS 200.0
#define CONTACT_NS  15.0  // of a particle and a collider
#define NEAR_NS     200.0 // of a particle and another that self-collision keeps off

static bool check_cost(ScriptRigBuild *build);
static double near_count(const SimGarmentDef *garment);
static void report_meshes(const ScriptRigBuild *build, const SimRigInfo *rig);
static void report_springs(ScriptRigBuild *build, const SimRigInfo *rig);
static void report_issue(ScriptRigBuild *build, const SimIssue *issue);
static const char *key_of(const char *list);

bool script_rig_build(ScriptReader *reader, const ScriptHost *host, const char *name,
                      const ScriptCharacterDef *def, SimRigId *out_rig) {
    ScriptRigBuild build = {.reader = reader, .host = host, .def = def, .rig = {.name = name}};
    SimIssue issue;
    *out_rig = (SimRigId){0};
    script_build_bones(&build);
    script_build_constraints(&build);
    script_build_colliders(&build);
    script_build_garments(&build);
    script_build_collider_bones(&build);
    script_build_seams(&build);
    script_build_clips(&build);
    script_build_default_meshes(&build);
    script_build_meshes(&build);
    script_build_covers(&build);
    script_build_bind_pose(&build);
    const bool is_whole = !script_reader_failed(reader) && build.bones_known;
    bool made = is_whole && sim_validate_rig_def(&build.rig, &issue);
    if (is_whole && !made) report_issue(&build, &issue);
    made = made && check_cost(&build);
    if (host->checking && !reader->out_of_memory) script_rig_lint(&build);
    if (!made) return false;
    if (host->world) {
        *out_rig = sim_rig_create(host->world, &build.rig, &issue);
        made = out_rig->index != 0;
    }
    if (!made) report_issue(&build, &issue);
    if (made && host->world) {
        report_meshes(&build, sim_rig_info(host->world, *out_rig));
        report_springs(&build, sim_rig_info(host->world, *out_rig));
    }
    return made;
}

// Whether the rig is not too heavy for a tick. What takes the time are particles, and their contacts with
// colliders and each other; measured on a core at 2.5 GHz, four substeps a tick.
static bool check_cost(ScriptRigBuild *build) {
    double cost_ns = 0.0, particles = 0.0, near_ns = 0.0;
    for (int i = 0; i < build->rig.garment_count; i++) {
        const SimGarmentDef *garment = &build->rig.garments[i];
        const int colliders =
            garment->collider_count < 0 ? build->rig.collider_count : garment->collider_count;
        const double count = (double)garment->rows * (double)garment->columns;
        particles += count;
        near_ns += count * near_count(garment) * NEAR_NS;
        cost_ns += count * (PARTICLE_NS + CONTACT_NS * (double)colliders);
    }
    cost_ns += near_ns;
    if (build->host->most_rig_ns == 0 || cost_ns <= (double)build->host->most_rig_ns) return true;
    script_reader_error_at(
        build->reader, "garments",
        "are too heavy: %.0f particles and %d colliders%s take about %.0f ms a tick, which has "
        "%.1f ms; --allow-heavy loads them all the same",
        particles, build->rig.collider_count, near_ns > 0.5 * cost_ns ? ", mostly by self_collision," : "",
        1e-6 * cost_ns, 1e-6 * (double)build->host->most_rig_ns);
    return false;
}

// Of a particle: how many others self-collision keeps off, while the cloth is about as at rest.
static double near_count(const SimGarmentDef *garment) {
    if (!(garment->self_collision > 0.0f)) return 0.0;
    const int count = garment->rows * garment->columns;
    double length = 0.0;
    for (int p = garment->columns; p < count; p++)
        length += (double)glm_vec3_distance((float *)garment->positions[p],
                                            (float *)garment->positions[p - garment->columns]);
    if (!(length > 0.0)) return 0.0;
    const double links = (double)garment->self_collision * (double)(count - garment->columns) / length;
    return fmin((double)count, 3.1416 * links * links);
}

// What became of meshes that are cloth.
static void report_meshes(const ScriptRigBuild *build, const SimRigInfo *rig) {
    const ScriptCallbacks *callbacks = &build->host->callbacks;
    const ScriptItem *items = build->def->garments.items;
    char text[640];
    for (int i = 0; callbacks->report && i < rig->garment_count; i++) {
        const SimGarmentInfo *garment = &rig->garments[i];
        const ScriptGarmentDef *def = items[i].value;
        if (!def->mesh) continue;
        if (!def->general)
            snprintf(text, sizeof text, "garment \"%s\": the mesh is a grid of %d rows and %d columns",
                     garment->name, garment->rows, garment->columns);
        else
            snprintf(text, sizeof text, "garment \"%s\": a general mesh of %d particles%s%s", garment->name,
                     garment->particle_count, def->no_grid ? ", as no grid was found: " : "",
                     def->no_grid ? def->no_grid : "");
        callbacks->report(callbacks->context, build->reader->file, text);
    }
}

// Springs that are simulated softer than the fabric says are worth a warning to authors who do not check,
// too.
static void report_springs(ScriptRigBuild *build, const SimRigInfo *rig) {
    const ScriptCallbacks *callbacks = &build->host->callbacks;
    char warning[SIM_SPRING_WARNING_SIZE], text[160];
    script_reader_key(build->reader, "garments");
    for (int i = 0; i < rig->garment_count; i++) {
        const SimGarmentInfo *garment = &rig->garments[i];
        if (garment->solver != SIM_SOLVER_MASS_SPRING) continue;
        script_reader_index(build->reader, i + 1);
        script_reader_key(build->reader, "fabric");
        if (sim_spring_warning(&build->rig.garments[i].fabric, &garment->springs, warning))
            script_reader_warn(build->reader, "%s", warning);
        script_reader_leave(build->reader);
        script_reader_leave(build->reader);
        if (!build->host->checking || !callbacks->report) continue;
        snprintf(text, sizeof text,
                 "garment \"%s\": springs take %d steps in 1/60 s; stable are up to %.3g ms", garment->name,
                 4 * garment->springs.steps, 1e3 * (double)garment->springs.stable_step);
        callbacks->report(callbacks->context, build->reader->file, text);
    }
    script_reader_leave(build->reader);
}

// Reports an issue of sim with its path in the author's terms.
static void report_issue(ScriptRigBuild *build, const SimIssue *issue) {
    char path[sizeof issue->path];
    snprintf(path, sizeof path, "%s", issue->path);
    int steps = 0;
    const char *list = "";
    for (char *part = strtok(path, ".]"); part; part = strtok(NULL, ".]")) {
        char *bracket = strchr(part, '[');
        if (bracket) *bracket = '\0';
        int index = bracket ? (int)strtol(bracket + 1, NULL, 10) : 0;
        if (steps == 0) list = part;
        if (*part) {
            script_reader_key(build->reader, key_of(part));
            steps++;
        }
        if (!bracket) continue;
        steps++;
        if (steps == 2 && strcmp(list, "clips") == 0 && index < build->rig.clip_count)
            script_reader_key(build->reader, build->rig.clips[index].name);
        else if (steps == 2 && strcmp(list, "constraints") == 0 && index < build->rig.constraint_count)
            script_reader_index(build->reader, build->driven_indices[index]);
        else if (steps == 2 && strcmp(list, "colliders") == 0 && index < build->rig.collider_count)
            script_reader_index(build->reader, build->collider_indices[index]);
        else
            script_reader_index(build->reader, index + 1);
    }
    script_reader_error(build->reader, "%s", issue->message);
    for (; steps > 0; steps--) script_reader_leave(build->reader);
}

// The author's key for a list in sim's definition.
static const char *key_of(const char *list) {
    if (strcmp(list, "constraints") == 0) return "driven";
    return strcmp(list, "bones") == 0 ? "skeleton" : list;
}
