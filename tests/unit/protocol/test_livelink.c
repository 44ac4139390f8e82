// Documents for Unreal's JSON Live Link plug-in: verbatim, and never longer than a datagram takes.
#include "protocol/livelink.h"
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BONES = 2000 };

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static ProtocolLiveLinkBone bone(const char *name, int parent, const float matrix[16]) {
    ProtocolLiveLinkBone made = {.name = name, .parent = parent};
    memcpy(made.matrix, matrix, sizeof made.matrix);
    return made;
}

static void assert_document(ProtocolLiveLink *subject, const char *expected) {
    TextBuffer text = {0};
    assert_true(protocol_livelink_write(subject, &text));
    text_buffer_append_char(&text, '\0');
    assert_string_equal(text.bytes, expected);
    assert_false(protocol_livelink_write(subject, &text));
    text_buffer_finish(&text);
}

static void test_documents_are_as_the_plug_in_reads_them(void **state) {
    (void)state;
    // A quarter turn about +Y, 1.5 m to the character's left and 2 m up; twice as tall.
    const float turned[16] = {0, 0, -1, 0, 0, 2, 0, 0, 1, 0, 0, 0, 1.5f, 2, -0.25f, 1};
    ProtocolLiveLinkBone bones[] = {bone("root", -1, identity), bone("arm", 0, turned),
                                    bone("hand", 1, identity)};
    ProtocolLiveLink subject = {.character = "alan", .bones = bones, .bone_count = 3};
    assert_document(
        &subject,
        "{\"alan\":[{\"Name\":\"root\",\"Parent\":-1,\"Location\":[0,0,0],\"Rotation\":[0,0,0,1],"
        "\"Scale\":[1,1,1]},{\"Name\":\"arm\",\"Parent\":0,\"Location\":[150,-25,200],"
        "\"Rotation\":[0,0,-0.7071068,0.7071068],\"Scale\":[1,1,2]},{\"Name\":\"hand\",\"Parent\":1,"
        "\"Location\":[0,0,0],\"Rotation\":[0,0,0,1],\"Scale\":[1,1,1]}]}");
    assert_int_equal(subject.parts, 1);
    assert_int_equal(subject.left_out, 0);
}

static void test_names_are_ascii(void **state) {
    (void)state;
    ProtocolLiveLinkBone bones[] = {bone("H\xC3\xBC\"\\\x01\x7F", -1, identity),
                                    bone("\xF0\x9D\x84\x9E\xFF", -1, identity)};
    ProtocolLiveLink subject = {.character = "\xE9\xAA\xA8", .bones = bones, .bone_count = 2};
    assert_document(&subject,
                    "{\"\\u9aa8\":[{\"Name\":\"H\\u00fc\\u0022\\u005c\\u0001\\u007f\",\"Parent\":-1,"
                    "\"Location\":[0,0,0],\"Rotation\":[0,0,0,1],\"Scale\":[1,1,1]},"
                    "{\"Name\":\"\\ud834\\udd1e\\ufffd\",\"Parent\":-1,"
                    "\"Location\":[0,0,0],\"Rotation\":[0,0,0,1],\"Scale\":[1,1,1]}]}");
}

// Numbers of as many digits as a float32 can have there, on bones all below one: everything fits, and not
// much room is wasted.
static void test_a_document_is_never_too_long(void **state) {
    (void)state;
    const float x = -0.1825742f, y = -0.3651484f, z = -0.5477226f, w = 0.7302967f, s = 98.76543f;
    const float longest[16] = {-s * (1 - 2 * (y * y + z * z)),
                               -s * 2 * (x * y + z * w),
                               -s * 2 * (x * z - y * w),
                               0,
                               s * 2 * (x * y - z * w),
                               s * (1 - 2 * (x * x + z * z)),
                               s * 2 * (y * z + x * w),
                               0,
                               s * 2 * (x * z + y * w),
                               s * 2 * (y * z - x * w),
                               s * (1 - 2 * (x * x + y * y)),
                               0,
                               -1310.7193f,
                               -1310.7181f,
                               -1310.7167f,
                               1};
    static ProtocolLiveLinkBone bones[BONES];
    static char names[BONES][65];
    for (int i = 0; i < BONES; i++) {
        snprintf(names[i], sizeof names[i], "%064d", i);
        bones[i] = bone(names[i], i > 0 ? 0 : -1, longest);
    }
    ProtocolLiveLink subject = {.character = "alan", .bones = bones, .bone_count = BONES};
    TextBuffer text = {0};
    size_t longest_document = 0;
    while (protocol_livelink_write(&subject, &text)) {
        assert_false(text.failed);
        assert_true(text.length <= PROTOCOL_LIVELINK_BYTES);
        if (text.length > longest_document) longest_document = text.length;
    }
    assert_true(longest_document > PROTOCOL_LIVELINK_BYTES * 9 / 10);
    assert_int_equal(subject.next, BONES);
    assert_int_equal(subject.left_out, 0);
    text_buffer_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_are_as_the_plug_in_reads_them),
        cmocka_unit_test(test_names_are_ascii),
        cmocka_unit_test(test_a_document_is_never_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
