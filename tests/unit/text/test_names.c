// Names, globs, nearest names and UTF-8.
#include "text/glob.h"
#include "text/nearest.h"
#include "text/utf8.h"
#include "unit_test.h"

#include <string.h>

static void test_names(void **state) {
    (void)state;
    static const char *const right[] = {"a", "arm_left", "a b", "]", "Jacke \xC3\xA4"};
    static const char *const wrong[] = {"", "a*", "?", "a[b", "a\xFF"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_true(text_is_name(right[i], strlen(right[i])));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(text_is_name(wrong[i], strlen(wrong[i])));
    char longest[TEXT_NAME_BYTES + 2];
    memset(longest, 'a', sizeof longest);
    assert_true(text_is_name(longest, TEXT_NAME_BYTES));
    assert_false(text_is_name(longest, TEXT_NAME_BYTES + 1));
    assert_false(text_is_name("a\0b", 3));
}

static void test_globs(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool match;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"alan", "alan", true},
        {"alan", "Alan", false},
        {"*", "", true},
        {"*", "alan", true},
        {"a*", "alan", true},
        {"*n", "alan", true},
        {"*l*", "alan", true},
        {"*z*", "alan", false},
        {"a*a*n", "alan", true},
        {"a*a*a", "alan", false},
        {"**a**", "alan", true},
        {"?lan", "alan", true},
        {"????", "alan", true},
        {"?????", "alan", false},
        {"???", "alan", false},
        {"*?", "", false},
        {"*?", "a", true},
        {"a?", "a\xC3\xA4", true},
        {"a??", "a\xC3\xA4", false},
        {"[a-c]lan", "alan", true},
        {"[b-c]lan", "alan", false},
        {"[!b-c]lan", "alan", true},
        {"[^a]lan", "alan", false},
        {"[xa]lan", "alan", true},
        {"[]]", "]", true},
        {"[!]]", "]", false},
        {"[a-]", "-", true},
        {"[a-]", "b", false},
        {"[-a]", "-", true},
        {"[c-a]", "b", false},
        {"jacket_[0-9]", "jacket_7", true},
        {"jacket_[0-9]", "jacket_12", false},
        {"jacket_[0-9]*", "jacket_12", true},
        {"*_[lr]", "pad_l", true},
        {"*_[lr]", "pad_m", false},
        {"[\xC3\xA0-\xC3\xBC]", "\xC3\xA4", true},
        {"*ab", "aab", true},
        {"*[ab]c", "aabbc", true},
        {"[a", "[a", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (text_glob_match(cases[i].pattern, cases[i].name) != cases[i].match) {
            fail_msg("\"%s\" on \"%s\" is not %d", cases[i].pattern, cases[i].name, cases[i].match);
        }
    }
    static const char *const valid[] = {"a", "*", "[a]", "[]]", "[!]]", "a[b-c]*[d]", "]", ""};
    static const char *const invalid[] = {"[", "[]", "[!]", "[^]", "a[b", "[a]["};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) assert_true(text_glob_is_valid(valid[i]));
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_false(text_glob_is_valid(invalid[i]));
}

// Many stars stay fast: trying all ways would take hours here.
static void test_globs_are_quick_at_worst(void **state) {
    (void)state;
    char name[TEXT_NAME_BYTES + 1];
    memset(name, 'a', TEXT_NAME_BYTES);
    name[TEXT_NAME_BYTES] = '\0';
    assert_false(text_glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ab", name));
}

static void test_nearest_names(void **state) {
    (void)state;
    static const char *const names[] = {"tweed", "down",    "veil",   "silk",
                                        "denim", "leather", "rubber", "cotton"};
    static const char *const cases[][2] = {
        {"twed", "tweed"},     {"tweeed", "tweed"},
        {"tewed", "tweed"},    {"TWEDE", "tweed"},
        {"silc", "silk"},      {"slik", "silk"},
        {"lether", "leather"}, {"laether", "leather"},
        {"denin", "denim"},    {"rubbber", "rubber"},
        {"coton", "cotton"},   {"coat", NULL},
        {"x", NULL},           {"", NULL},
        {"felt", NULL},        {"leatherette", NULL},
        {"dwon", "down"},      {"milk", "silk"},
        {"twixxd", NULL},      {"xtweed", "tweed"},
        {"atherxx", NULL},     {"xveil", "veil"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = text_nearest_of(cases[i][0], names, 8).best;
        if (!cases[i][1] && near) fail_msg("\"%s\" is near \"%s\"", cases[i][0], near);
        if (cases[i][1] && !near) fail_msg("nothing is near \"%s\"", cases[i][0]);
        if (near) assert_string_equal(near, cases[i][1]);
    }
    static const char *const twins[] = {"arm_left", "arm_right", "arm_lefs", "arm_left"};
    assert_ptr_equal(text_nearest_of("arm_lefg", twins, 4).best, twins[0]); // among equals the first
    assert_ptr_equal(text_nearest_of("arm_lefs", twins, 4).best, twins[2]);

    static const char *const characters[] = {"characters/wake"};
    assert_non_null(text_nearest_of("charactrs/wkae", characters, 1).best);
    assert_null(text_nearest_of("chractrs/wkea", characters, 1).best); // four edits, and 3 is the most
}

static void test_hints(void **state) {
    (void)state;
    static const char *const names[] = {"tweed"};
    char hint[TEXT_HINT_SIZE];
    TextNearest nearest = text_nearest_of("twed", names, 1);
    text_nearest_hint(&nearest, hint, sizeof hint);
    assert_string_equal(hint, "; did you mean \"tweed\"?");
    nearest = text_nearest_of("silk", names, 1);
    text_nearest_hint(&nearest, hint, sizeof hint);
    assert_string_equal(hint, "");
}

static void test_tells_utf8(void **state) {
    (void)state;
    assert_true(text_is_utf8("", 0));
    assert_false(text_is_utf8("a\0b", 3));
    assert_true(text_is_utf8("\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 18));
    static const char *const wrong[] = {"\x80",
                                        "\xC1\x81",
                                        "\xC3",
                                        "\xE0\x9F\xBF",
                                        "\xED\xBF\xBF",
                                        "\xEF\xBF",
                                        "\xF0\x8F\xBF\xBF",
                                        "\xF4\x90\x80\x80",
                                        "\xF5\x80\x80\x80",
                                        "\xF8\x88\x80\x80\x80",
                                        "\xC3(",
                                        "\xFE"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(text_is_utf8(wrong[i], strlen(wrong[i])));
    }
}

static void test_mends_utf8(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"Jacke \xC3\xA4", "Jacke \xC3\xA4"},
        {"a\xFF\xFE.", "a??."},
        {"\xC3", "?"},
        {"\xE2\x82", "??"},
        {"\xED\xA0\x80\xE2\x82\xAC", "???\xE2\x82\xAC"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        strcpy(text, cases[i][0]);
        text_utf8_mend(text);
        assert_string_equal(text, cases[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_globs_are_quick_at_worst),
        cmocka_unit_test(test_nearest_names),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_tells_utf8),
        cmocka_unit_test(test_mends_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
