// Values that are no tables of their own: numbers, texts, vectors, objects.
#pragma once

#include "schema/schema.h"

bool script_node_is(const ScriptNode *node, ScriptNodeKind kind); // false for NULL

// Reads one into out. False, with nothing read, if it is not what the field expects; what is wrong within a
// vector, or with an object, is told here. For all types but TABLE, ONE_OF, LIST, MAP and CUSTOM.
bool script_scalar_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        void *out);
