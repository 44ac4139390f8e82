// Plain data between the wire's JSON and the scripts' values.
#pragma once

#include <cjson/cJSON.h>
#include <script/value.h>
#include <stdbool.h>

// False: out of memory, and out_value is null.
bool app_value_from_json(ScriptValue *out_value, const cJSON *json);

// NULL: out of memory.
cJSON *app_value_to_json(const ScriptValue *value);
