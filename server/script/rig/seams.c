// Builds seams: looks up garments and checks rows and columns.
#include "rig/build.h"

#include <cglm/vec3.h>
#include <string.h>

#define TOLERATED_GAP 0.005f // m

static void build_seam(ScriptRigBuild *build, const ScriptSeamDef *def, SimSeamDef *out);
static int find_garment(ScriptRigBuild *build, const char *name);
static bool check_column(ScriptRigBuild *build, int garment, int column);
static bool set_rows(ScriptRigBuild *build, const ScriptSeamDef *def, SimSeamDef *out);
static void check_name(ScriptRigBuild *build, const SimSeamDef *seams, int index);
static bool is_valid(const ScriptRigBuild *build, int seam);
static void lint_seam(ScriptRigBuild *build, const SimSeamDef *seam, bool rows_given);
static const float *particle(const SimRigDef *rig, const SimSeamDef *seam, int end, int row);
static float row_reach(const SimRigDef *rig, const SimSeamDef *seam, int end, int row);

void script_build_seams(ScriptRigBuild *build) {
    const ScriptList *list = &build->def->seams;
    const ScriptSeamDef *defs = list->items;
    SimSeamDef *seams = script_reader_alloc(build->reader, list->count, sizeof *seams);
    if (!seams) return;
    script_reader_key(build->reader, "seams");
    for (int i = 0; i < list->count; i++) {
        script_reader_index(build->reader, i + 1);
        build_seam(build, &defs[i], &seams[i]);
        check_name(build, seams, i);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    build->rig.seams = seams;
    build->rig.seam_count = list->count;
}

void script_seams_lint(ScriptRigBuild *build) {
    const ScriptSeamDef *defs = build->def->seams.items;
    script_reader_key(build->reader, "seams");
    for (int i = 0; i < build->rig.seam_count; i++) {
        if (!is_valid(build, i)) continue;
        script_reader_index(build->reader, i + 1);
        lint_seam(build, &build->rig.seams[i], defs[i].rows.items != NULL);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
}

static void build_seam(ScriptRigBuild *build, const ScriptSeamDef *def, SimSeamDef *out) {
    *out = sim_default_seam_def();
    out->name = def->name ? def->name : def->garment;
    out->closed = def->closed;
    out->garments[0] = find_garment(build, def->garment);
    out->columns[0] = def->column;
    out->columns[1] = def->to.column;
    script_reader_key(build->reader, "to");
    out->garments[1] = find_garment(build, def->to.garment);
    script_reader_leave(build->reader);
    if (out->garments[0] < 0 || out->garments[1] < 0) return;
    bool fine = check_column(build, out->garments[0], out->columns[0]);
    script_reader_key(build->reader, "to");
    fine = check_column(build, out->garments[1], out->columns[1]) && fine;
    if (fine && out->garments[0] == out->garments[1] && out->columns[0] == out->columns[1])
        script_reader_error_at(build->reader, "column",
                               "expected another column than %d: it cannot be sewn to itself",
                               out->columns[0]);
    script_reader_leave(build->reader);
    if (fine) set_rows(build, def, out);
}

// The index of the garment of that name; -1 if there is none or it has errors.
static int find_garment(ScriptRigBuild *build, const char *name) {
    const SimRigDef *rig = &build->rig;
    const char **names = script_reader_alloc(build->reader, rig->garment_count, sizeof *names);
    int count = 0;
    if (!name || !names) return -1; // reported already
    for (int i = 0; i < rig->garment_count; i++) {
        if (!rig->garments[i].name) continue;
        if (strcmp(rig->garments[i].name, name) == 0) return rig->garments[i].rows ? i : -1;
        names[count++] = rig->garments[i].name;
    }
    script_reader_index(build->reader, 1);
    script_reader_unknown(build->reader, "garment", name, names, count);
    script_reader_leave(build->reader);
    return -1;
}

static bool check_column(ScriptRigBuild *build, int garment, int column) {
    const int columns = build->rig.garments[garment].columns;
    if (build->rig.garments[garment].faces) {
        script_reader_error_at(build->reader, "column", "expected a grid: a general mesh has no columns");
        return false;
    }
    if (column < columns) return true;
    script_reader_error_at(build->reader, "column", "expected a column of 0 to %d, found %d", columns - 1,
                           column);
    return false;
}

// Reads {first, last}; by default all that both sides have.
static bool set_rows(ScriptRigBuild *build, const ScriptSeamDef *def, SimSeamDef *out) {
    const int *rows = def->rows.items;
    const int last = build->rig.garments[out->garments[0]].rows - 1;
    const int other_last = build->rig.garments[out->garments[1]].rows - 1;
    bool fine = true;
    if (rows && def->rows.count != 2) {
        script_reader_error_at(build->reader, "rows", "expected {first, last}, found a list of %d",
                               def->rows.count);
        return false;
    }
    script_reader_key(build->reader, "rows");
    for (int i = 0; rows && i < 2; i++) {
        const int least = i ? rows[0] : 0;
        if (rows[i] >= least && rows[i] <= last) continue;
        script_reader_index(build->reader, i + 1);
        script_reader_error(build->reader, "expected a row of %d to %d, found %d",
                            least < last ? least : last, last, rows[i]);
        script_reader_leave(build->reader);
        fine = false;
    }
    script_reader_leave(build->reader);
    if (!fine) return false;
    out->first_rows[0] = rows ? rows[0] : 0;
    out->first_rows[1] = def->to.row < 0 ? out->first_rows[0] : def->to.row;
    const int left = last - out->first_rows[0], other_left = other_last - out->first_rows[1];
    out->row_count = rows ? rows[1] - rows[0] + 1 : (left < other_left ? left : other_left) + 1;
    if (out->row_count >= 1 && out->row_count <= other_left + 1) return true;
    const int count = rows ? out->row_count : 1;
    script_reader_error_at(
        build->reader, "to", "expected %d row%s from row %d on, but \"%s\" ends with row %d", count,
        count == 1 ? "" : "s", out->first_rows[1], build->rig.garments[out->garments[1]].name, other_last);
    return false;
}

static void check_name(ScriptRigBuild *build, const SimSeamDef *seams, int index) {
    for (int i = 0; i < index; i++) {
        if (!seams[index].name || !seams[i].name || strcmp(seams[i].name, seams[index].name) != 0) continue;
        script_reader_error_at(build->reader, "name", "there is another seam \"%s\"", seams[index].name);
        return;
    }
}

// A seam and its garments.
static bool is_valid(const ScriptRigBuild *build, int seam) {
    const int *garments = build->rig.seams[seam].garments;
    if (script_rig_part_has_errors(build, "seams", seam + 1)) return false;
    for (int i = 0; i < 2; i++)
        if (garments[i] < 0 || script_rig_part_has_errors(build, "garments", garments[i] + 1)) return false;
    return true;
}

// The first row of a seam that is too high to reach the other side.
static void lint_seam(ScriptRigBuild *build, const SimSeamDef *seam, bool rows_given) {
    const SimRigDef *rig = &build->rig;
    const float apart =
        glm_vec3_distance((float *)particle(rig, seam, 0, 0), (float *)particle(rig, seam, 1, 0));
    for (int i = 0; i < seam->row_count; i++) {
        const int row = seam->first_rows[0] + i, other = seam->first_rows[1] + i;
        const float gap = apart - row_reach(rig, seam, 0, row) - row_reach(rig, seam, 1, other);
        if (gap <= TOLERATED_GAP || (row == 0 && other == 0 && !rows_given)) continue;
        script_reader_warn(build->reader,
                           "row %d cannot meet row %d: the columns hang %.0f mm apart, and %.0f mm stay open",
                           row, other, (double)apart * 1000.0, (double)gap * 1000.0);
        return;
    }
}

static const float *particle(const SimRigDef *rig, const SimSeamDef *seam, int end, int row) {
    const SimGarmentDef *garment = &rig->garments[seam->garments[end]];
    return garment->positions[row * garment->columns + seam->columns[end]];
}

// How far a row can move inwards: the length of the links above it.
static float row_reach(const SimRigDef *rig, const SimSeamDef *seam, int end, int row) {
    float length = 0.0f;
    for (int i = 1; i <= row; i++)
        length +=
            glm_vec3_distance((float *)particle(rig, seam, end, i - 1), (float *)particle(rig, seam, end, i));
    return length;
}
