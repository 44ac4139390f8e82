// Regions of other fabric: scales the numbers of a topology by how each particle's fabric differs from the
// garment's, so that the kernel solves them like any others.
#include "topology/regions.h"

#include "core/issue.h"

#include <math.h>
#include <stddef.h>

#define MOST_RATIO 1e4f // and least, inverse, between two fabrics' values

typedef struct Regions {
    const SimGarmentDef *def;
    SimTopology *topology;
} Regions;

static float value_of(const SimFabric *fabric, size_t offset);
static float bending(const Regions *regions, int particle);
static bool differs(const Regions *regions, size_t offset);
static bool set_wind(const Regions *regions, SimArena *arena);
static void set_masses(const Regions *regions);
static int face_count(const SimTopology *topology);
static int face_corners(const SimTopology *topology, int face, int out_corners[4]);
static void set_lines(const Regions *regions);
static void set_links(const Regions *regions);
static void set_springs(const Regions *regions);
static bool set_damping(const Regions *regions, SimArena *arena);
static bool set_thickness(const Regions *regions, SimArena *arena);

#define OF(member) offsetof(SimFabric, member)

bool sim_regions_apply(SimArena *arena, const SimGarmentDef *def, SimTopology *topology) {
    const Regions regions = {def, topology};
    if (!set_thickness(&regions, arena)) return false;
    if (!def->regions) return true;
    if (!set_wind(&regions, arena) || !set_damping(&regions, arena)) return false;
    set_masses(&regions);
    set_lines(&regions);
    set_links(&regions);
    set_springs(&regions);
    return true;
}

bool sim_validate_regions(const SimGarmentDef *def, int garment, SimIssue *out_issue) {
    const int count = def->rows * def->columns;
    SimIssue inner;
    if ((def->regions || def->thicknesses) && (def->kind != SIM_GARMENT_CLOTH || def->columns < 2))
        return sim_issue_set(out_issue, "expected none but in cloth", "garments[%d].regions", garment);
    for (int i = 0; i < def->region_fabric_count; i++)
        if (!sim_validate_fabric(&def->region_fabrics[i], &inner))
            return sim_issue_set(out_issue, inner.message, "garments[%d].region_fabrics[%d].%s", garment, i,
                                 inner.path);
    for (int p = 0; def->regions && p < count; p++)
        if (def->regions[p] < -1 || def->regions[p] >= def->region_fabric_count)
            return sim_issue_set(out_issue, "expected -1 or the index of a region's fabric",
                                 "garments[%d].regions[%d]", garment, p);
    for (int p = 0; def->thicknesses && p < count; p++)
        if (!(def->thicknesses[p] <= 0.1f))
            return sim_issue_set(out_issue, "expected 0 to 0.1 m, or below 0", "garments[%d].thicknesses[%d]",
                                 garment, p);
    return true;
}

// Of a number of a particle's fabric to that of the garment's, 1 where the garment's is 0.
static float ratio(const Regions *regions, int particle, size_t offset) {
    const SimGarmentDef *def = regions->def;
    const int region = def->regions ? def->regions[particle] : -1;
    if (region < 0) return 1.0f;
    const float own = value_of(&def->fabric, offset), other = value_of(&def->region_fabrics[region], offset);
    return own > 0.0f ? fminf(fmaxf(other / own, 1.0f / MOST_RATIO), MOST_RATIO) : 1.0f;
}

static float value_of(const SimFabric *fabric, size_t offset) {
    if (offset == OF(stretch_weft)) return sim_fabric_stretch_weft(fabric);
    return *(const float *)((const char *)fabric + offset);
}

// The mean of some particles.
static float ratio_of(const Regions *regions, const int *particles, int count, size_t offset) {
    float sum = 0.0f;
    for (int i = 0; i < count; i++) sum += ratio(regions, particles[i], offset);
    return sum / (float)count;
}

// By what the compliance of a link is multiplied: each half of it is of the fabric at its end.
static float softness(const Regions *regions, int a, int b, size_t offset) {
    return 0.5f * (1.0f / ratio(regions, a, offset) + 1.0f / ratio(regions, b, offset));
}

// Of the bending stiffness, density g drape^3.
static float bending(const Regions *regions, int particle) {
    const float drape = ratio(regions, particle, OF(drape));
    return fminf(ratio(regions, particle, OF(density)) * drape * drape * drape, MOST_RATIO);
}

static bool differs(const Regions *regions, size_t offset) {
    bool found = false;
    for (int p = 0; p < regions->topology->particle_count; p++)
        found = found || ratio(regions, p, offset) != 1.0f;
    return found;
}

// The rate at which the air moves a face, over the garment's.
static bool set_wind(const Regions *regions, SimArena *arena) {
    SimTopology *topology = regions->topology;
    const int count = face_count(topology);
    if (!differs(regions, OF(density)) && !differs(regions, OF(wind))) return true;
    topology->quad_wind = sim_arena_alloc(arena, (size_t)count, sizeof(float));
    for (int face = 0; topology->quad_wind && face < count; face++) {
        int corners[4];
        const int corner_count = face_corners(topology, face, corners);
        topology->quad_wind[face] = ratio_of(regions, corners, corner_count, OF(wind)) /
                                    ratio_of(regions, corners, corner_count, OF(density));
    }
    return topology->quad_wind != NULL;
}

