// Shared params, and what they cost.
#include "data/params.h"

#include <stdlib.h>

struct ScriptParams {
    ScriptResource charge;      // of the allocator; unlinked: none
    ScriptAllocator *allocator; // of the charge
    size_t bytes;
    size_t references;
    ScriptValue value;
};

static void end_charge(ScriptResource *charge);

ScriptParams *script_params_create(ScriptValue value) {
    ScriptParams *params = calloc(1, sizeof *params);
    if (params) {
        params->references = 1;
        params->value = value;
    } else {
        script_value_finish(&value);
    }
    return params;
}

ScriptParams *script_params_create_charged(ScriptValue value, ScriptAllocator *allocator) {
    const size_t bytes = sizeof(ScriptParams) + script_value_bytes(&value);
    ScriptParams *params = script_params_create(value);
    if (params && script_allocator_charge(allocator, bytes)) {
        params->allocator = allocator;
        params->bytes = bytes;
        script_allocator_own(allocator, &params->charge, end_charge);
        return params;
    }
    script_params_release(params);
    return NULL;
}

ScriptParams *script_params_retain(ScriptParams *params) {
    if (params) params->references++;
    return params;
}

void script_params_release(ScriptParams *params) {
    if (!params || --params->references > 0) return;
    script_resource_finish(&params->charge);
    script_value_finish(&params->value);
    free(params);
}

const ScriptValue *script_params_value(const ScriptParams *params) {
    static const ScriptValue none = {.kind = SCRIPT_VALUE_TABLE};
    return params ? &params->value : &none;
}

static void end_charge(ScriptResource *charge) {
    ScriptParams *params = (ScriptParams *)(void *)charge; // its first member
    script_allocator_discharge(params->allocator, params->bytes);
}
