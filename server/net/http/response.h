// Writes the heads of HTTP responses.
#pragma once

#include "net/http.h"

typedef struct NetResponseHead {
    unsigned status;
    const NetHttpResponse *response;
    size_t body_length;
    bool is_last;             // the connection closes
    const char *more_headers; // whole lines; "": none
} NetResponseHead;

// Returns NULL when memory runs out.
NetBuffer *net_response_head(const NetResponseHead *head);

// The body where there is none: one line that names the status, and, where it is not NULL, why.
NetBuffer *net_response_line(unsigned status, const char *why);

// Whether a conditional request's list of tags has that one.
bool net_etag_matches(const char *if_none_match, const char *etag);
