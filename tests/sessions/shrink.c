// ddmin, by complements alone: what fails is seldom one piece.
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

int shrink_acts(int *acts, int act_count, ShrinkFails fails, void *context) {
    int *rest = malloc(((size_t)act_count + 1) * sizeof *rest);
    if (!rest) abort();
    for (int pieces = 2; act_count > 0;) {
        if (pieces > act_count) pieces = act_count;
        bool is_shorter = false;
        for (int i = 0; i < pieces && !is_shorter; i++) {
            const int begin = act_count * i / pieces, end = act_count * (i + 1) / pieces;
            memcpy(rest, acts, (size_t)begin * sizeof *rest);
            memcpy(rest + begin, acts + end, (size_t)(act_count - end) * sizeof *rest);
            is_shorter = fails(context, rest, act_count - (end - begin));
            if (!is_shorter) continue;
            act_count -= end - begin;
            memcpy(acts, rest, (size_t)act_count * sizeof *rest);
        }
        if (is_shorter)
            pieces = pieces > 2 ? pieces - 1 : 2;
        else if (pieces == act_count)
            break;
        else
            pieces *= 2;
    }
    free(rest);
    return act_count;
}
