// What a number of a frame costs: our frame writer beside snprintf and cJSON, on the same numbers, in one
// run.
#include "protocol/frame.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

enum {
    CHARACTERS = 20,
    BONES = 64,
    MATRIX = 16,
    NUMBERS = CHARACTERS * BONES * MATRIX,
    PRECISION = 5,
    REPEATS = 9
};

typedef struct Bench {
    float bones[CHARACTERS][BONES][MATRIX];
    ProtocolText text;
    ProtocolView view;
    size_t bytes; // written by the last run
} Bench;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Rigid matrices of a crowd: turns about slanted axes, positions within some metres.
static void fill(Bench *bench) {
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
        for (int k = 0; k < MATRIX; k++) bench->bones[i / BONES][i % BONES][k] = matrix[k];
    }
}

static void write_frames(Bench *bench) {
    protocol_text_clear(&bench->text);
    for (int i = 0; i < CHARACTERS; i++) {
        ProtocolFrame frame = {.character = "someone",
                               .tick = 600,
                               .tick_rate = 60,
                               .bones = (const float(*)[16])bench->bones[i],
                               .selection_count = BONES};
        protocol_write_frame(&bench->text, &bench->view, &frame);
    }
    bench->bytes = bench->text.length;
}

static void write_trs_frames(Bench *bench) {
    bench->view.layout = PROTOCOL_LAYOUT_TRS;
    write_frames(bench);
    bench->view.layout = PROTOCOL_LAYOUT_MATRIX;
}

// Numbers with commas between them, each at the same precision; no trailing zeros are taken off.
static void write_with_snprintf(Bench *bench) {
    static char line[NUMBERS * 16];
    const float *values = &bench->bones[0][0][0];
    size_t length = 0;
    for (int i = 0; i < NUMBERS; i++)
        length +=
            (size_t)snprintf(line + length, sizeof line - length, "%.*f,", PRECISION, (double)values[i]);
    bench->bytes = length;
}

static cJSON *tree_of(const Bench *bench) {
    const float *values = &bench->bones[0][0][0];
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < NUMBERS; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(round((double)values[i] * 1e5) / 1e5));
    return array;
}

static void print_tree(Bench *bench, const cJSON *tree) {
    char *printed = cJSON_PrintUnformatted(tree);
    bench->bytes = 0;
    for (const char *c = printed; c && *c; c++) bench->bytes++;
    cJSON_free(printed);
}

static void write_with_cjson(Bench *bench) {
    cJSON *tree = tree_of(bench);
    print_tree(bench, tree);
    cJSON_Delete(tree);
}

// ns for one number: the best of some runs.
static double time_writer(Bench *bench, void (*write)(Bench *), int numbers) {
    double best = HUGE_VAL;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double begin = now();
        write(bench);
        best = fmin(best, now() - begin);
    }
    return 1e9 * best / numbers;
}

static double time_cjson_print(Bench *bench) {
    cJSON *tree = tree_of(bench);
    double best = HUGE_VAL;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double begin = now();
        print_tree(bench, tree);
        best = fmin(best, now() - begin);
    }
    cJSON_Delete(tree);
    return 1e9 * best / NUMBERS;
}

static void print_row(const char *writer, double ns, double ours, const Bench *bench, int numbers) {
    printf("%-34s %12.1f %12.1f %14.3f %14.1f\n", writer, ns, ns / ours, 1e-6 * ns * NUMBERS,
           (double)bench->bytes / numbers);
}

int main(void) {
    static Bench bench;
    fill(&bench);
    bench.view = (ProtocolView){.precision = PRECISION, .layout = PROTOCOL_LAYOUT_MATRIX};
    protocol_text_init(&bench.text);
    printf("%d characters x %d bones x %d numbers, %d decimals\n", CHARACTERS, BONES, MATRIX, PRECISION);
    printf("%-34s %12s %12s %14s %14s\n", "writer", "ns a number", "times ours", "ms for all", "bytes each");
    double ours = time_writer(&bench, write_frames, NUMBERS);
    print_row("stream.frame, matrices", ours, ours, &bench, NUMBERS);
    const int trs = CHARACTERS * BONES * 10;
    double decomposed = time_writer(&bench, write_trs_frames, trs);
    printf("%-34s %12.1f %12.1f %14.3f %14.1f\n", "stream.frame, trs (10 a bone)", decomposed,
           decomposed / ours, 1e-6 * decomposed * trs, (double)bench.bytes / trs);
    double formatted = time_writer(&bench, write_with_snprintf, NUMBERS);
    print_row("snprintf \"%.5f\"", formatted, ours, &bench, NUMBERS);
    double printed = time_cjson_print(&bench);
    print_row("cJSON, printing a tree", printed, ours, &bench, NUMBERS);
    double built = time_writer(&bench, write_with_cjson, NUMBERS);
    print_row("cJSON, making and printing a tree", built, ours, &bench, NUMBERS);
    protocol_text_finish(&bench.text);
    return 0;
}
