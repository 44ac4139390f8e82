// Static data and frames read back and written again: the same text. What is wrong in them is named.
#include "protocol/recorded.h"
#include "protocol/reply.h"
#include "text_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MATRIX "[1,0,0,0,0,0.6,0.8,0,0,-0.8,0.6,0,0.1,1.2,-0.3,1]"

static const char description[] =
    "{\"name\":\"alan\",\"script\":\"characters/"
    "wake\",\"revision\":3,\"params\":{\"clip\":\"walk\",\"at\":[0.1,2]},"
    "\"bones\":[{\"name\":\"Hips\",\"parent\":-1,\"kind\":\"skeleton\",\"rest\":" MATRIX
    ",\"inverse_bind\":" MATRIX "},"
    "{\"name\":\"hem\",\"parent\":0,\"kind\":\"cloth\",\"rest\":" MATRIX ",\"inverse_bind\":" MATRIX "}],"
    "\"garments\":[{\"name\":\"jacket\",\"solver\":\"mass_spring\",\"fabric\":\"tweed\","
    "\"springs\":{\"stable_step\":0.002,\"substeps\":9,\"share\":0.5},\"rows\":2,\"columns\":2,\"closed\":"
    "true,"
    "\"rest\":[0,1,0.1,0.1,1,0.1,0,0.9,0.1,0.1,0.9,0.1],\"max_distance\":[0,0,0.4,0.5],\"pinned\":[0,1],"
    "\"bones\":[[2,1]],\"colliders\":[0,3],\"triangles\":[0,2,1,1,2,3]},"
    "{\"name\":\"hood\",\"solver\":\"pendulum\",\"fabric\":\"felt\",\"rows\":0,\"columns\":0,\"closed\":"
    "false,"
    "\"rest\":[],\"pinned\":[],\"bones\":[],\"colliders\":[],\"triangles\":[]}],"
    "\"colliders\":[{\"name\":\"pelvis\",\"shape\":\"ellipsoid\",\"bone\":\"Hips\",\"center\":[0.01,0.02,0."
    "03],"
    "\"rotation\":[0.6,0,0,0.8],\"radii\":[0.17,0.12,0.13]},"
    "{\"name\":\"head\",\"shape\":\"sphere\",\"bone\":\"Hips\",\"center\":[0,0.6,0.1],\"radius\":0.1},"
    "{\"name\":\"thigh\",\"shape\":\"capsule\",\"bone\":\"Hips\",\"from\":[0,0,0],\"to\":[0,-0.42,0.01],"
    "\"radius\":0.08,\"radius_end\":0.06},"
    "{\"name\":\"ground\",\"shape\":\"plane\",\"normal\":[0,0.8,0.6],\"offset\":-0.25}],"
    "\"clips\":[{\"name\":\"walk\",\"duration\":1.2}],"
    "\"commands\":[{\"name\":\"dodge\",\"help\":\"dodge "
    "\\\"sideways\\\"\"},{\"name\":\"stop\",\"help\":\"\"}],"
    "\"meshes\":[{\"name\":\"shell\",\"garment\":\"jacket\",\"positions\":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0."
    "9],"
    "\"normals\":[0,0.6,0.8,0,1,0,1,0,0],\"uvs\":[0,0.5,1,0,-0.25,2],\"triangles\":[0,1,2],"
    "\"joints\":[1,0,0,0,1,1,0,0,0,0,0,0],\"weights\":[1,0,0,0,0.7,0.3,0,0,1,0,0,0],"
    "\"material\":{\"color\":[0.25,0.1,1],\"roughness\":0.9,\"pattern\":\"twill\"}}]}";

static const char frame_body[] =
    ",\"bones\":[[0,1,2,0,0.6,0,0.8,1,1,2],[0.5,0.25,0.125,0,0,0,1,1,1,1]],"
    "\"particles\":{\"jacket\":[0,1,2,3,4,5],\"hood\":[]},\"references\":{\"jacket\":[5,4,3]},"
    "\"wrinkles\":{\"jacket\":{\"warp\":[0.25,0.5],\"weft\":[0,1]}}";

