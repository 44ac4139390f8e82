#include "grid/numbering.h"

#include <math.h>
#include <stdlib.h>

// A corner of a triangle: the next two corners follow it.
typedef struct Corner {
    int next, last;
    bool used;
} Corner;

typedef struct Numbering {
    const GridSurface *surface;
    const bool *pinned;
    int *first;      // [place_count + 1] into corners
    Corner *corners; // [3 * triangle_count] by place
    int *fan;        // [6 * triangle_count + 1] neighbours of a place, in turn
    int *from;       // [place_count] the neighbour from which a place was found; -1: none
    int *queue;      // [place_count] places by number
    int *stack;      // [3 * triangle_count + 1]
    int *numbers;    // [place_count] -1: none yet
    int count;
} Numbering;

static bool allocate(Numbering *numbering);
static void list_corners(Numbering *numbering);
static int first_of(const Numbering *numbering, bool is_pinned);
static void walk_pinned(Numbering *numbering, int start);
static void append(Numbering *numbering, int place);
static int list_fan(Numbering *numbering, int place);
static Corner *begin_of(Corner *corners, int count, int from);
static Corner *unused_from(Corner *corners, int count, int next);

int grid_places_number(const GridSurface *surface, const bool *pinned, int *out_numbers) {
    Numbering numbering = {.surface = surface, .pinned = pinned, .numbers = out_numbers};
    const bool done = allocate(&numbering);
    if (done) {
        list_corners(&numbering);
        for (int i = 0; i < surface->place_count; i++) out_numbers[i] = numbering.from[i] = -1;
        for (int start; (start = first_of(&numbering, true)) >= 0;) walk_pinned(&numbering, start);
        if (numbering.count == 0) append(&numbering, first_of(&numbering, false));
    }
    for (int i = 0; done && i < numbering.count; i++) {
        const int place = numbering.queue[i], count = list_fan(&numbering, place);
        for (int k = 0; k < count; k++) {
            if (out_numbers[numbering.fan[k]] >= 0) continue;
            numbering.from[numbering.fan[k]] = place;
            append(&numbering, numbering.fan[k]);
        }
    }
    free(numbering.first);
    free(numbering.corners);
    free(numbering.fan);
    free(numbering.from);
    free(numbering.queue);
    free(numbering.stack);
    return done ? numbering.count : -1;
}

static bool allocate(Numbering *numbering) {
    const size_t places = (size_t)numbering->surface->place_count;
    const size_t corners = 3 * (size_t)numbering->surface->triangle_count;
    numbering->first = calloc(places + 1, sizeof *numbering->first);
    numbering->corners = malloc(corners * sizeof *numbering->corners);
    numbering->fan = malloc((2 * corners + 1) * sizeof *numbering->fan);
    numbering->from = malloc(places * sizeof *numbering->from);
    numbering->queue = malloc(places * sizeof *numbering->queue);
    numbering->stack = malloc((2 * corners + 1) * sizeof *numbering->stack);
    return numbering->first && numbering->corners && numbering->fan && numbering->from && numbering->queue &&
           numbering->stack;
}

static void list_corners(Numbering *numbering) {
    const GridSurface *surface = numbering->surface;
    int *first = numbering->first;
    for (int i = 0; i < surface->triangle_count; i++)
        for (int k = 0; k < 3; k++) first[surface->triangles[i][k] + 1]++;
    for (int i = 0; i < surface->place_count; i++) first[i + 1] += first[i];
    for (int i = 0; i < surface->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            const int *corners = surface->triangles[i];
            numbering->corners[first[corners[k]]++] =
                (Corner){.next = corners[(k + 1) % 3], .last = corners[(k + 2) % 3]};
        }
    for (int i = surface->place_count; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
}

// The place without a number that is farthest back, weighted so that a vertex of a symmetric shape stands out
// and remains the first one as the artist moves it about; -1: none.
static int first_of(const Numbering *numbering, bool is_pinned) {
    float least = INFINITY;
    int best = -1;
    for (int i = 0; i < numbering->surface->place_count; i++) {
        const float *at = grid_place(numbering->surface, i), back = at[2] - 0.5f * at[1] + 0.25f * at[0];
        const bool has_corners = numbering->first[i] < numbering->first[i + 1];
        if (!has_corners || numbering->numbers[i] >= 0 || (is_pinned && !numbering->pinned[i])) continue;
        if (back < least) least = back, best = i;
    }
    return best;
}

// Along the neighbours that are pinned as well; at an open edge first along it.
static void walk_pinned(Numbering *numbering, int start) {
    int waiting = 0;
    numbering->stack[waiting++] = start;
    while (waiting > 0) {
        const int place = numbering->stack[--waiting];
        if (numbering->numbers[place] >= 0) continue;
        append(numbering, place);
        for (int k = list_fan(numbering, place) - 1; k >= 0; k--) {
            const int next = numbering->fan[k];
            if (numbering->numbers[next] >= 0 || !numbering->pinned[next]) continue;
            numbering->from[next] = place;
            numbering->stack[waiting++] = next;
        }
    }
}

static void append(Numbering *numbering, int place) {
    if (place < 0) return;
    numbering->numbers[place] = numbering->count;
    numbering->queue[numbering->count++] = place;
}

// The neighbours of a place round it, from its open edge on, or from the one it was found from. A neighbour
// may be listed twice. Returns their number.
static int list_fan(Numbering *numbering, int place) {
    Corner *corners = numbering->corners + numbering->first[place];
    const int corner_count = numbering->first[place + 1] - numbering->first[place];
    int count = 0;
    for (int i = 0; i < corner_count; i++) corners[i].used = false;
    for (Corner *corner; (corner = begin_of(corners, corner_count, numbering->from[place]));) {
        numbering->fan[count++] = corner->next;
        for (; corner; corner = unused_from(corners, corner_count, corner->last)) {
            corner->used = true;
            numbering->fan[count++] = corner->last;
        }
    }
    return count;
}

static Corner *begin_of(Corner *corners, int count, int from) {
    Corner *best = NULL;
    for (int i = 0; i < count; i++) {
        bool follows = false;
        if (corners[i].used) continue;
        for (int k = 0; k < count && !follows; k++)
            follows = !corners[k].used && corners[k].last == corners[i].next;
        if (!follows) return &corners[i];
        if (!best || corners[i].next == from) best = &corners[i];
    }
    return best;
}

static Corner *unused_from(Corner *corners, int count, int next) {
    for (int i = 0; i < count; i++)
        if (!corners[i].used && corners[i].next == next) return &corners[i];
    return NULL;
}
