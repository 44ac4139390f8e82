// The shipped fabrics as numbers, for tests of the simulation. test_script_fabrics compares them with
// scripts/fabrics.
#pragma once

#include "sim/fabric.h"

#define FIXTURE_PRESETS 8

static const char *const fixture_preset_names[FIXTURE_PRESETS] = {"tweed", "down",    "veil",   "silk",
                                                                  "denim", "leather", "rubber", "cotton"};

static inline SimFabric fixture_preset(int index) {
    // density, stretch, shear, drape, damping, contact damping, thickness, world motion, max
    // distance; the edge's factors
    static const float numbers[FIXTURE_PRESETS][13] = {
        {.40f, 15000, 35, .030f, 3.0f, 25, .003f, .20f, .40f, .6f, 1.8f, 1.4f, 1.25f},
        {.26f, 8000, 60, .045f, 6.5f, 20, .015f, .15f, .30f, .6f, 1.5f, 1.3f, 1.2f},
        {.035f, 3000, 8, .012f, 14.0f, 6, .0005f, .10f, .60f, .7f, 1.6f, 1.3f, 1.2f},
        {.07f, 6000, 14, .018f, 8.0f, 8, .001f, .12f, .55f, .5f, 1.6f, 1.3f, 1.2f},
        {.43f, 30000, 140, .050f, 4.2f, 30, .002f, .15f, .30f, .7f, 1.4f, 1.3f, 1.2f},
        {.80f, 60000, 400, .080f, 2.0f, 25, .002f, .12f, .25f, .8f, 1.3f, 1.2f, 1.15f},
        {.45f, 30, 150, .050f, 0.8f, 40, .002f, .25f, .40f, 1.0f, 1.2f, 1.1f, 1.1f},
        {.15f, 10000, 45, .024f, 3.4f, 22, .0015f, .18f, .50f, .7f, 1.6f, 1.3f, 1.2f}};
    const float *n = numbers[index];
    SimFabric fabric = sim_default_fabric();
    fabric.density = n[0], fabric.stretch = n[1], fabric.shear = n[2], fabric.drape = n[3];
    fabric.damping = n[4], fabric.contact_damping = n[5], fabric.thickness = n[6];
    fabric.world_motion = n[7], fabric.max_distance = n[8];
    fabric.edge = (SimFabricEdge){n[9], n[10], n[11], n[12]};
    fabric.limit = index == 6 ? 0.15f : 0.0f;
    return fabric;
}
