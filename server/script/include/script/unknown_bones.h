// What is said of bones that were to be posed and cannot be, to scripts and to clients alike.
#pragma once

#include <sim/rig.h>
#include <stddef.h>

#define SCRIPT_UNKNOWN_BONES_SIZE 2048

// No bone that can be posed has that name.
// "no bones "hamd" (did you mean "hand"?), "rope_0_0" that can be posed (it is of the garment "rope")": out
// of [count] names, 1 at least, as many as there is room for, with the number of the others.
void script_describe_unknown_bones(const SimRigInfo *rig, const char *const *names, size_t count,
                                   char out_message[SCRIPT_UNKNOWN_BONES_SIZE]);

// Skeleton and driven bones come first, those of garments behind them: that many can be posed.
int script_posable_bone_count(const SimRigInfo *rig);
