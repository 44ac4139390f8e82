// What a number of a frame costs: our frame writer beside snprintf and cJSON, on the same numbers, in one
// run.
#include "bench.h"
#include "tables.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <protocol/frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHARACTERS = 20, BONES = 64, MATRIX = 16, NUMBERS = CHARACTERS * BONES * MATRIX, PRECISION = 5 };

typedef struct Numbers {
    float bones[CHARACTERS][BONES][MATRIX];
    TextBuffer text;
    ProtocolView view;
    cJSON *tree;       // made beforehand, where only printing is timed
    size_t *out_bytes; // written by the last step
} Numbers;

typedef struct NumbersSetting {
    ProtocolLayout layout;
    size_t *out_bytes;
} NumbersSetting;

// Rigid matrices of a crowd: turns about slanted axes, positions within some metres.
static void fill(Numbers *numbers) {
    for (int i = 0; i < CHARACTERS * BONES; i++) {
        float a = 0.7f * (float)i, b = 1.3f * (float)i, ca = cosf(a), sa = sinf(a), cb = cosf(b),
              sb = sinf(b);
        const float matrix[MATRIX] = {ca,
                                      sa * cb,
                                      sa * sb,
                                      0,
                                      -sa,
                                      ca * cb,
                                      ca * sb,
                                      0,
                                      0,
                                      -sb,
                                      cb,
                                      0,
                                      3.0f * sinf(0.11f * (float)i),
                                      1.0f + cosf(0.17f * (float)i),
                                      -sa,
                                      1};
        for (int k = 0; k < MATRIX; k++) numbers->bones[i / BONES][i % BONES][k] = matrix[k];
    }
}

static void write_frames(void *subject, int count) {
    Numbers *numbers = subject;
    while (count-- > 0) {
        text_buffer_clear(&numbers->text);
        for (int i = 0; i < CHARACTERS; i++) {
            ProtocolFrame frame = {.character = "someone",
                                   .tick = 600,
                                   .tick_rate = 60,
                                   .bones = (const float(*)[16])numbers->bones[i],
                                   .selection_count = BONES};
            protocol_write_frame_head(&numbers->text, &frame);
            protocol_write_frame_body(&numbers->text, &numbers->view, &frame);
        }
        *numbers->out_bytes = numbers->text.length;
    }
}

// As static data has them: the fewest digits that give back the float.
static void write_shortest(void *subject, int count) {
    Numbers *numbers = subject;
    while (count-- > 0) {
        text_buffer_clear(&numbers->text);
        text_buffer_append_floats(&numbers->text, &numbers->bones[0][0][0], NUMBERS);
        *numbers->out_bytes = numbers->text.length;
    }
}

// Numbers with commas between them, each at the same precision; no trailing zeros are taken off.
static void write_with_snprintf(void *subject, int count) {
    static char line[NUMBERS * 16];
    Numbers *numbers = subject;
    const float *values = &numbers->bones[0][0][0];
    while (count-- > 0) {
        size_t length = 0;
        for (int i = 0; i < NUMBERS; i++)
            length +=
                (size_t)snprintf(line + length, sizeof line - length, "%.*f,", PRECISION, (double)values[i]);
        *numbers->out_bytes = length;
    }
}

static cJSON *tree_of(const Numbers *numbers) {
    const float *values = &numbers->bones[0][0][0];
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < NUMBERS; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(round((double)values[i] * 1e5) / 1e5));
    return array;
}

static void print_tree(Numbers *numbers, const cJSON *tree) {
    char *printed = cJSON_PrintUnformatted(tree);
    *numbers->out_bytes = printed ? strlen(printed) : 0;
    cJSON_free(printed);
}

static void print_with_cjson(void *subject, int count) {
    Numbers *numbers = subject;
    while (count-- > 0) print_tree(numbers, numbers->tree);
}

static void make_and_print_with_cjson(void *subject, int count) {
    Numbers *numbers = subject;
    while (count-- > 0) {
        cJSON *tree = tree_of(numbers);
        print_tree(numbers, tree);
        cJSON_Delete(tree);
    }
}

static void *create(const void *setting_) {
    const NumbersSetting *setting = setting_;
    Numbers *numbers = calloc(1, sizeof *numbers);
    if (!numbers) return NULL;
    fill(numbers);
    numbers->view = (ProtocolView){.precision = PRECISION, .layout = setting->layout};
    numbers->tree = tree_of(numbers);
    numbers->out_bytes = setting->out_bytes;
    return numbers;
}

static void destroy(void *subject) {
    Numbers *numbers = subject;
    text_buffer_finish(&numbers->text);
    cJSON_Delete(numbers->tree);
    free(numbers);
}

void table_numbers(void) {
    enum { WRITERS = 6 };
    size_t bytes[WRITERS];
    NumbersSetting settings[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        settings[i] = (NumbersSetting){i == 1 ? PROTOCOL_LAYOUT_TRS : PROTOCOL_LAYOUT_MATRIX, &bytes[i]};
    const BenchEntry entries[WRITERS] = {
        {"stream.frame, matrices", &settings[0], create, write_frames, destroy, 0},
        {"stream.frame, trs (10 a bone)", &settings[1], create, write_frames, destroy, 0},
        {"snprintf \"%.5f\"", &settings[2], create, write_with_snprintf, destroy, 0},
        {"cJSON, printing a tree", &settings[3], create, print_with_cjson, destroy, 0},
        {"cJSON, making and printing a tree", &settings[4], create, make_and_print_with_cjson, destroy, 0},
        {"shortest, as in static data", &settings[5], create, write_shortest, destroy, 0},
    };
    double seconds[WRITERS];
    bench_time(entries, WRITERS, seconds);
    bench_heading("a number of a frame: 20 characters x 64 bones x 16 numbers, 5 decimals");
    printf("  %-34s %12s %12s %12s %12s\n", "writer", "ns a number", "times ours", "ms for all",
           "bytes each");
    for (int i = 0; i < WRITERS; i++) {
        int numbers = i == 1 ? CHARACTERS * BONES * 10 : NUMBERS;
        double ns = 1e9 * seconds[i] / numbers, ours = 1e9 * seconds[0] / NUMBERS;
        printf("  %-34s %12.1f %12.1f %12.3f %12.1f\n", entries[i].name, ns, ns / ours, 1e3 * seconds[i],
               (double)bytes[i] / numbers);
    }
    bench_target_at_least("a number of a frame of matrices, times as fast as cJSON prints one", 60,
                          seconds[3] / seconds[0]);
}
