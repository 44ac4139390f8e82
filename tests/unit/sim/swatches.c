// One sheet in several fabrics, and experiments on it.
#include "swatches.h"

static void swatch_even(SimFabric *fabric);
static void swatch_taut(SimFabric *fabric);

void swatch_no_air(SimFabric *fabric) {
    swatch_even(fabric);
    fabric->wind = 0.0f;
}

void swatch_no_damping(SimFabric *fabric) {
    swatch_no_air(fabric);
    fabric->damping = 0.0f;
}

void swatches_start(Swatches *swatches, const SimFabric *fabrics, int count, int tick_rate,
                    void (*change)(SimFabric *fabric)) {
    Fixture *fixture = &swatches->fixture;
    assert_true(count <= SWATCHES_MOST);
    fixture_start(fixture, tick_rate);
    swatches->count = count;
    for (int i = 0; i < count; i++) {
        SimFabric fabric = fabrics[i];
        if (change) change(&fabric);
        swatches->characters[i] = i ? fixture_another(fixture) : fixture->character;
        sim_garment_set_fabric(fixture->world, swatches->characters[i], 0, &fabric, false);
    }
    sim_world_place(fixture->world);
}

const float (*swatch_particles(Swatches *swatches, int index))[3] {
    swatches->fixture.character = swatches->characters[index];
    return fixture_particles(&swatches->fixture);
}

void swatches_hang(Swatches *swatches, const SimFabric *fabrics, int count, int tick_rate, int rows,
                   int columns, float cell) {
    Fixture *fixture = &swatches->fixture;
    fixture_sheet(fixture, rows, columns, cell);
    fixture_lay_flat(fixture);
    for (int p = 0; p < rows * columns; p++)
        fixture->pinned[p] = p % columns == 0 || p % columns == columns - 1;
    swatches_start(swatches, fabrics, count, tick_rate, swatch_taut);
    fixture_steps(fixture, 3 * tick_rate);
}

void swatches_tilt(Swatches *swatches, float angle) {
    for (int p = 0; p < FIXTURE_PARTICLES; p++) {
        float down = -swatches->fixture.positions[p][1];
        swatches->fixture.positions[p][1] = -down * cosf(angle);
        swatches->fixture.positions[p][2] = down * sinf(angle);
    }
}

void swatches_run(Swatches *swatches, float speed, int seconds) {
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    for (int tick = 1; tick <= seconds * swatches->fixture.def.tick_rate; tick++) {
        root.position[2] = speed * (float)tick / (float)swatches->fixture.def.tick_rate;
        for (int i = 0; i < swatches->count; i++)
            sim_character_move(swatches->fixture.world, swatches->characters[i], &root, SIM_TELEPORT_NONE);
        sim_world_step(swatches->fixture.world);
    }
}

void swatches_fall(Swatches *swatches, const SimFabric *fabrics, int count, int tick_rate, int columns,
                   float cell) {
    fixture_sheet(&swatches->fixture, columns, columns, cell);
    fixture_lay_flat(&swatches->fixture);
    fixture_unpin(&swatches->fixture);
    swatches_start(swatches, fabrics, count, tick_rate, swatch_even);
    fixture_steps(&swatches->fixture, 2 * tick_rate);
}

// Gives edges the values of the middle.
static void swatch_even(SimFabric *fabric) {
    fabric->edge = (SimFabricEdge){1.0f, 1.0f, 1.0f, 1.0f};
}

// Hangs the sheet by its first and last column until it is still. Without diagonals, which would carry load
// as well (a fifth of it in rubber). All fabrics get the same damping, since only the end matters.
static void swatch_taut(SimFabric *fabric) {
    swatch_no_air(fabric);
    fabric->shear = 0.0f;
    fabric->damping = 10.0f;
}
