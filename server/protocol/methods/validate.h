// The check of values and their fields, apart from that of whole params, and what is said of wrong ones.
#pragma once

#include "protocol/methods.h"

// Each checks one thing at `path` and on false sets *out_error: -32602, what was expected, what was found.
bool protocol_check_value(const ProtocolParam *param, const cJSON *value, const char *path,
                          ProtocolError *out_error);

// `owner` is what the message calls the taker of the fields: a method's name, or a path.
bool protocol_check_fields(const char *owner, const ProtocolParam *table, size_t count, const cJSON *object,
                           const char *path, ProtocolError *out_error);

// "PATH is missing: it must be …" where `value` is NULL, "PATH must be …, not …" elsewhere. Always false.
bool protocol_reject_value(const ProtocolParam *param, const cJSON *value, const char *path,
                           ProtocolError *out_error);

// "OWNER has no parameter "nam"; did you mean "name"?". Always false.
bool protocol_reject_unknown(const char *owner, const ProtocolParam *table, size_t count, const char *name,
                             const char *path, ProtocolError *out_error);

// path.name, the name cut after 64 bytes.
void protocol_join_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, const char *name);
