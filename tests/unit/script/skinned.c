// Skins a grid to streamed bones, and measures it in double precision.
#include "script/skinned.h"

#include <cglm/mat4.h>

#define REACH 1 // quads around a point's own in which the cloth's nearest point is looked for

// The bones of one row beside a column, and the share of the right one.
typedef struct Beside {
    int left, right; // columns
    double share;
} Beside;

// A garment at one tick.
typedef struct Skin {
    const Motion *motion;
    const SimGarmentInfo *garment;
    int bones[MOTION_PARTICLES]; // index of the bone on a particle, -1: none
    float cloth[MOTION_PARTICLES][3];
    mat4 from_bind[MOTION_PARTICLES]; // by particle: what moves the mesh that follows its bone
} Skin;

static void skin_read(Skin *skin, const Motion *motion, int garment);
static int quad_columns(const SimGarmentInfo *garment);
static void judge_point(Skin *skin, int row, int column, double across, double down, Skinned *skinned);
static void corners(const SimGarmentInfo *garment, int row, int column, int out[4]);
static void bilinear(const float (*points)[3], const int corner[4], double across, double down,
                     double out[3]);
static void skin_point(const Skin *skin, int row, double column, const double rest[3], double out[3]);
static int bone_row(const Skin *skin, int row);
static Beside bones_beside(const Skin *skin, int row, double column);
static void add_moved(const mat4 matrix, const double point[3], double weight, double out[3]);
static double distance_to_cloth(const Skin *skin, int row, int column, const double point[3]);
static double distance_to_triangle(const double point[3], const float a[3], const float b[3],
                                   const float c[3]);

void skinned_judge(const Motion *motion, int garment, Skinned *skinned) {
    static Skin skin;
    skin_read(&skin, motion, garment);
    const int rows = skin.garment->rows, columns = quad_columns(skin.garment);
    const double step = 1.0 / (MOTION_SAMPLES - 1);
    for (int row = 0; row + 1 < rows; row++)
        for (int column = 0; column < columns; column++)
            for (int i = motion_in_slit(skin.garment, row, column) ? MOTION_SAMPLES : 0;
                 i < MOTION_SAMPLES - 1; i++)
                for (int k = row == 0; k < MOTION_SAMPLES - (row + 2 < rows); k++)
                    judge_point(&skin, row, column, i * step, k * step, skinned);
}

void skinned_judge_mesh(const Motion *motion, const SimRenderMesh *mesh, Skinned *skinned) {
    static Skin skin;
    skin_read(&skin, motion, mesh->garment);
    const int columns = skin.garment->columns;
    for (int i = 0; i < mesh->vertex_count; i++) {
        double point[3] = {0.0}, rest[3];
        int largest = 0, particle = 0;
        for (int k = 0; k < 3; k++) rest[k] = (double)mesh->positions[i][k];
        for (int k = 0; k < SIM_MESH_JOINTS; k++) {
            if (mesh->weights[i][k] > mesh->weights[i][largest]) largest = k;
            for (particle = 0; skin.bones[particle] != mesh->joints[i][k];) particle++;
            add_moved((const vec4 *)skin.from_bind[particle], rest, (double)mesh->weights[i][k], point);
        }
        for (particle = 0; skin.bones[particle] != mesh->joints[i][largest];) particle++;
        const double distance = distance_to_cloth(&skin, particle / columns, particle % columns, point);
        skinned->squares += distance * distance;
        skinned->samples++;
    }
}

double skinned_rms(const Skinned *skinned) {
    return sqrt(skinned->squares / (double)skinned->samples);
}

static void skin_read(Skin *skin, const Motion *motion, int garment) {
    const mat4 *bones = sim_character_bones_model(motion->world, motion->character);
    skin->motion = motion;
    skin->garment = &motion->rig->garments[garment];
    for (int i = 0; i < skin->garment->particle_count; i++) skin->bones[i] = -1;
    for (int i = 0; i < skin->garment->bone_count; i++) {
        const SimGarmentBone *on = &skin->garment->bones[i];
        skin->bones[on->particle] = on->bone;
        glm_mat4_mul((vec4 *)bones[on->bone], (vec4 *)motion->rig->bones[on->bone].inverse_bind,
                     skin->from_bind[on->particle]);
    }
    sim_garment_particles_model(motion->world, motion->character, garment, skin->cloth);
}

static int quad_columns(const SimGarmentInfo *garment) {
    return garment->closed ? garment->columns : garment->columns - 1;
}

static void judge_point(Skin *skin, int row, int column, double across, double down, Skinned *skinned) {
    Motion judged = {.world = skin->motion->world,
                     .rig = skin->motion->rig,
                     .garment = skin->garment,
                     .character = skin->motion->character};
    int corner[4];
    double rest[3], cloth[3], point[3] = {0.0}, square = 0.0;
    corners(skin->garment, row, column, corner);
    bilinear(skin->garment->rest_model, corner, across, down, rest);
    bilinear((const float(*)[3])skin->cloth, corner, across, down, cloth);
    skin_point(skin, row, column + across, rest, point);
    double distance = distance_to_cloth(skin, row, column, point), depth = motion_deepest(&judged, point);
    for (int i = 0; i < 3; i++) square += pow(point[i] - cloth[i], 2.0);
    skinned->squares += distance * distance;
    if (across == 0.0 && (down == 0.0 || down == 1.0)) skinned->off = fmax(skinned->off, sqrt(square));
    skinned->depth = fmax(skinned->depth, depth);
    skinned->samples++;
    skinned->deep += depth > 2e-3;
}

