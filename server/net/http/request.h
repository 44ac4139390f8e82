// Parses HTTP requests, with http_parser, and keeps of each what the server looks at.
#pragma once

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    NET_REQUEST_HEAD_BYTES = 16384, // of one request, its line and headers
    NET_REQUEST_VALUE_BYTES = 1024, // of its target, or of one header that is kept
};

typedef enum NetHeader {
    NET_HEADER_HOST,
    NET_HEADER_ORIGIN,
    NET_HEADER_ACCEPT_ENCODING,
    NET_HEADER_IF_NONE_MATCH,
    NET_HEADER_UPGRADE,
    NET_HEADER_KEY,
    NET_HEADER_VERSION,
    NET_HEADER_PROTOCOL,
    NET_HEADER_TRANSFER_ENCODING,
    NET_HEADER_COUNT
} NetHeader;

typedef struct NetRequest {
    http_parser parser;
    size_t head_bytes; // so far
    bool is_whole;
    bool has_body;      // which is not read
    bool is_keep_alive; // the peer may send another one
    bool wants_upgrade; // its Connection header says so
    unsigned error;     // the status to answer a wrong request with; 0: it is right so far
    char why[80];       // with an error
    char last_byte;
    size_t target_length;
    char target[NET_REQUEST_VALUE_BYTES + 1]; // as it came; once whole, the decoded path

    size_t name_length; // of the header being read
    char name[32];
    bool is_in_value;
    NetHeader header; // that the value belongs to; NET_HEADER_COUNT: one that is not kept
    bool has[NET_HEADER_COUNT];
    size_t lengths[NET_HEADER_COUNT];
    char values[NET_HEADER_COUNT][NET_REQUEST_VALUE_BYTES + 1];
} NetRequest;

void net_request_init(NetRequest *request);

// Parses up to the end of the request's head and returns how many bytes that took. Afterwards the request is
// whole, has an error, or needs more.
size_t net_request_feed(NetRequest *request, const char *bytes, size_t length);
