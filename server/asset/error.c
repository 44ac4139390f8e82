// How this layer writes its errors.
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool asset_fail(AssetError *error, const char *format, ...) {
    if (!error) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}
