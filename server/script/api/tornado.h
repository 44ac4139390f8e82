// Tornadoes, begun and ended while the world runs.
#pragma once

#include "schema/function.h"

// tweed.tornado and tweed.calm.
extern const ScriptFunction script_tornado_functions[];
