// A jacket whose bones are looked at, and what is true of any bone.
#pragma once

#include "sim_fixture.h"

#include <cglm/cglm.h>

// A jacket's lower part, open in front by 20 degrees either way. Columns run so that z points away from the
// body: in front, at +z, towards +x.
void jacket(Fixture *fixture);
void assert_orthonormal(const vec4 *matrix);
