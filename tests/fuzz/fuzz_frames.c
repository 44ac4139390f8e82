// protocol's number and frame writers: any float or double comes back from its text as precisely as is
// stated, in the shortest form, whatever the locale; and a frame of them is JSON with these numbers in it.
//
// Input: a byte of precision, layout and kinds, a byte of axes, a byte as the length of a name, the name,
// then floats.
#include "fuzz.h"
#include "protocol/frame.h"
#include "protocol/message.h"

#include <cjson/cJSON.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <text/number.h>
#include <text/utf8.h>

enum { MOST_BONES = 4, TEXT_BYTES = 64 };

// The writers run in a locale with a decimal comma, where there is one; libc's readers in plain C's.
static char *comma_locale;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !comma_locale; i++)
        if (setlocale(LC_ALL, locales[i])) comma_locale = strdup(locales[i]);
    setlocale(LC_ALL, "C");
    return 0;
}

static void use_comma(bool use) {
    if (comma_locale) setlocale(LC_ALL, use ? comma_locale : "C");
}

// What JSON should say: printf's rounding of the exact value without trailing zeros, and no -0.
static void check_fixed(float value, int decimals) {
    char text[TEXT_FIXED_BYTES + 1], expected[TEXT_BYTES];
    use_comma(true);
    const size_t length = text_write_fixed(text, value, decimals);
    use_comma(false);
    FUZZ_CHECK(length <= TEXT_FIXED_BYTES, "%zu bytes for %a", length, (double)value);
    text[length] = '\0';
    size_t end = (size_t)snprintf(expected, sizeof expected, "%.*f", decimals, (double)value);
    while (expected[end - 1] == '0') end--;
    if (expected[end - 1] == '.') end--;
    expected[end] = '\0';
    const char *meant = strcmp(expected, "-0") == 0 ? "0" : expected;
    FUZZ_CHECK(strcmp(text, meant) == 0, "%a: \"%s\" instead of \"%s\"", (double)value, text, meant);
}

// JSON's grammar of a number, whose values strtod and strtof read alike.
static int count_digits(const char *text) {
    const char *at = text + (*text == '-');
    FUZZ_CHECK(at[strspn(at, "0123456789.e+-")] == '\0' && at[0] >= '0' && at[0] <= '9', "\"%s\"", text);
    FUZZ_CHECK(at[0] != '0' || at[1] == '.' || at[1] == '\0', "\"%s\"", text);
    int digits = 0, zeros = 0;
    for (; *at && *at != 'e'; at++) {
        if (*at == '.' || (digits + zeros == 0 && *at == '0')) continue;
        zeros++;
        if (*at != '0') digits += zeros, zeros = 0;
    }
    return digits;
}

static bool same_number(double a, double b) {
    return a == b; // 0 for -0 is meant
}

// The fewest digits with which printf's text gives back the number.
static int fewest_digits(double value, bool is_float) {
    char text[TEXT_BYTES];
    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (same_number(is_float ? (double)strtof(text, NULL) : strtod(text, NULL), value)) return digits;
    }
    return 17;
}

static void check_shortest(double value, bool is_float) {
    char text[TEXT_DOUBLE_BYTES + 1];
    use_comma(true);
    const size_t length = is_float ? text_write_float(text, (float)value) : text_write_double(text, value);
    use_comma(false);
    FUZZ_CHECK(length <= (is_float ? TEXT_FLOAT_BYTES : TEXT_DOUBLE_BYTES), "%zu bytes", length);
    text[length] = '\0';
    const double back = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
    FUZZ_CHECK(same_number(back, value), "%a: \"%s\" is %a", value, text, back);
    if (value == 0.0) {
        FUZZ_CHECK(strcmp(text, "0") == 0, "\"%s\"", text);
        return;
    }
    int exponent; // number.h: a digit more for three powers of two
    const bool is_exception = is_float && frexp(fabs(value), &exponent) == 0.5 &&
                              (exponent == -95 || exponent == 88 || exponent == 91);
    const int most = fewest_digits(value, is_float) + is_exception;
    FUZZ_CHECK(count_digits(text) <= most, "%a: \"%s\" where %d digits do", value, text, most);
}

