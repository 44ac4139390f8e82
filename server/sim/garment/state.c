// Lays out the arrays of a garment's state.
#include "garment/group.h"

float *sim_state_allocate(SimArena *arena, const SimTopology *topology, int width, SimGarmentState *out_state,
                          size_t *out_numbers) {
    SimGarmentState *state = out_state;
    size_t particles = (size_t)topology->particle_count;
    size_t longest = (size_t)(topology->rows > topology->columns ? topology->rows : topology->columns) + 1;
    struct {
        void **array;
        size_t numbers;
    } const arrays[] = {
        {(void **)&state->position, 3 * particles},
        {(void **)&state->velocity, 3 * particles},
        {(void **)&state->predicted, 3 * particles},
        {(void **)&state->reference0, 3 * particles},
        {(void **)&state->reference1, 3 * particles},
        {(void **)&state->reference, 3 * particles},
        {(void **)&state->surface, 3 * particles},
        {(void **)&state->wind, 3 * particles},
        {(void **)&state->air, 3 * particles},
        {(void **)&state->contact, particles},
        {(void **)&state->frames, SIM_NUMBERS(SimBoneFrame) * (size_t)topology->bone_count},
        {(void **)&state->line, 8 * longest},
        {(void **)&state->seam_gap, (size_t)topology->seam_gap_count},
        {(void **)&state->seam_column, 3 * (size_t)topology->rows},
        {(void **)&state->conflicts, 1},
        {(void **)&state->sewn, 1},
        {(void **)&state->folded, 1},
        {(void **)&state->recovery, 1},
        {(void **)&state->unstable, 1},
        {(void **)&state->top_speed_squared, 1},
    };
    size_t count = sizeof arrays / sizeof arrays[0];
    *out_numbers = 0;
    for (size_t i = 0; i < count; i++) *out_numbers += arrays[i].numbers;
    float *memory = sim_arena_alloc(arena, *out_numbers, (size_t)width * sizeof(float));
    float *at = memory;
    for (size_t i = 0; i < count && at; i++) {
        *arrays[i].array = at;
        at += arrays[i].numbers * (size_t)width;
    }
    return memory;
}
