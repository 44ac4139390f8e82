// The order in which bones and constraints are solved, and in which garments are stepped: what a step reads
// is finished before it.
#include "core/issue.h"
#include "rig/rig.h"

#include <stdio.h>

typedef struct Progress {
    const SimRig *rig;
    bool *placed; // [bone]
    bool *solved; // [constraint]
} Progress;

static bool is_final(const Progress *progress, int bone);
static bool acts_on(const SimConstraintDef *constraint, int bone);
static bool constraint_is_ready(const Progress *progress, int index);
static bool is_next_on(const Progress *progress, int constraint, int bone);
static int rank(SimConstraintKind kind);
static int collider_count(const SimRigDef *def, int garment);
static int garment_of(const SimRigDef *def, int bone);
static void join_sewn(SimRig *rig, const SimRigDef *def);
static void join(SimRig *rig, int garment_count, int one, int other);
static void join_layers(SimRig *rig, const SimRigDef *def);
static bool carries_collider(const SimRig *rig, const SimRigDef *def, int island);
static bool check_own(const SimRig *rig, const SimRigDef *def, int garment, SimIssue *issue);
static int collider_at(const SimRigDef *def, int garment, int k);
static bool island_is_ready(const SimRig *rig, const SimRigDef *def, const bool *stepped, int island);
static int waits_for(const SimRig *rig, const SimRigDef *def, const bool *stepped, int garment);
static void add_island(SimRig *rig, const SimRigDef *def, int number);
static bool report_circle(const SimRig *rig, const SimRigDef *def, const bool *stepped, SimIssue *issue);

bool sim_rig_order_steps(SimRig *rig, SimIssue *out_issue) {
    size_t bones = (size_t)rig->posed_bone_count, constraints = (size_t)rig->constraint_count;
    Progress progress = {rig, sim_arena_alloc(&rig->arena, bones, 1),
                         sim_arena_alloc(&rig->arena, constraints, 1)};
    rig->steps = sim_arena_alloc(&rig->arena, bones + constraints, sizeof *rig->steps);
    if (rig->arena.failed) return false;
    for (bool advanced = true; advanced;) {
        advanced = false;
        for (int bone = 0; bone < rig->posed_bone_count; bone++) {
            int parent = rig->info.bones[bone].parent;
            if (progress.placed[bone] || (parent >= 0 && !is_final(&progress, parent))) continue;
            progress.placed[bone] = advanced = true;
            rig->steps[rig->step_count++] = (SimRigStep){bone, -1};
        }
        for (int i = 0; i < rig->constraint_count; i++) {
            if (progress.solved[i] || !constraint_is_ready(&progress, i)) continue;
            progress.solved[i] = advanced = true;
            rig->steps[rig->step_count++] = (SimRigStep){-1, i};
        }
    }
    for (int i = 0; i < rig->constraint_count; i++) {
        if (progress.solved[i]) continue;
        snprintf(out_issue->path, sizeof out_issue->path, "constraints[%d]", i);
        snprintf(out_issue->message, sizeof out_issue->message,
                 "the constraints form a circle: bone \"%s\" depends on itself",
                 rig->info.bones[rig->constraints[i].bone].name);
        return false;
    }
    return true;
}

bool sim_rig_meets_collider(const SimRig *rig, int garment, int collider) {
    int carrier = rig->collider_garment[collider];
    return carrier < 0 || rig->garment_island[carrier] != rig->garment_island[garment];
}

