// Values that are no tables of their own: numbers, texts, vectors, objects.
#pragma once

#include "schema/schema.h"

// Reads one into out. False, with nothing read, if it is not what the field expects; what is wrong within a
// vector, or with an object, is told here. For all types but TABLE, ONE_OF, LIST, MAP and CUSTOM.
bool script_scalar_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        void *out);
// "expected a number of 0 to 10 m, found a table", at the reader's path.
void script_field_mismatch(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node);
