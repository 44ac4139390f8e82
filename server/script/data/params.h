// Params that count as a script's memory.
#pragma once

#include "data/allocator.h"
#include "script/value.h"

// As script_params_create, and counts what they take as the allocator's until they are freed or it is
// finished. Returns NULL when memory runs out, or more than the allocator has left.
ScriptParams *script_params_create_charged(ScriptValue value, ScriptAllocator *allocator);