bool sim_rig_order_islands(SimRig *rig, const SimRigDef *def, SimIssue *out_issue) {
    size_t garments = (size_t)def->garment_count;
    rig->collider_garment = sim_arena_alloc(&rig->arena, (size_t)def->collider_count, sizeof(int));
    rig->garment_island = sim_arena_alloc(&rig->arena, garments, sizeof(int));
    rig->islands = sim_arena_alloc(&rig->arena, garments, sizeof *rig->islands);
    bool *stepped = sim_arena_alloc(&rig->arena, garments, sizeof *stepped);
    if (rig->arena.failed) return false;
    for (int i = 0; i < def->collider_count; i++)
        rig->collider_garment[i] = garment_of(def, def->colliders[i].bone);
    join_sewn(rig, def);
    join_layers(rig, def);
    for (int g = 0; g < def->garment_count; g++)
        if (!check_own(rig, def, g, out_issue)) return false;
    for (bool advanced = true; advanced;) {
        advanced = false;
        for (int g = 0; g < def->garment_count; g++) {
            int island = rig->garment_island[g];
            if (stepped[island] || !island_is_ready(rig, def, stepped, island)) continue;
            add_island(rig, def, island);
            stepped[island] = advanced = true;
        }
    }
    for (int g = 0; g < def->garment_count; g++)
        if (!stepped[rig->garment_island[g]]) return report_circle(rig, def, stepped, out_issue);
    return !rig->arena.failed;
}

static bool is_final(const Progress *progress, int bone) {
    if (!progress->placed[bone]) return false;
    for (int i = 0; i < progress->rig->constraint_count; i++)
        if (!progress->solved[i] && acts_on(&progress->rig->constraints[i], bone)) return false;
    return true;
}

static bool acts_on(const SimConstraintDef *constraint, int bone) {
    return constraint->bone == bone ||
           (constraint->kind == SIM_CONSTRAINT_POSITION && constraint->other == bone);
}

static bool constraint_is_ready(const Progress *progress, int index) {
    const SimConstraintDef *constraint = &progress->rig->constraints[index];
    if (!is_next_on(progress, index, constraint->bone)) return false;
    if (constraint->kind == SIM_CONSTRAINT_POSITION) return is_next_on(progress, index, constraint->other);
    if (constraint->kind == SIM_CONSTRAINT_SLIDE && !is_final(progress, constraint->base)) return false;
    return constraint->other < 0 || is_final(progress, constraint->other);
}

// Constraints of lower rank on the same bone come first; those of one rank in the author's order.
static bool is_next_on(const Progress *progress, int constraint, int bone) {
    const SimConstraintDef *constraints = progress->rig->constraints;
    for (int i = 0; i < progress->rig->constraint_count; i++) {
        if (i == constraint || progress->solved[i] || !acts_on(&constraints[i], bone)) continue;
        int difference = rank(constraints[i].kind) - rank(constraints[constraint].kind);
        if (difference < 0 || (difference == 0 && i < constraint)) return false;
    }
    return progress->placed[bone];
}

// Position and slide before twist before aim when several act on one bone: an aim reads its bone's position
// and decides its direction.
static int rank(SimConstraintKind kind) {
    return kind == SIM_CONSTRAINT_TWIST ? 1 : kind == SIM_CONSTRAINT_AIM ? 2 : 0;
}

static int collider_count(const SimRigDef *def, int garment) {
    int listed = def->garments[garment].collider_count;
    return listed < 0 ? def->collider_count : listed;
}

// The garment that has the bone; -1 for a bone of the skeleton or the driven layer.
static int garment_of(const SimRigDef *def, int bone) {
    int last = def->bone_count;
    for (int garment = 0; garment < def->garment_count && bone >= def->bone_count; garment++) {
        last += sim_garment_bone_count(&def->garments[garment]);
        if (bone < last) return garment;
    }
    return -1;
}

// Joined garments get the number of the first of them.
static void join_sewn(SimRig *rig, const SimRigDef *def) {
    for (int g = 0; g < def->garment_count; g++) rig->garment_island[g] = g;
    for (int i = 0; i < def->seam_count; i++)
        join(rig, def->garment_count, def->seams[i].garments[0], def->seams[i].garments[1]);
}

static void join(SimRig *rig, int garment_count, int one, int other) {
    int a = rig->garment_island[one], b = rig->garment_island[other];
    for (int g = 0; g < garment_count; g++)
        if (rig->garment_island[g] == (a > b ? a : b)) rig->garment_island[g] = a < b ? a : b;
}

