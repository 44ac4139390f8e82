// Making hosts that only check.
#pragma once

#include "script/host.h"

// As script_host_create; with `checking` the host has a world of its own, gives the linter's advice, and
// comes about in spite of mistakes in fabrics.
ScriptHost *script_host_make(const ScriptHostDef *def, bool checking, ScriptFindings *findings);