// Areas count as those of the garment's fabric that weigh as much.
static void set_masses(const Regions *regions) {
    SimTopology *topology = regions->topology;
    float *area = topology->inverse_area; // until it is inverted
    if (!differs(regions, OF(density))) return;
    for (int p = 0; p < topology->particle_count; p++) area[p] = 0.0f;
    for (int face = 0; face < face_count(topology); face++) {
        int corners[4];
        const int count = face_corners(topology, face, corners);
        topology->quad_area[face] *= ratio_of(regions, corners, count, OF(density));
        for (int i = 0; i < count; i++) area[corners[i]] += topology->quad_area[face] / (float)count;
    }
    for (int p = 0; p < topology->particle_count; p++) area[p] = topology->pinned[p] ? 0.0f : 1.0f / area[p];
}

static int face_count(const SimTopology *topology) {
    const int links = topology->closed ? topology->columns : topology->columns - 1;
    return topology->face_count > 0 ? topology->face_count : (topology->rows - 1) * links;
}

// Returns how many there are.
static int face_corners(const SimTopology *topology, int face, int out_corners[4]) {
    const int columns = topology->columns, links = topology->closed ? columns : columns - 1;
    if (topology->face_count > 0) {
        for (int i = 0; i < 4; i++) out_corners[i] = topology->faces[face][i];
        return out_corners[3] < 0 ? 3 : 4;
    }
    const int first = face / links * columns, left = first + face % links;
    const int right = first + (face % links + 1) % columns;
    out_corners[0] = left, out_corners[1] = right;
    out_corners[2] = left + columns, out_corners[3] = right + columns;
    return 4;
}

// Rows and columns of a grid, or paths.
static void set_lines(const Regions *regions) {
    SimTopology *topology = regions->topology;
    const SimPaths *paths = &topology->paths;
    const int columns = topology->columns, links = topology->closed ? columns : columns - 1;
    for (int i = 0; i < paths->count; i++)
        for (int k = paths->first[i]; k + 1 < paths->first[i + 1]; k++)
            topology->column_compliance[k] *=
                softness(regions, paths->particles[k], paths->particles[k + 1], OF(stretch));
    if (topology->face_count > 0) return;
    for (int i = 0; i < topology->rows * links; i++) {
        const int row = i / links * columns, column = i % links;
        topology->row_compliance[i] *=
            softness(regions, row + column, row + (column + 1) % columns, OF(stretch_weft));
    }
    for (int p = 0; p < (topology->rows - 1) * columns; p++)
        topology->column_compliance[p] *= softness(regions, p, p + columns, OF(stretch));
}

static void set_links(const Regions *regions) {
    const SimLinks *links = &regions->topology->links;
    const SimBends *bends = &regions->topology->bends;
    const size_t stretch = regions->topology->alan_wake_hard ? OF(stretch) : OF(stretch_weft);
    for (int i = 0; i < links->count; i++) {
        const int a = links->ends[i][0], b = links->ends[i][1];
        links->factor[i] *=
            links->kind[i] == SIM_LINK_BEND
                ? 0.5f * (1.0f / bending(regions, a) + 1.0f / bending(regions, b))
                : softness(regions, a, b, links->kind[i] == SIM_LINK_SHEAR ? OF(shear) : stretch);
    }
    for (int i = 0; i < bends->count; i++) bends->compliance[i] /= bending(regions, bends->particles[i][1]);
}

static void set_springs(const Regions *regions) {
    const SimLinks *springs = &regions->topology->springs;
    static const size_t stiffness[SIM_LINK_KINDS] = {OF(spring.structural), OF(spring.shear),
                                                     OF(spring.flexion)};
    for (int i = 0; i < springs->count; i++)
        springs->factor[i] /=
            softness(regions, springs->ends[i][0], springs->ends[i][1], stiffness[springs->kind[i]]);
}

static bool set_damping(const Regions *regions, SimArena *arena) {
    SimTopology *topology = regions->topology;
    if (!differs(regions, OF(damping))) return true;
    topology->damping_scaled = sim_arena_alloc(arena, (size_t)topology->particle_count, sizeof(float));
    for (int p = 0; topology->damping_scaled && p < topology->particle_count; p++)
        topology->damping_scaled[p] = ratio(regions, p, OF(damping));
    return topology->damping_scaled != NULL;
}

static bool set_thickness(const Regions *regions, SimArena *arena) {
    SimTopology *topology = regions->topology;
    const float *painted = regions->def->thicknesses;
    if (!painted && !differs(regions, OF(thickness))) return true;
    topology->thickness_fixed = sim_arena_alloc(arena, (size_t)topology->particle_count, sizeof(float));
    topology->thickness_scaled = sim_arena_alloc(arena, (size_t)topology->particle_count, sizeof(float));
    if (arena->failed) return false;
    for (int p = 0; p < topology->particle_count; p++) {
        if (painted && painted[p] >= 0.0f)
            topology->thickness_fixed[p] = painted[p];
        else
            topology->thickness_scaled[p] = ratio(regions, p, OF(thickness));
        topology->most_thickness_fixed = fmaxf(topology->most_thickness_fixed, topology->thickness_fixed[p]);
        topology->most_thickness_scaled =
            fmaxf(topology->most_thickness_scaled, topology->thickness_scaled[p]);
    }
    return true;
}
