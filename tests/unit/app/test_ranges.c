// The protocol's ranges equal the simulation's, which scripts use.
#include "unit_test.h"

#include <protocol/methods.h>
#include <sim/ranges.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char *method, *param, *field; // field: of the objects that the parameter is or holds; NULL: none
    const char *unit;
    double minimum, maximum, otherwise;
} Row;
#define NUMBERS(unit, minimum, maximum, otherwise) (unit), (minimum), (maximum), (otherwise)
#define ROW(method, param, field, range)                                                                     \
    { method, param, field, SIM_WITH_RANGE(NUMBERS, range) }

static const Row rows[] = {
    ROW("character.spawn", "position", NULL, SIM_RANGE_POSITION),
    ROW("character.move", "position", NULL, SIM_RANGE_POSITION),
    ROW("character.pose", "bones", "position", SIM_RANGE_POSITION),
    ROW("character.pose", "sequence", NULL, SIM_RANGE_POSE_SEQUENCE),
    ROW("character.play", "speed", NULL, SIM_RANGE_PLAY_SPEED),
    ROW("character.play", "fade", NULL, SIM_RANGE_PLAY_FADE),
    ROW("character.play", "at", NULL, SIM_RANGE_PLAY_AT),
    ROW("character.play", "weight", NULL, SIM_RANGE_PLAY_WEIGHT),
    ROW("character.stop", "fade", NULL, SIM_RANGE_PLAY_FADE),
    ROW("world.set", "gravity", NULL, SIM_RANGE_GRAVITY),
    ROW("world.set", "ground", NULL, SIM_RANGE_GROUND),
    ROW("world.set", "wind", "velocity", SIM_RANGE_WIND_VELOCITY),
    ROW("world.set", "wind", "turbulence", SIM_RANGE_TURBULENCE),
    ROW("world.set", "wind", "gust", SIM_RANGE_GUST),
    ROW("world.tornado", "position", NULL, SIM_RANGE_POSITION),
    ROW("world.tornado", "radius", NULL, SIM_RANGE_TORNADO_RADIUS),
    ROW("world.tornado", "strength", NULL, SIM_RANGE_TORNADO_STRENGTH),
    ROW("world.tornado", "lift", NULL, SIM_RANGE_TORNADO_LIFT),
    ROW("world.tornado", "velocity", NULL, SIM_RANGE_TORNADO_VELOCITY),
};

static const ProtocolParam *find(const ProtocolParam *params, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(params[i].name, name) == 0) return &params[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

static void test_the_protocol_has_the_simulations_ranges(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        const ProtocolMethod *method = protocol_find_method(row->method, &(ProtocolError){0});
        const ProtocolParam *param = find(method->params, method->param_count, row->param);
        if (row->field) param = find(param->fields, param->field_count, row->field);
        const bool same_unit =
            param->unit && row->unit ? strcmp(param->unit, row->unit) == 0 : param->unit == row->unit;
        if (param->minimum != row->minimum || param->maximum != row->maximum || !same_unit ||
            (param->has_default && param->default_number != row->otherwise))
            fail_msg("%s %s: %g to %g %s, default %g; the simulation's is %g to %g %s, default %g",
                     row->method, param->name, param->minimum, param->maximum, param->unit ? param->unit : "",
                     param->default_number, row->minimum, row->maximum, row->unit ? row->unit : "",
                     row->otherwise);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_protocol_has_the_simulations_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