static cJSON *parse(const char *json) {
    cJSON *parsed = cJSON_Parse(json);
    assert_non_null(parsed);
    return parsed;
}

// Reads a description in one convention and writes it in another.
static void translate(const char *from, ProtocolAxes from_axes, ProtocolAxes to_axes, TextBuffer *out_text) {
    ProtocolDescription read;
    ProtocolError error = {0};
    cJSON *json = parse(from);
    if (!protocol_read_description(json, from_axes, &read, &error)) fail_msg("%s", error.message);
    TextBuffer plain = {0}, mesh = {0};
    assert_int_equal(read.mesh_count, 1);
    const ProtocolMeshText meshes[] = {{&mesh, read.materials[0]}};
    protocol_write_description(&plain, &read.character, to_axes);
    protocol_write_mesh(&mesh, &read.meshes[0], to_axes);
    protocol_write_meshed_description(out_text, &plain, meshes, 1);
    assert_false(out_text->failed);
    protocol_description_finish(&read);
    text_buffer_finish(&plain);
    text_buffer_finish(&mesh);
    cJSON_Delete(json);
}

static void assert_close(const cJSON *a, const cJSON *b) {
    assert_int_equal(a->type, b->type);
    if (cJSON_IsNumber(a) && !(fabs(a->valuedouble - b->valuedouble) <= 1e-6 * fmax(fabs(a->valuedouble), 1)))
        fail_msg("%.9g instead of %.9g", b->valuedouble, a->valuedouble);
    if (cJSON_IsString(a)) assert_string_equal(a->valuestring, b->valuestring);
    const cJSON *x = a->child, *y = b->child;
    for (; x && y; x = x->next, y = y->next) assert_close(x, y);
    assert_true(!x && !y);
}

static void test_what_is_read_is_written_again(void **state) {
    (void)state;
    translate(description, PROTOCOL_AXES_GLTF, PROTOCOL_AXES_GLTF, &text);
    assert_text(description);
    for (ProtocolAxes axes = 0; axes < PROTOCOL_AXES_COUNT; axes++) {
        TextBuffer there = {0}, again = {0}, back = {0};
        translate(description, PROTOCOL_AXES_GLTF, axes, &there);
        translate(text_buffer_string(&there), axes, axes, &again);
        translate(text_buffer_string(&there), axes, PROTOCOL_AXES_GLTF, &back);
        cJSON *original = parse(description), *returned = parse(text_buffer_string(&back)),
              *first = parse(text_buffer_string(&there)), *second = parse(text_buffer_string(&again));
        assert_close(original, returned);
        assert_close(first, second);
        if (protocol_axes_unit(axes) == 1.0f)
            assert_string_equal(text_buffer_string(&there), text_buffer_string(&again));
        cJSON_Delete(original);
        cJSON_Delete(returned);
        cJSON_Delete(first);
        cJSON_Delete(second);
        text_buffer_finish(&there);
        text_buffer_finish(&again);
        text_buffer_finish(&back);
    }
}

static void replace(const char *whole, const char *part, const char *by, char *out, size_t capacity) {
    const char *place = strstr(whole, part);
    if (!place) fail_msg("no %s", part);
    snprintf(out, capacity, "%.*s%s%s", (int)(place - whole), whole, by, place + strlen(part));
}

