// Ranges of the values that scripts and clients set on worlds and characters (rig/fabric_fields.c has a
// fabric's). A row is the unit (NULL: none), the minimum and the maximum, both allowed, and the default (0
// where there is none); for a vector it holds for each component. Lua's schemas and the checks here are made
// from these rows; protocol/methods/table.c and openrpc.json repeat them, and tests compare.
#pragma once

#define SIM_RANGE_POSITION "m", -1e6, 1e6, 0.0 // of a root, a posed bone and a tornado's foot

// The world
#define SIM_RANGE_GRAVITY       "m/s^2", -300.0, 300.0, 0.0 // its default: sim_default_world_def
#define SIM_RANGE_GROUND        "m", -1e6, 1e6, 0.0
#define SIM_RANGE_WIND_VELOCITY "m/s", -300.0, 300.0, 0.0
#define SIM_RANGE_TURBULENCE    NULL, 0.0, 2.0, 0.0
#define SIM_RANGE_GUST          NULL, 0.0, 2.0, 0.0

#define SIM_RANGE_TORNADO_RADIUS   "m", 0.05, 1000.0, 0.0
#define SIM_RANGE_TORNADO_STRENGTH "m/s", -150.0, 150.0, 0.0
#define SIM_RANGE_TORNADO_LIFT     "m/s", -150.0, 150.0, 0.0
#define SIM_RANGE_TORNADO_VELOCITY "m/s", -300.0, 300.0, 0.0

// Clips that play, and poses
#define SIM_RANGE_PLAY_SPEED    NULL, -10.0, 10.0, 1.0
#define SIM_RANGE_PLAY_FADE     "s", 0.0, 10.0, 0.2
#define SIM_RANGE_PLAY_AT       "s", 0.0, 86400.0, 0.0
#define SIM_RANGE_PLAY_WEIGHT   NULL, 0.0, 1.0, 1.0
#define SIM_RANGE_POSE_SEQUENCE NULL, 0.0, 9007199254740991.0, -1.0 // to 2^53 - 1; -1: none

// Passes the four columns of a row to a macro: SIM_WITH_RANGE(M, SIM_RANGE_GUST) is M(NULL, 0.0, 2.0, 0.0).
#define SIM_WITH_RANGE(macro, ...) macro(__VA_ARGS__)
