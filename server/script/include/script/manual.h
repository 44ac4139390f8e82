// The documentation of the Lua interface, for editors and for people. It is written from the tables that
// reading and calling use, so it cannot disagree with them.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Declarations of `tweed` for the Lua language server (LuaLS annotations). Returns false when memory runs
// out.
bool script_write_types(FILE *file);
// The reference page, in Markdown. Returns false when memory runs out.
bool script_write_reference(FILE *file);