static void corners(const SimGarmentInfo *garment, int row, int column, int out[4]) {
    const int top = row * garment->columns, right = (column + 1) % garment->columns;
    out[0] = top + column, out[1] = top + right;
    out[2] = out[0] + garment->columns, out[3] = out[1] + garment->columns;
}

static void bilinear(const float (*points)[3], const int corner[4], double across, double down,
                     double out[3]) {
    const double share[4] = {(1 - across) * (1 - down), across * (1 - down), (1 - across) * down,
                             across * down};
    for (int i = 0; i < 3; i++) {
        out[i] = 0.0;
        for (int c = 0; c < 4; c++) out[i] += share[c] * (double)points[corner[c]][i];
    }
}

// The rule for clients: all weight in the row of bones above, shared by the two beside.
static void skin_point(const Skin *skin, int row, double column, const double rest[3], double out[3]) {
    const int top = bone_row(skin, row) * skin->garment->columns;
    const Beside beside = bones_beside(skin, bone_row(skin, row), column);
    add_moved(skin->from_bind[top + beside.left], rest, 1.0 - beside.share, out);
    add_moved(skin->from_bind[top + beside.right], rest, beside.share, out);
}

static int bone_row(const Skin *skin, int row) {
    const SimGarmentInfo *garment = skin->garment;
    const int last = garment->bones[garment->bone_count - 1].particle / garment->columns;
    return row < last ? row : last;
}

static Beside bones_beside(const Skin *skin, int row, double column) {
    const int columns = skin->garment->columns, *bones = skin->bones + row * columns;
    int left = (int)column, right = (int)column + 1;
    if (skin->garment->closed) {
        while (bones[(left + columns) % columns] < 0) left--;
        while (bones[right % columns] < 0) right++;
    } else {
        while (left >= 0 && bones[left] < 0) left--;
        while (right < columns && bones[right] < 0) right++;
        if (left < 0) left = right;
        if (right >= columns) right = left;
    }
    const double share = left < right ? (column - left) / (right - left) : 0.0;
    return (Beside){(left + columns) % columns, right % columns, share};
}

static void add_moved(const mat4 matrix, const double point[3], double weight, double out[3]) {
    for (int i = 0; i < 3; i++) {
        double moved = (double)matrix[3][i];
        for (int k = 0; k < 3; k++) moved += (double)matrix[k][i] * point[k];
        out[i] += weight * moved;
    }
}

// Each quad by both of its diagonals, since it may be bent either way.
static double distance_to_cloth(const Skin *skin, int row, int column, const double point[3]) {
    const SimGarmentInfo *garment = skin->garment;
    double nearest = HUGE_VAL;
    for (int r = row - REACH; r <= row + REACH; r++)
        for (int k = column - REACH; k <= column + REACH; k++) {
            int corner[4], c = garment->closed ? (k + garment->columns) % garment->columns : k;
            if (r < 0 || r + 1 >= garment->rows || c < 0 || c >= quad_columns(garment)) continue;
            if (motion_in_slit(garment, r, c)) continue;
            corners(garment, r, c, corner);
            for (int i = 0; i < 4; i++) {
                static const int triangles[4][3] = {{0, 1, 2}, {3, 2, 1}, {1, 3, 0}, {2, 0, 3}};
                const int *at = triangles[i];
                nearest = fmin(nearest,
                               distance_to_triangle(point, skin->cloth[corner[at[0]]],
                                                    skin->cloth[corner[at[1]]], skin->cloth[corner[at[2]]]));
            }
        }
    return nearest;
}

// C. Ericson, Real-Time Collision Detection, 5.1.5.
static double distance_to_triangle(const double point[3], const float a[3], const float b[3],
                                   const float c[3]) {
    double d[6] = {0.0}, v = 0.0, w = 0.0, square = 0.0;
    for (int i = 0; i < 3; i++) {
        double ab = (double)b[i] - (double)a[i], ac = (double)c[i] - (double)a[i];
        d[0] += ab * (point[i] - (double)a[i]), d[1] += ac * (point[i] - (double)a[i]);
        d[2] += ab * (point[i] - (double)b[i]), d[3] += ac * (point[i] - (double)b[i]);
        d[4] += ab * (point[i] - (double)c[i]), d[5] += ac * (point[i] - (double)c[i]);
    }
    double of_a = d[2] * d[5] - d[4] * d[3], of_b = d[4] * d[1] - d[0] * d[5],
           of_c = d[0] * d[3] - d[2] * d[1];
    if (d[0] <= 0.0 && d[1] <= 0.0)
        v = w = 0.0;
    else if (d[2] >= 0.0 && d[3] <= d[2])
        v = 1.0;
    else if (d[5] >= 0.0 && d[4] <= d[5])
        w = 1.0;
    else if (of_c <= 0.0 && d[0] >= 0.0 && d[2] <= 0.0)
        v = d[0] / (d[0] - d[2]);
    else if (of_b <= 0.0 && d[1] >= 0.0 && d[5] <= 0.0)
        w = d[1] / (d[1] - d[5]);
    else if (of_a <= 0.0 && d[3] >= d[2] && d[4] >= d[5])
        w = (d[3] - d[2]) / (d[3] - d[2] + d[4] - d[5]), v = 1.0 - w;
    else
        v = of_b / (of_a + of_b + of_c), w = of_c / (of_a + of_b + of_c);
    for (int i = 0; i < 3; i++) {
        double on = (1.0 - v - w) * (double)a[i] + v * (double)b[i] + w * (double)c[i];
        square += pow(point[i] - on, 2.0);
    }
    return sqrt(square);
}
