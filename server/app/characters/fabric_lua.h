// A fabric as the text of a Lua file.
#pragma once

#include <sim/fabric.h>
#include <text/buffer.h>

typedef struct AppFabricOrigin {
    const char *fabric;              // whose values these are, or what the garment is of
    const char *base;                // the fabric's; NULL: none
    const char *character, *garment; // NULL: the fabric itself
} AppFabricOrigin;

// All values, those of the base and the defaults included, in the shortest decimals that give back the same
// float32: what is loaded from it is the same fabric, whatever becomes of its base. Its name is the fabric's,
// or CHARACTER_GARMENT (GARMENT where that is too long for a name), so that it can stand beside the fabric.
void app_fabric_write_lua(TextBuffer *text, const AppFabricOrigin *origin, const SimFabric *values);
