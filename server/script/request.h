// tweed.request: what clients of the protocol can ask for, asked by a script.
#pragma once

#include "function.h"

extern const ScriptFunction script_request_functions[];
