// The error about bones that cannot be posed, for scripts and clients alike.
#pragma once

#include <sim/rig.h>
#include <stddef.h>

#define SCRIPT_UNKNOWN_BONES_SIZE 2048

// "no bones "hamd" (did you mean "hand"?), "rope_0_0" that can be posed (it is of the garment "rope")" for
// `count` names, at least 1. Names that do not fit are counted.
void script_describe_unknown_bones(const SimRigInfo *rig, const char *const *names, size_t count,
                                   char out_message[SCRIPT_UNKNOWN_BONES_SIZE]);

// The number of bones that can be posed: those of the skeleton and driven ones, which come before the
// garments' bones.
int script_posable_bone_count(const SimRigInfo *rig);