static void test_a_wrong_description_is_told_by_its_member(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"\"alan\"", "5", "name: expected a text"},
        {":3,", ":-1,", "revision: expected an integer from 0 to 4294967295"},
        {"{\"clip\":\"walk\",\"at\":[0.1,2]}", "7", "params: expected an object with finite numbers"},
        {"[0.1,2]", "[1e999]", "params: expected an object with finite numbers"},
        {"\"parent\":0", "\"parent\":1", "bones[1].parent: expected an integer from -1 to 0"},
        {"\"cloth\"", "\"wool\"", "bones[1].kind: expected a known name"},
        {"[1,0,0,0,0,0.6", "[1e300,0,0,0,0,0.6", "bones[0].rest: expected 16 numbers"},
        {"\"mass_spring\"", "null", "garments[0].solver: expected a text"},
        {"0.002", "true", "garments[0].springs.stable_step: expected a number"},
        {":9,", ":0,", "garments[0].springs.substeps: expected an integer from 1 to 2147483647"},
        {"\"rows\":2", "\"rows\":2.5", "garments[0].rows: expected an integer from 0 to 2147483647"},
        {"\"closed\":true", "\"closed\":1", "garments[0].closed: expected true or false"},
        {"\"rest\":[0,1,0.1,", "\"rest\":[0,1,", "garments[0].rest: expected whole vectors"},
        {"[0,0,0.4,0.5]", "[0,0,0.4]", "garments[0].max_distance: expected one for each particle"},
        {"\"pinned\":[0,1]", "\"pinned\":[0,4]", "garments[0].pinned: expected indices from 0 to 3"},
        {"[[2,1]]", "[[2,2]]", "garments[0].bones: expected pairs of a particle and a bone"},
        {"[[2,1]]", "[[2,1,0]]", "garments[0].bones: expected pairs of a particle and a bone"},
        {"[[2,1]]", "[[2]]", "garments[0].bones: expected pairs of a particle and a bone"},
        {"[[2,1]]", "[3]", "garments[0].bones: expected pairs of a particle and a bone"},
        {"[0,3]", "[0,-1]", "garments[0].colliders: expected indices from 0 to 3"},
        {"[0,2,1,1,2,3]", "[0,2,1,1,2]", "garments[0].triangles: expected whole groups of indices"},
        {"\"rest\":[],", "", "garments[1].rest: expected a list"},
        {"\"ellipsoid\"", "\"box\"", "colliders[0].shape: expected a known name"},
        {"[0.01,0.02,0.03]", "[0.01,0.02]", "colliders[0].center: expected 3 numbers"},
        {"[0.6,0,0,0.8]", "{}", "colliders[0].rotation: expected a list"},
        {"[0.17,0.12,0.13]", "[]", "colliders[0].radii: expected 3 numbers"},
        {"\"radius\":0.1}", "\"radius\":1e39}", "colliders[1].radius: expected a number"},
        {"[0,-0.42,0.01]", "0", "colliders[2].to: expected a list"},
        {"\"radius_end\"", "\"radius_ende\"", "colliders[2].radius_end: expected a number"},
        {"\"normal\"", "\"normals\"", "colliders[3].normal: expected a list"},
        {"-0.25}", "[]}", "colliders[3].offset: expected a number"},
        {"1.2}]", "\"1\"}]", "clips[0].duration: expected a number"},
        {"\"help\":\"\"", "\"help\":null", "commands[1].help: expected a text"},
        {"\"commands\":", "\"orders\":", "commands: expected a list"},
        {"0.7,0.8,0.9]", "0.7,0.8]", "meshes[0].positions: expected whole vectors"},
        {"\"triangles\":[0,1,2]", "\"triangles\":[0,1,3]",
         "meshes[0].triangles: expected indices from 0 to 2"},
        {"[1,0,0,0,1,1", "[2,0,0,0,1,1", "meshes[0].joints: expected indices from 0 to 1"},
        {"0.9,\"pattern\"", "0.9,\"patern\"", "meshes[0].pattern: expected a text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char changed[sizeof description + 64];
        replace(description, cases[i][0], cases[i][1], changed, sizeof changed);
        ProtocolDescription read;
        ProtocolError error = {0};
        cJSON *json = parse(changed);
        assert_false(protocol_read_description(json, PROTOCOL_AXES_UNREAL, &read, &error));
        assert_string_equal(error.message, cases[i][2]);
        cJSON_Delete(json);
    }
}

static ProtocolView view_in(ProtocolAxes axes) {
    return (ProtocolView){.axes = axes,
                          .layout = PROTOCOL_LAYOUT_TRS,
                          .precision = 5,
                          .particles = true,
                          .references = true,
                          .wrinkles = true};
}

