// Validates seams and builds the pairs of particles that they join.
#include "core/issue.h"
#include "rig/rig.h"

#include <string.h>

static bool validate_end(const SimRigDef *def, int i, int end, SimIssue *issue);
static bool build_seam(SimRig *rig, const SimSeamDef *def, SimSeam *out);

bool sim_validate_seam(const SimRigDef *def, int i, SimIssue *out_issue) {
    const SimSeamDef *seam = &def->seams[i];
    if (!sim_is_name(seam->name))
        return sim_issue_set(out_issue, "expected 1 to 64 bytes without * ? [", "seams[%d].name", i);
    for (int j = 0; j < i; j++)
        if (strcmp(def->seams[j].name, seam->name) == 0)
            return sim_issue_set(out_issue, "is the name of another seam, too", "seams[%d].name", i);
    if (!validate_end(def, i, 0, out_issue) || !validate_end(def, i, 1, out_issue)) return false;
    if (seam->garments[0] == seam->garments[1] && seam->columns[0] == seam->columns[1])
        return sim_issue_set(out_issue, "expected another column than the first", "seams[%d].columns[1]", i);
    return true;
}

bool sim_seams_build(SimRig *rig, const SimRigDef *def) {
    SimSeamDef *infos = sim_arena_alloc(&rig->arena, (size_t)def->seam_count, sizeof *infos);
    rig->seams = sim_arena_alloc(&rig->arena, (size_t)def->seam_count, sizeof *rig->seams);
    if (rig->arena.failed) return false;
    for (int i = 0; i < def->seam_count; i++) {
        infos[i] = def->seams[i];
        infos[i].name = sim_arena_copy_text(&rig->arena, def->seams[i].name);
        if (!build_seam(rig, &def->seams[i], &rig->seams[i])) return false;
    }
    rig->info.seams = infos;
    rig->info.seam_count = def->seam_count;
    return !rig->arena.failed;
}

static bool validate_end(const SimRigDef *def, int i, int end, SimIssue *issue) {
    const SimSeamDef *seam = &def->seams[i];
    int garment = seam->garments[end], first = seam->first_rows[end];
    if (garment < 0 || garment >= def->garment_count)
        return sim_issue_set(issue, "expected the index of a garment", "seams[%d].garments[%d]", i, end);
    if (def->garments[garment].faces)
        return sim_issue_set(issue, "expected a grid, found faces without columns", "seams[%d].garments[%d]",
                             i, end);
    if (seam->columns[end] < 0 || seam->columns[end] >= def->garments[garment].columns)
        return sim_issue_set(issue, "expected the index of a column", "seams[%d].columns[%d]", i, end);
    if (first < 0 || first >= def->garments[garment].rows)
        return sim_issue_set(issue, "expected the index of a row", "seams[%d].first_rows[%d]", i, end);
    if (seam->row_count < 1 || seam->row_count > def->garments[garment].rows - first)
        return sim_issue_set(issue, "expected 1 to as many rows as both columns have left",
                             "seams[%d].row_count", i);
    return true;
}

static bool build_seam(SimRig *rig, const SimSeamDef *def, SimSeam *out) {
    SimTopology *topologies[2];
    out->pairs = sim_arena_alloc(&rig->arena, (size_t)def->row_count, sizeof *out->pairs);
    if (rig->arena.failed) return false;
    for (int end = 0; end < 2; end++) {
        topologies[end] = &rig->garments[def->garments[end]].topology;
        out->garments[end] = def->garments[end];
        out->columns[end] = def->columns[end];
    }
    for (int row = 0; row < def->row_count; row++) {
        int pair[2], pinned = 0;
        for (int end = 0; end < 2; end++) {
            pair[end] = (def->first_rows[end] + row) * topologies[end]->columns + def->columns[end];
            pinned += topologies[end]->pinned[pair[end]];
        }
        if (pinned < 2) memcpy(out->pairs[out->pair_count++], pair, sizeof pair);
    }
    out->first_gap = topologies[0]->seam_gap_count;
    topologies[0]->seam_gap_count += out->pair_count;
    return true;
}
