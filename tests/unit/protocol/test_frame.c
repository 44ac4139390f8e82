// stream.frame: whole lines verbatim, and thousands of numbers parsed back bit for bit at the chosen
// precision.
#include "protocol/frame.h"
#include "text_fixture.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BONES = 64, POINTS = 153 };

static uint32_t random_state;

static float random_float(void) {
    random_state = random_state * 1664525 + 1013904223;
    return (float)(random_state >> 8) / 4194304.0f - 2.0f;
}

static void write_frame(TextBuffer *line, const ProtocolView *view, const ProtocolFrame *frame) {
    protocol_write_frame_head(line, frame);
    protocol_write_frame_body(line, view, frame);
}

static const float at_rest[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 1.25f, -0.125f, 1},
                                     {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1e-9f, -1e-9f, 0.123456f, 1}};

static void test_lines_as_documented(void **state) {
    (void)state;
    const ProtocolView view = {.precision = 5};
    ProtocolFrame frame = {.view = 3,
                           .character = "al\"an",
                           .revision = 2,
                           .tick = 90,
                           .tick_rate = 60,
                           .bones = at_rest,
                           .selection_count = 2};
    write_frame(&text, &view, &frame);
    assert_text(
        "{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":3,\"character\":\"al\\\"an\","
        "\"revision\":2,\"tick\":90,\"time\":1.5,\"bones\":[[1,0,0,0,0,1,0,0,0,0,1,0,0.5,1.25,-0.125,1],"
        "[0,1,0,0,-1,0,0,0,0,0,1,0,0,0,0.12346,1]]}}\n");
    static const size_t selection[] = {1};
    frame.selection = selection;
    frame.selection_count = 1;
    frame.has_sequence = true;
    frame.sequence = 1234567890123;
    frame.tick = 0;
    const ProtocolView rotations = {
        .precision = 2, .layout = PROTOCOL_LAYOUT_TRS, .axes = PROTOCOL_AXES_UNREAL};
    write_frame(&text, &rotations, &frame);
    assert_text(
        "{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":3,\"character\":\"al\\\"an\","
        "\"revision\":2,\"tick\":0,\"time\":0,\"sequence\":1234567890123,\"bones\":[[0,12.35,0,0,-0.71,0,0."
        "71,1,1,"
        "1]]}}\n");
    frame.selection_count = 0;
    frame.has_sequence = false;
    write_frame(&text, &view, &frame);
    assert_text(
        "{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":3,\"character\":\"al\\\"an\","
        "\"revision\":2,\"tick\":0,\"time\":0,\"bones\":[]}}\n");
}

static void test_points_as_documented(void **state) {
    (void)state;
    static const float jacket[2][3] = {{0, 1.5f, -0.25f}, {0.015625f, 1, 0}}, hood[1][3] = {{0, 0, 1}};
    const ProtocolPoints particles[] = {{"jacket", jacket, 2}, {"hood", hood, 1}},
                         references[] = {{"jacket", jacket, 0}};
    ProtocolFrame frame = {.view = 1,
                           .character = "alan",
                           .revision = 1,
                           .tick = 1,
                           .tick_rate = 60,
                           .particles = particles,
                           .particles_count = 2,
                           .references = references,
                           .references_count = 1};
    const ProtocolView both = {
        .precision = 4, .particles = true, .references = true, .axes = PROTOCOL_AXES_BLENDER};
    write_frame(&text, &both, &frame);
    assert_text("{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":1,\"character\":"
                "\"alan\",\"revision\":1,"
                "\"tick\":1,\"time\":0.016666666666666666,\"bones\":[],\"particles\":{\"jacket\":[0,0.25,1.5,"
                "0.0156,0,1],"
                "\"hood\":[0,-1,0]},\"references\":{\"jacket\":[]}}}\n");
    const ProtocolView only_references = {.precision = 4, .references = true};
    frame.references_count = 0;
    write_frame(&text, &only_references, &frame);
    assert_text("{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":1,\"character\":"
                "\"alan\",\"revision\":1,"
                "\"tick\":1,\"time\":0.016666666666666666,\"bones\":[],\"references\":{}}}\n");
}

