// Tornadoes, begun and ended while the world runs.
#pragma once

#include "function.h"

// tweed.tornado and tweed.calm.
extern const ScriptFunction script_tornado_functions[];
