// Making hosts that only check.
#pragma once

#include "script/host.h"

// For loading apart from the host: its folders and limits, a world of its own, no callbacks; fabrics, with
// the values they have now, if asked for. It has no watch. NULL for want of memory.
ScriptHost *script_host_copy(const ScriptHost *host, bool with_fabrics);
// As script_host_create; with `checking` the host has a world of its own, gives the linter's advice, and
// comes about in spite of mistakes in fabrics.
ScriptHost *script_host_make(const ScriptHostDef *def, bool checking, ScriptFindings *findings);
