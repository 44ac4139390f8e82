// How much is left out where ticks take longer than their time. Arithmetic without a clock, so that tests run
// through hours of it.
//
// A step takes one character from one level to the next. Steps are taken at once, as many as it is estimated
// to need, and taken back with patience. Cloth makes room for half a tick of other work, and no more: scripts
// that take too long are not helped by less cloth. Where cloth is not the reason, frames are halved, twice.
#pragma once

#include <stdbool.h>

#define APP_SHED_FRAME_STEPS 2 // a frame every second tick, every fourth

typedef struct AppShedding {
    int steps;       // taken
    int frame_steps; // the same of frames
    int late;        // updates in a row in which ticks took longer than their time
    int calm;        // updates in a row with time to spare
    int patience;    // updates that are to be calm before steps are taken back; 0: as at the start
    int since_back;  // updates since steps were taken back last
} AppShedding;

// What ticks took in the time before an update, as shares of what they have.
typedef struct AppTickLoad {
    float all;   // from their beginning to the last frame
    float cloth; // of that the simulation
} AppTickLoad;

// Call four times a second. characters: that there are; each has two steps. Returns whether steps have
// changed.
bool app_shedding_update(AppShedding *shedding, AppTickLoad load, int characters);

// Ticks from one frame to the next: 1, 2 or 4.
int app_shedding_frame_interval(const AppShedding *shedding);
