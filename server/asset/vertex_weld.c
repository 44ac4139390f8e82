// Welds vertices by a table of cubes as wide as the tolerance.
#include "vertex_weld.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_CUBE 1e-4f // m, where there is no tolerance

typedef struct Welding {
    const float (*positions)[3];
    float tolerance, cube;
    int *place_of, *vertices;
    int place_count;
    int *slots; // [capacity] the newest place whose cube has that hash; -1: none
    int *older; // [count] of each place, the one before it in its slot
    size_t capacity;
} Welding;

static int find_place(const Welding *welding, const float position[3]);
static size_t slot_of(const Welding *welding, const int64_t cube[3]);
static void find_cube(const Welding *welding, const float position[3], int64_t out_cube[3]);

int asset_weld(const float (*positions)[3], int count, float tolerance, int *out_place_of,
               int *out_vertices) {
    Welding welding = {.positions = positions,
                       .tolerance = tolerance,
                       .cube = fmaxf(tolerance, EXACT_CUBE),
                       .place_of = out_place_of,
                       .vertices = out_vertices,
                       .capacity = 16};
    while (welding.capacity < 2 * (size_t)count) welding.capacity *= 2;
    welding.slots = malloc(welding.capacity * sizeof *welding.slots);
    welding.older = malloc(((size_t)count + 1) * sizeof *welding.older);
    const bool done = welding.slots && welding.older;
    if (done) memset(welding.slots, -1, welding.capacity * sizeof *welding.slots);
    for (int i = 0; done && i < count; i++) {
        int place = find_place(&welding, positions[i]);
        if (place < 0) {
            int64_t cube[3];
            find_cube(&welding, positions[i], cube);
            int *slot = &welding.slots[slot_of(&welding, cube)];
            place = welding.place_count++;
            welding.vertices[place] = i;
            welding.older[place] = *slot;
            *slot = place;
        }
        welding.place_of[i] = place;
    }
    free(welding.slots);
    free(welding.older);
    return done ? welding.place_count : -1;
}

// The nearest one in the cubes round the position; -1: none.
static int find_place(const Welding *welding, const float position[3]) {
    int64_t cube[3];
    int nearest = -1;
    float least = INFINITY;
    find_cube(welding, position, cube);
    const int reach = welding->tolerance > 0.0f ? 1 : 0;
    for (int i = 0; i < (reach ? 27 : 1); i++) {
        const int64_t beside[3] = {cube[0] + reach * (i % 3 - 1), cube[1] + reach * (i / 3 % 3 - 1),
                                   cube[2] + reach * (i / 9 - 1)};
        for (int place = welding->slots[slot_of(welding, beside)]; place >= 0;
             place = welding->older[place]) {
            const float *other = welding->positions[welding->vertices[place]];
            const float x = other[0] - position[0], y = other[1] - position[1], z = other[2] - position[2];
            const float distance = sqrtf(x * x + y * y + z * z);
            if (distance > welding->tolerance || distance >= least) continue;
            nearest = place;
            least = distance;
        }
    }
    return nearest;
}

static size_t slot_of(const Welding *welding, const int64_t cube[3]) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        hash = (hash ^ (uint64_t)cube[k]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (size_t)hash & (welding->capacity - 1);
}

static void find_cube(const Welding *welding, const float position[3], int64_t out_cube[3]) {
    for (int k = 0; k < 3; k++) // what is not a number lies in some cube, too
        out_cube[k] = (int64_t)fmax(-1e15, fmin(1e15, floor((double)position[k] / (double)welding->cube)));
}
