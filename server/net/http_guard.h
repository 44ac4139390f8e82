#pragma once
// A web page can make a browser send a POST to any port on loopback, and its body would be lines like any
// other. So a connection whose first line is an HTTP request's is not served.

#include <stdbool.h>
#include <stddef.h>

// Whether the bytes a connection starts with are those of an HTTP request: METHOD SP path SP HTTP/, in what
// may be half a line still. Without a newline, METHOD SP path alone is enough once there are more than
// `max_line` bytes.
bool net_looks_like_http(const char *bytes, size_t length, size_t max_line);
