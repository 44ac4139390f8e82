// Live fabrics: what fabric.get shows and fabric.set changes.
//
// A garment's values are those of its fabric, with those set on the garment itself on top. Names, units and
// ranges come from sim's table of fields.
#pragma once

#include "base/json.h"
#include "characters/characters.h"

#include <protocol/error.h>
#include <sim/fabric.h>
#include <text/buffer.h>

// Reads {KEY: number, GROUP: {KEY: number}}: the bits of the fields given and their values. False with
// -32602 for an unknown name or a value out of range; the path begins with "params.values".
bool app_fabrics_read(const cJSON *json, AppOverride *out_values, ProtocolError *out_error);

// Of a fabric; reaches all garments of it. False: no such fabric.
bool app_fabrics_set(AppCharacters *characters, const char *fabric, const AppOverride *values);
// The fabric has other values: all garments of it ramp to them.
void app_fabrics_spread(AppCharacters *characters, const char *fabric);
// Those values of `fabric` that differ from `before`, or all of them where it is NULL.
AppOverride app_fabrics_difference(const SimFabric *fabric, const SimFabric *before);
// Of one garment.
void app_fabrics_set_garment(AppCharacters *characters, AppCharacter *character, int garment,
                             const AppOverride *values);

// Gives a character's garments the values they should have: ramped where the cloth is in use, at once after
// spawn and reset.
void app_fabrics_apply(AppCharacters *characters, AppCharacter *character, bool ramp);
// The same of the garments whose fabrics have changed since.
void app_fabrics_renew(AppCharacters *characters, AppCharacter *character);

SimFabric app_fabrics_of_garment(const AppCharacters *characters, const AppCharacter *character, int garment);

// fabric.get's result: {values:{KEY:{value, unit, minimum, maximum, default}}, edge:{…}, spring:{…}}.
cJSON *app_fabrics_describe(AppJson *json, const SimFabric *fabric);

// The values given, in the shape they came in: {KEY: number, GROUP: {…}}. For the event.
void app_fabrics_put_values(AppJson *json, cJSON *parent, const char *key, const AppOverride *values);

// The values that were set on garments, as {GARMENT: {…}} under "garments".
void app_fabrics_put_overrides(AppJson *json, cJSON *parent, const AppCharacters *characters,
                               const AppCharacter *character);

typedef struct AppFabricOrigin {
    const char *fabric;              // whose values these are, or what the garment is of
    const char *base;                // the fabric's; NULL: none
    const char *character, *garment; // NULL: the fabric itself
    SimMaterial material;            // the fabric's
} AppFabricOrigin;

// The fabric's, or CHARACTER_GARMENT (GARMENT where that is too long for a name), so that it can stand beside
// the fabric.
void app_fabric_default_name(const AppFabricOrigin *origin, char out_name[TEXT_NAME_BYTES + 1]);

// All values, those of the base and the defaults included, in the shortest decimals that give back the same
// float32: what is loaded from it is the same fabric, whatever becomes of its base.
void app_fabric_write_lua(TextBuffer *text, const char *name, const AppFabricOrigin *origin,
                          const SimFabric *values);
