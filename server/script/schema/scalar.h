// Scalar values: numbers, strings, vectors, objects.
#pragma once

#include "schema/schema.h"

// Reads a scalar into out. False, and nothing is read, if it does not match the field; errors inside a vector
// or of an object are reported here. For all types except TABLE, ONE_OF, LIST, MAP and CUSTOM.
bool script_scalar_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        void *out);
// "expected a number of 0 to 10 m, found a table", at the reader's path.
void script_field_mismatch(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node);