static void test_wrinkles_as_documented(void **state) {
    (void)state;
    static const float warp[3] = {0, 0.6834f, 1}, weft[3] = {0.1004f, 0, 0};
    const ProtocolWrinkles wrinkles[] = {
        {"jacket", warp, weft, 3}, {"hood", warp, weft, 1}, {"tie", 0, 0, 0}};
    ProtocolFrame frame = {.view = 1,
                           .character = "alan",
                           .revision = 1,
                           .tick = 0,
                           .tick_rate = 60,
                           .wrinkles = wrinkles,
                           .wrinkles_count = 3};
    const ProtocolView view = {.precision = 3, .wrinkles = true, .axes = PROTOCOL_AXES_UNREAL};
    write_frame(&text, &view, &frame);
    assert_text("{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":1,\"character\":"
                "\"alan\",\"revision\":1,\"tick\":0,\"time\":0,\"bones\":[],\"wrinkles\":{"
                "\"jacket\":{\"warp\":[0,0.683,1],\"weft\":[0.1,0,0]},"
                "\"hood\":{\"warp\":[0],\"weft\":[0.1]},\"tie\":{\"warp\":[],\"weft\":[]}}}}\n");
    frame.wrinkles_count = 0;
    write_frame(&text, &view, &frame);
    assert_text("{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":1,\"character\":"
                "\"alan\",\"revision\":1,\"tick\":0,\"time\":0,\"bones\":[],\"wrinkles\":{}}}\n");
}

// The double of a decimal rounded to so many places.
static double rounded(float value, int decimals) {
    char decimal[64];
    snprintf(decimal, sizeof decimal, "%.*f", decimals, (double)value);
    return strtod(decimal, NULL);
}

static void assert_numbers(const cJSON *list, const float *values, int count, int decimals) {
    assert_int_equal(cJSON_GetArraySize(list), count);
    const cJSON *item = list->child;
    for (int i = 0; i < count; i++, item = item->next) {
        double expected = rounded(values[i], decimals);
        if (item->valuedouble != expected)
            fail_msg("[%d] is %.17g, not %.17g", i, item->valuedouble, expected);
    }
}

static cJSON *parse_params(void) {
    assert_false(text.failed);
    assert_int_equal(text.bytes[text.length - 1], '\n');
    assert_null(memchr(text.bytes, '\n', text.length - 1));
    cJSON *line = cJSON_ParseWithLength(text.bytes, text.length);
    assert_non_null(line);
    text_buffer_clear(&text);
    cJSON *params = cJSON_DetachItemFromObject(line, "params");
    cJSON_Delete(line);
    return params;
}

static void check_frame(ProtocolAxes axes, int decimals) {
    static float bones[BONES][16], points[POINTS][3];
    for (int i = 0; i < BONES * 16; i++) bones[i / 16][i % 16] = random_float();
    for (int i = 0; i < POINTS * 3; i++) points[i / 3][i % 3] = random_float();
    static const size_t selection[] = {63, 0, 17, 17};
    const ProtocolPoints garment = {"jacket", (const float(*)[3])points, POINTS};
    const ProtocolView view = {.axes = axes, .precision = decimals, .particles = true};
    const ProtocolFrame frame = {.view = 1,
                                 .character = "alan",
                                 .tick = 7,
                                 .tick_rate = 60,
                                 .bones = (const float(*)[16])bones,
                                 .selection = selection,
                                 .selection_count = 4,
                                 .particles = &garment,
                                 .particles_count = 1};
    write_frame(&text, &view, &frame);
    cJSON *params = parse_params();
    const cJSON *written = cJSON_GetObjectItem(params, "bones");
    assert_int_equal(cJSON_GetArraySize(written), 4);
    for (int i = 0; i < 4; i++) {
        float converted[16];
        protocol_axes_matrix(axes, bones[selection[i]], converted);
        assert_numbers(cJSON_GetArrayItem(written, i), converted, 16, decimals);
    }
    float converted[POINTS][3];
    for (int i = 0; i < POINTS; i++) protocol_axes_position(axes, points[i], converted[i]);
    assert_numbers(cJSON_GetObjectItem(cJSON_GetObjectItem(params, "particles"), "jacket"), converted[0],
                   3 * POINTS, decimals);
    assert_true(cJSON_GetObjectItem(params, "time")->valuedouble == 7 / 60.0);
    cJSON_Delete(params);
}

