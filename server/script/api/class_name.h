// Names of classes and types in the types file.
#pragma once

#include "schema/function.h"

enum { SCRIPT_CLASS_SIZE = 96, SCRIPT_LUA_TYPE_SIZE = 512 };

// "tweed.Capsule", from the schema's name or constructor; otherwise "tweed.Aim.At", from the class and key
// that hold it.
void script_class_name(const ScriptSchema *schema, const char *parent, const char *key,
                       char out_name[SCRIPT_CLASS_SIZE]);
// The type of a field of that class: "(tweed.Cloth|tweed.Chain)[]".
void script_field_lua_type(const ScriptSchemaField *field, const char *parent,
                           char out_type[SCRIPT_LUA_TYPE_SIZE]);
// "tweed.PlayOptions", or the parameter's own type.
void script_parameter_lua_type(const ScriptParameter *parameter, char out_type[SCRIPT_LUA_TYPE_SIZE]);
