// The order in which a rig's bones and constraints are solved: what a step reads is finished before it.
#include "rig/rig.h"

#include <stdio.h>

// Position before twist before aim where several act on one bone: an aim reads where its bone is, and has the
// last word on its direction.
static int rank(SimConstraintKind kind) {
    return kind == SIM_CONSTRAINT_POSITION ? 0 : kind == SIM_CONSTRAINT_TWIST ? 1 : 2;
}

static bool acts_on(const SimConstraintDef *constraint, int bone) {
    return constraint->bone == bone ||
           (constraint->kind == SIM_CONSTRAINT_POSITION && constraint->other == bone);
}

typedef struct Progress {
    const SimRig *rig;
    bool *placed; // [bone]
    bool *solved; // [constraint]
} Progress;

static bool is_final(const Progress *progress, int bone) {
    if (!progress->placed[bone]) return false;
    for (int i = 0; i < progress->rig->constraint_count; i++)
        if (!progress->solved[i] && acts_on(&progress->rig->constraints[i], bone)) return false;
    return true;
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

static bool is_ready(const Progress *progress, int index) {
    const SimConstraintDef *constraint = &progress->rig->constraints[index];
    if (!is_next_on(progress, index, constraint->bone)) return false;
    if (constraint->kind == SIM_CONSTRAINT_POSITION) return is_next_on(progress, index, constraint->other);
    return constraint->other < 0 || is_final(progress, constraint->other);
}

bool sim_rig_order_steps(SimRig *rig, SimIssue *out_issue) {
    size_t bones = (size_t)rig->posed_bone_count, constraints = (size_t)rig->constraint_count;
    Progress progress = {rig, sim_arena_take(&rig->arena, bones, 1),
                         sim_arena_take(&rig->arena, constraints, 1)};
    rig->steps = sim_arena_take(&rig->arena, bones + constraints, sizeof *rig->steps);
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
            if (progress.solved[i] || !is_ready(&progress, i)) continue;
            progress.solved[i] = advanced = true;
            rig->steps[rig->step_count++] = (SimRigStep){-1, i};
        }
    }
    for (int i = 0; i < rig->constraint_count; i++) {
        if (progress.solved[i]) continue;
        snprintf(out_issue->path, sizeof out_issue->path, "constraints[%d]", i);
        snprintf(out_issue->message, sizeof out_issue->message,
                 "what it follows depends on what it moves: bone \"%s\" waits for itself",
                 rig->info.bones[rig->constraints[i].bone].name);
        return false;
    }
    return true;
}