// Garments with self-collision meet each other, too. Those that carry a collider are left out: the garments
// of one island do not see each other's colliders.
static void join_layers(SimRig *rig, const SimRigDef *def) {
    for (int a = 0; a < def->garment_count; a++)
        for (int b = 0; b < a; b++) {
            if (def->garments[a].self_collision <= 0.0f || def->garments[b].self_collision <= 0.0f) continue;
            if (carries_collider(rig, def, rig->garment_island[a])) continue;
            if (!carries_collider(rig, def, rig->garment_island[b])) join(rig, def->garment_count, a, b);
        }
}

static bool carries_collider(const SimRig *rig, const SimRigDef *def, int island) {
    for (int i = 0; i < def->collider_count; i++)
        if (rig->collider_garment[i] >= 0 && rig->garment_island[rig->collider_garment[i]] == island)
            return true;
    return false;
}

static bool check_own(const SimRig *rig, const SimRigDef *def, int garment, SimIssue *issue) {
    for (int k = 0; k < def->garments[garment].collider_count; k++) {
        int collider = collider_at(def, garment, k);
        if (sim_rig_meets_collider(rig, garment, collider)) continue;
        int carrier = rig->collider_garment[collider];
        if (carrier == garment)
            return sim_issue_set(issue, "moves with a bone of this garment", "garments[%d].colliders[%d]",
                                 garment, k);
        char message[160];
        snprintf(message, sizeof message, "moves with a bone of \"%s\", which is sewn to this garment",
                 def->garments[carrier].name);
        return sim_issue_set(issue, message, "garments[%d].colliders[%d]", garment, k);
    }
    return true;
}

// Colliders of a garment's list, or all.
static int collider_at(const SimRigDef *def, int garment, int k) {
    return def->garments[garment].collider_count < 0 ? k : def->garments[garment].colliders[k];
}

static bool island_is_ready(const SimRig *rig, const SimRigDef *def, const bool *stepped, int island) {
    for (int g = 0; g < def->garment_count; g++)
        if (rig->garment_island[g] == island && waits_for(rig, def, stepped, g) >= 0) return false;
    return true;
}

// The first collider in the garment's list on an island that is not stepped yet; -1: none.
static int waits_for(const SimRig *rig, const SimRigDef *def, const bool *stepped, int garment) {
    for (int k = 0; k < collider_count(def, garment); k++) {
        int collider = collider_at(def, garment, k), carrier = rig->collider_garment[collider];
        if (carrier < 0 || !sim_rig_meets_collider(rig, garment, collider)) continue;
        if (!stepped[rig->garment_island[carrier]]) return k;
    }
    return -1;
}

static void add_island(SimRig *rig, const SimRigDef *def, int number) {
    SimIsland *island = &rig->islands[rig->island_count++];
    island->garments = sim_arena_alloc(&rig->arena, (size_t)def->garment_count, sizeof(int));
    island->seams = sim_arena_alloc(&rig->arena, (size_t)def->seam_count, sizeof(int));
    if (rig->arena.failed) return;
    for (int g = 0; g < def->garment_count; g++)
        if (rig->garment_island[g] == number) island->garments[island->garment_count++] = g;
    for (int i = 0; i < def->seam_count; i++)
        if (rig->garment_island[def->seams[i].garments[0]] == number) island->seams[island->seam_count++] = i;
}

static bool report_circle(const SimRig *rig, const SimRigDef *def, const bool *stepped, SimIssue *issue) {
    int garment = 0;
    while (stepped[rig->garment_island[garment]] || waits_for(rig, def, stepped, garment) < 0) garment++;
    int k = waits_for(rig, def, stepped, garment);
    const char *carrier = def->garments[rig->collider_garment[collider_at(def, garment, k)]].name;
    char message[200];
    snprintf(message, sizeof message,
             "garments depend on each other in a circle: \"%s\" meets collider \"%s\" on a bone of \"%s\"",
             def->garments[garment].name, def->colliders[collider_at(def, garment, k)].name, carrier);
    if (def->garments[garment].collider_count < 0)
        return sim_issue_set(issue, message, "garments[%d].colliders", garment);
    return sim_issue_set(issue, message, "garments[%d].colliders[%d]", garment, k);
}
