// When to leave something out, how much, and when to try again.
#include "ticks/shedding.h"

#include <math.h>

#define OVERLOADED 0.95f // of a tick's time
#define WANTED     0.85f
#define CALM       0.70f
#define STEP_SHARE 0.4f // of a character's cloth: what a step saves (`./dev bench ticks`)
#define OTHERS     0.5f // of a tick's time: most that cloth makes room for

// In updates.
#define PATIENCE      4
#define MOST_PATIENCE 240
#define LATE          4  // overloaded for so long: frames are to be fewer
#define RELAPSE       12 // overloaded again so soon after steps were taken back: they were needed

static void shed(AppShedding *shedding, AppTickLoad load, int characters);
static void shed_frames(AppShedding *shedding);
static void note_relapse(AppShedding *shedding);
static void take_back(AppShedding *shedding, AppTickLoad load, int characters);

bool app_shedding_update(AppShedding *shedding, AppTickLoad load, int characters) {
    if (shedding->patience == 0) shedding->patience = PATIENCE;
    if (shedding->since_back < MOST_PATIENCE) shedding->since_back++;
    const int steps = shedding->steps, frame_steps = shedding->frame_steps;
    if (steps + frame_steps == 0 && shedding->since_back == MOST_PATIENCE) shedding->patience = PATIENCE;
    if (shedding->steps > 2 * characters) shedding->steps = 2 * characters;
    const AppTickLoad pressing = {load.cloth + fminf(load.all - load.cloth, OTHERS), load.cloth};
    const bool calm = (frame_steps > 0 ? load.all : pressing.all) < CALM;
    shedding->calm = calm ? shedding->calm + 1 : 0;
    shedding->late = load.all > OVERLOADED ? shedding->late + 1 : 0;
    if (pressing.all > OVERLOADED && steps < 2 * characters)
        shed(shedding, pressing, characters);
    else if (shedding->late >= LATE && frame_steps < APP_SHED_FRAME_STEPS)
        shed_frames(shedding);
    else if (steps + frame_steps > 0 && shedding->calm >= shedding->patience)
        take_back(shedding, pressing, characters);
    return shedding->steps != steps || shedding->frame_steps != frame_steps;
}

int app_shedding_frame_interval(const AppShedding *shedding) {
    return 1 << shedding->frame_steps;
}

// What one step is of a tick's time: each character's cloth takes the same at full level, and less by
// STEP_SHARE with each step.
static float step_load(const AppShedding *shedding, float cloth, int characters) {
    const float taken = STEP_SHARE * (float)shedding->steps / (float)characters;
    return STEP_SHARE * cloth / (1.0f - taken) / (float)characters;
}

static void shed(AppShedding *shedding, AppTickLoad load, int characters) {
    const int left = 2 * characters - shedding->steps;
    const float wanted = ceilf((load.all - WANTED) / step_load(shedding, load.cloth, characters));
    shedding->steps += wanted < (float)left ? (int)wanted : left;
    note_relapse(shedding);
}

static void shed_frames(AppShedding *shedding) {
    shedding->frame_steps++;
    shedding->late = 0;
    note_relapse(shedding);
}

static void note_relapse(AppShedding *shedding) {
    if (shedding->since_back < RELAPSE) shedding->patience *= 2;
    if (shedding->patience > MOST_PATIENCE) shedding->patience = MOST_PATIENCE;
    shedding->since_back = MOST_PATIENCE - 1; // one relapse counts once
}

// Frames first, then as many characters' steps as there is room for.
static void take_back(AppShedding *shedding, AppTickLoad load, int characters) {
    shedding->calm = 0;
    if (shedding->frame_steps > 0) {
        shedding->frame_steps--;
    } else {
        const float step = step_load(shedding, load.cloth, characters);
        const float room = step > 0.0f ? floorf((WANTED - load.all) / step) : (float)shedding->steps;
        if (room < 1.0f) return;
        shedding->steps = room < (float)shedding->steps ? shedding->steps - (int)room : 0;
    }
    shedding->since_back = 0;
}
