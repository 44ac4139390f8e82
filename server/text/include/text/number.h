// Numbers as decimal text. Independent of the locale, never "-0", never NaN or Infinity: values must be
// finite, which is asserted. The text is valid JSON and is not NUL-terminated; each function returns its
// length.
#pragma once

#include <stddef.h>

// Longest texts: 39 digits of FLT_MAX, a sign, a point and 7 decimals; 17 digits of a double in exponent
// form.
enum { TEXT_FIXED_BYTES = 48, TEXT_FLOAT_BYTES = 24, TEXT_DOUBLE_BYTES = 32 };
enum { TEXT_FIXED_MATRIX_BYTES = 16 * (TEXT_FIXED_BYTES + 1) + 2 };

// Fixed point with `decimals` 2 to 7, trailing zeros left out. The float's exact value is rounded to that
// many decimals, halves to the even digit: what snprintf("%.*f") writes, less the zeros.
size_t text_write_fixed(char *out, float value, int decimals);
// `count` of them with commas between; out[count * (TEXT_FIXED_BYTES + 1)].
size_t text_write_fixed_list(char *out, const float *values, size_t count, int decimals);
// The 16 numbers of each matrix, with "],[" between matrices; out[count * TEXT_FIXED_MATRIX_BYTES].
size_t text_write_fixed_matrices(char *out, const float *const matrices[], size_t count, int decimals);

// The fewest significant digits that give back the same float32 (strtof's bits; -0 becomes 0). One
// more for 2^-96, 2^87 and 2^90.
size_t text_write_float(char *out, float value);

// The fewest significant digits that give back the same double.
size_t text_write_double(char *out, double value);

// The double that a reader gets from the shortest text of `value`: 0.1f gives 0.1, not 0.10000000149011612.
// For floats that go into a cJSON tree.
double text_double_from_float(float value);
