// tweed.surface: smooth cloth with thickness from a cage of quads, in the form that tweed.mesh takes.
#pragma once

#include "schema/function.h"

extern const ScriptFunction script_surface_functions[];