static void check_numbers(const uint8_t *data, size_t size) {
    double number;
    float value;
    for (; size >= sizeof number; data += sizeof value, size -= sizeof value) {
        memcpy(&number, data, sizeof number);
        memcpy(&value, data, sizeof value);
        if (isfinite(number)) check_shortest(number, false);
        if (!isfinite(value)) continue;
        check_shortest((double)value, true);
        for (int decimals = 2; decimals <= 7; decimals++) check_fixed(value, decimals);
    }
}

// A frame's bones as the world may have them: finite; of a size that other axes and scales do not overflow
// where it is not written as it is.
static size_t read_bones(const uint8_t *data, size_t size, bool any_size, float out_bones[MOST_BONES][16]) {
    size_t count = size / sizeof *out_bones;
    if (count > MOST_BONES) count = MOST_BONES;
    memcpy(out_bones, data, count * sizeof *out_bones);
    for (size_t i = 0; i < 16 * count; i++) {
        float *value = &out_bones[i / 16][i % 16];
        if (!isfinite(*value)) *value = 1.0f;
        if (!any_size) *value = fmodf(*value, 1e6f);
    }
    return count;
}

static void compare_bones(const cJSON *bones, float (*expected)[16], size_t count, int decimals) {
    FUZZ_CHECK((size_t)cJSON_GetArraySize(bones) == count, "not the bones");
    const cJSON *bone = bones->child;
    for (size_t i = 0; i < count; i++, bone = bone->next) {
        FUZZ_CHECK(cJSON_GetArraySize(bone) == 16, "not a matrix");
        const cJSON *number = bone->child;
        for (int k = 0; k < 16; k++, number = number->next) {
            const double value = (double)expected[i][k], miss = fabs(number->valuedouble - value);
            FUZZ_CHECK(miss <= 0.5000001 * pow(10, -decimals) + 1e-15 * fabs(value), "%a came as %a", value,
                       number->valuedouble);
        }
    }
}

static void check_frame(uint8_t kinds, uint8_t axes, const char *name, const uint8_t *data, size_t size) {
    const ProtocolView view = {.axes = (ProtocolAxes)(axes % 5),
                               .layout = (ProtocolLayout)(kinds >> 3 & 1),
                               .precision = 2 + kinds % 8 % 6,
                               .particles = kinds >> 4 & 1,
                               .references = kinds >> 5 & 1,
                               .wrinkles = kinds >> 6 & 1};
    const bool as_it_is = view.axes == 0 && view.layout == PROTOCOL_LAYOUT_MATRIX;
    float bones[MOST_BONES][16];
    const size_t count = read_bones(data, size, as_it_is && !(kinds & 0x70), bones);
    const ProtocolPoints points = {name, (const float(*)[3])bones, count * 16 / 3};
    const ProtocolWrinkles wrinkles = {name, bones[0], bones[0], count * 16};
    const ProtocolFrame frame = {.view = axes,
                                 .character = name,
                                 .tick = kinds,
                                 .tick_rate = 30 + axes,
                                 .bones = (const float(*)[16])bones,
                                 .selection_count = count,
                                 .particles = &points,
                                 .particles_count = 1,
                                 .references = &points,
                                 .references_count = 1,
                                 .wrinkles = &wrinkles,
                                 .wrinkles_count = 1};
    TextBuffer text = {0};
    use_comma(true);
    protocol_write_frame_head(&text, &frame);
    protocol_write_frame_body(&text, &view, &frame);
    use_comma(false);
    FUZZ_CHECK(!text.failed && memchr(text.bytes, '\n', text.length) == text.bytes + text.length - 1,
               "lines");
    FUZZ_CHECK(text_is_utf8(text.bytes, text.length), "no UTF-8");
    cJSON *json = cJSON_ParseWithLength(text.bytes, text.length);
    FUZZ_CHECK(json, "no JSON: %.*s", (int)text.length, text.bytes);
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(json, "params");
    if (as_it_is)
        compare_bones(cJSON_GetObjectItemCaseSensitive(params, "bones"), bones, count, view.precision);
    cJSON_Delete(json);
    text_buffer_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    const size_t rest = size - 3, length = data[2] % 65 < rest ? data[2] % 65 : rest;
    char name[66] = "";
    memcpy(name, data + 3, length);
    check_numbers(data + 3 + length, rest - length);
    check_frame(data[0], data[1], name, data + 3 + length, rest - length);
    return 0;
}