static bool read_frame(const char *body, ProtocolAxes axes, cJSON **out_json,
                       ProtocolRecordedFrame *out_frame, ProtocolError *out_error) {
    char params[sizeof frame_body + 256];
    const ProtocolView view = view_in(axes);
    snprintf(params, sizeof params,
             "{\"view\":7,\"character\":\"alan\",\"revision\":3,\"tick\":120,\"time\":2,\"sequence\":-4%s}",
             body);
    *out_json = parse(params);
    return protocol_read_frame(*out_json, &view, 2, out_frame, out_error);
}

static void write_body(const ProtocolRecordedFrame *frame, ProtocolAxes axes, TextBuffer *out_text) {
    const ProtocolView view = view_in(axes);
    protocol_write_frame_body(out_text, &view, &frame->frame);
    text_buffer_append_char(out_text, '\0');
    char *end = strstr(out_text->bytes, "}}\n");
    assert_non_null(end);
    *end = '\0';
}

static void test_a_frame_that_is_read_is_written_again(void **state) {
    (void)state;
    for (ProtocolAxes axes = 0; axes < PROTOCOL_AXES_COUNT; axes++) {
        ProtocolRecordedFrame frame, same;
        ProtocolError error = {0};
        cJSON *json, *other;
        if (!read_frame(frame_body, PROTOCOL_AXES_GLTF, &json, &frame, &error)) fail_msg("%s", error.message);
        assert_string_equal(frame.frame.character, "alan");
        assert_int_equal(frame.frame.revision, 3);
        assert_int_equal(frame.frame.tick, 120);
        assert_true(frame.frame.has_sequence && frame.frame.sequence == -4);
        TextBuffer there = {0}, back = {0};
        write_body(&frame, axes, &there);
        if (!read_frame(there.bytes, axes, &other, &same, &error)) fail_msg("%s", error.message);
        write_body(&same, PROTOCOL_AXES_GLTF, &back);
        char first[sizeof frame_body + 8], second[1024];
        snprintf(first, sizeof first, "{%s}", frame_body + 1);
        snprintf(second, sizeof second, "{%s}", back.bytes + 1);
        cJSON *a = parse(first), *b = parse(second);
        assert_close(a, b);
        cJSON_Delete(a);
        cJSON_Delete(b);
        protocol_recorded_frame_finish(&frame);
        protocol_recorded_frame_finish(&same);
        cJSON_Delete(json);
        cJSON_Delete(other);
        text_buffer_finish(&there);
        text_buffer_finish(&back);
    }
}

static void test_a_wrong_frame_is_told_by_its_member(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"[0.5,0.25,", "[0.5,", "bones[1]: expected 10 numbers"},
        {"[0.5,0.25,", "[0.5,0,0.25,", "bones[1]: expected 10 numbers"},
        {"[0.5,0.25,", "[0.5,1e13,", "bones[1]: expected 10 numbers"},
        {",[0.5,0.25,0.125,0,0,0,1,1,1,1]", "", "bones: expected as many bones as stream.static lists"},
        {"[0,1,2,3,4,5]", "[0,1,2,3,4]", "particles.jacket: expected whole vectors"},
        {"\"hood\":[]", "\"hood\":1", "particles.hood: expected a list"},
        {"{\"jacket\":[5,4,3]}", "[]", "references: expected an object"},
        {"[0.25,0.5]", "[0.25]", "wrinkles.jacket.weft: expected as many numbers as warp has"},
        {"\"warp\"", "\"wrap\"", "wrinkles.jacket.warp: expected a list"},
        {"{\"warp\":[0.25,0.5],\"weft\":[0,1]}", "[]", "wrinkles.jacket.warp: expected a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char changed[sizeof frame_body + 64];
        replace(frame_body, cases[i][0], cases[i][1], changed, sizeof changed);
        ProtocolRecordedFrame frame;
        ProtocolError error = {0};
        cJSON *json;
        assert_false(read_frame(changed, PROTOCOL_AXES_MAYA, &json, &frame, &error));
        assert_string_equal(error.message, cases[i][2]);
        cJSON_Delete(json);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_read_is_written_again),
        cmocka_unit_test(test_a_wrong_description_is_told_by_its_member),
        cmocka_unit_test(test_a_frame_that_is_read_is_written_again),
        cmocka_unit_test(test_a_wrong_frame_is_told_by_its_member),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
