// Lays out the arrays of a garment's state.
#include "garment/group.h"

typedef struct Array {
    void **array;
    size_t numbers;
    bool is_scratch; // nothing of it is read in a later tick
} Array;

static int list_arrays(const SimTopology *topology, SimGarmentState *state, Array out[SIM_STATE_ARRAYS]);

float *sim_state_allocate(SimArena *arena, const SimTopology *topology, int width, SimGarmentState *out_state,
                          size_t *out_numbers) {
    Array arrays[SIM_STATE_ARRAYS];
    const int count = list_arrays(topology, out_state, arrays);
    *out_numbers = 0;
    for (int i = 0; i < count; i++) *out_numbers += arrays[i].numbers;
    float *memory = sim_arena_alloc(arena, *out_numbers, (size_t)width * sizeof(float));
    float *at = memory;
    for (int i = 0; i < count && at; i++) {
        *arrays[i].array = at;
        at += arrays[i].numbers * (size_t)width;
    }
    return memory;
}

int sim_state_kept(const SimTopology *topology, SimGarmentState *state,
                   SimStateArray out_arrays[SIM_STATE_ARRAYS]) {
    Array arrays[SIM_STATE_ARRAYS];
    const int count = list_arrays(topology, state, arrays);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!arrays[i].is_scratch) out_arrays[kept++] = (SimStateArray){*arrays[i].array, arrays[i].numbers};
    return kept;
}

static int list_arrays(const SimTopology *topology, SimGarmentState *state, Array out[SIM_STATE_ARRAYS]) {
    const size_t particles = (size_t)topology->particle_count;
    const size_t longest =
        (size_t)(topology->rows > topology->columns ? topology->rows : topology->columns) + 1;
    const Array arrays[] = {
        {(void **)&state->position, 3 * particles, false},
        {(void **)&state->velocity, 3 * particles, false},
        {(void **)&state->predicted, 3 * particles, true},
        {(void **)&state->start, 3 * particles, true},
        {(void **)&state->reference0, 3 * particles, false},
        {(void **)&state->reference1, 3 * particles, false},
        {(void **)&state->reference, 3 * particles, true},
        {(void **)&state->normal, topology->backstop ? 3 * particles : 0, true},
        {(void **)&state->damped_to, 3 * particles, false},
        {(void **)&state->wind, 3 * particles, false},
        {(void **)&state->air, 3 * particles, true},
        {(void **)&state->contact, particles, false},
        {(void **)&state->frames, SIM_NUMBERS(SimBoneFrame) * (size_t)topology->bone_count, false},
        {(void **)&state->line, 8 * longest, true},
        {(void **)&state->near, SIM_NUMBERS(SimNearBall) * (size_t)sim_stretch_count(topology), true},
        {(void **)&state->seam_gap, (size_t)topology->seam_gap_count, false},
        {(void **)&state->seam_column, 3 * (size_t)topology->rows, true},
        {(void **)&state->conflicts, 1, false},
        {(void **)&state->slowed, 1, true},
        {(void **)&state->crowded, 1, true},
        {(void **)&state->body_speed, 1, true},
        {(void **)&state->credit, 1, false},
        {(void **)&state->sewn, 1, false},
        {(void **)&state->folded, 1, false},
        {(void **)&state->recovery, 1, false},
        {(void **)&state->opening, 1, false},
        {(void **)&state->unstable, 1, false},
        {(void **)&state->top_speed_squared, 1, false},
    };
    _Static_assert(sizeof arrays == SIM_STATE_ARRAYS * sizeof arrays[0], "SIM_STATE_ARRAYS");
    for (int i = 0; i < SIM_STATE_ARRAYS; i++) out[i] = arrays[i];
    return SIM_STATE_ARRAYS;
}
