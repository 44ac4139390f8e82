// What scripts can say, written down: for editors and for people. It comes from the tables that reading and
// calling go by, so it cannot disagree with them.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Declarations of `tweed` for the Lua language server (LuaLS annotations). False for want of memory.
bool script_write_types(FILE *file);
// The reference page, in Markdown. False for want of memory.
bool script_write_reference(FILE *file);