static void test_numbers_come_back_bit_for_bit(void **state) {
    (void)state;
    random_state = 1;
    for (int axes = 0; axes < PROTOCOL_AXES_COUNT; axes++) {
        for (int decimals = 2; decimals <= 7; decimals++) check_frame((ProtocolAxes)axes, decimals);
    }
}

static void test_rotations_come_back_bit_for_bit(void **state) {
    (void)state;
    random_state = 2;
    float bones[8][16];
    for (int i = 0; i < 8 * 16; i++) bones[i / 16][i % 16] = random_float();
    const ProtocolView view = {.axes = PROTOCOL_AXES_UNITY, .layout = PROTOCOL_LAYOUT_TRS, .precision = 7};
    const ProtocolFrame frame = {
        .character = "alan", .tick_rate = 60, .bones = (const float(*)[16])bones, .selection_count = 8};
    write_frame(&text, &view, &frame);
    cJSON *params = parse_params();
    for (int i = 0; i < 8; i++) {
        float trs[10];
        protocol_decompose(bones[i], trs, trs + 3, trs + 7);
        protocol_axes_position(view.axes, trs, trs);
        protocol_axes_quaternion(view.axes, trs + 3, trs + 3);
        protocol_axes_scale(view.axes, trs + 7, trs + 7);
        assert_numbers(cJSON_GetArrayItem(cJSON_GetObjectItem(params, "bones"), i), trs, 10, 7);
    }
    cJSON_Delete(params);
}

// However many are converted and written at a time.
static void test_many_bones_are_the_text_of_each(void **state) {
    (void)state;
    random_state = 3;
    static float bones[BONES][16];
    static size_t backwards[BONES];
    for (int i = 0; i < BONES * 16; i++) bones[i / 16][i % 16] = i % 4 == 3 ? i % 16 == 15 : random_float();
    for (size_t i = 0; i < BONES; i++) backwards[i] = BONES - 1 - i;
    for (size_t count = 1; count <= BONES; count += count < 20 ? 1 : 11)
        for (int kind = 0; kind < 4; kind++) {
            const ProtocolView view = {.axes = kind / 2 ? PROTOCOL_AXES_UNREAL : PROTOCOL_AXES_GLTF,
                                       .layout = kind % 2 ? PROTOCOL_LAYOUT_TRS : PROTOCOL_LAYOUT_MATRIX,
                                       .precision = 5};
            ProtocolFrame frame = {.bones = (const float(*)[16])bones, .selection_count = 1};
            TextBuffer expected = {0}, one = {0};
            for (size_t i = 0; i < count; i++) {
                frame.selection = &backwards[i];
                text_buffer_clear(&one);
                protocol_write_frame_body(&one, &view, &frame);
                text_buffer_append_string(&expected, i == 0 ? ",\"bones\":[" : ",");
                text_buffer_append(&expected, one.bytes + 10, one.length - 14); // less ,"bones":[ and ]}}\n
            }
            text_buffer_append_string(&expected, "]}}\n");
            frame.selection = backwards;
            frame.selection_count = count;
            text_buffer_clear(&one);
            protocol_write_frame_body(&one, &view, &frame);
            assert_string_equal(text_buffer_string(&one), text_buffer_string(&expected));
            text_buffer_finish(&expected);
            text_buffer_finish(&one);
        }
}

static void test_writing_again_gives_the_same_bytes_in_the_same_memory(void **state) {
    (void)state;
    const ProtocolView view = {.precision = 5};
    const ProtocolFrame frame = {
        .character = "alan", .tick = 100, .tick_rate = 60, .bones = at_rest, .selection_count = 2};
    write_frame(&text, &view, &frame);
    size_t length = text.length;
    char *copy = malloc(length);
    memcpy(copy, text.bytes, length);
    const char *bytes = text.bytes;
    text_buffer_clear(&text);
    write_frame(&text, &view, &frame);
    assert_ptr_equal(text.bytes, bytes);
    assert_int_equal(text.length, length);
    assert_memory_equal(text.bytes, copy, length);
    free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_as_documented),
        cmocka_unit_test(test_points_as_documented),
        cmocka_unit_test(test_wrinkles_as_documented),
        cmocka_unit_test(test_numbers_come_back_bit_for_bit),
        cmocka_unit_test(test_rotations_come_back_bit_for_bit),
        cmocka_unit_test(test_many_bones_are_the_text_of_each),
        cmocka_unit_test(test_writing_again_gives_the_same_bytes_in_the_same_memory),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
