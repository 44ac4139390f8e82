// A running server as the commands `call`, `stats`, `watch` and `record` see it. What goes wrong is told on
// stderr at once; the functions give what the exit status shall be.
#pragma once

#include "app/log.h"
#include "app/options.h"

#include <cjson/cJSON.h>
#include <net/peer.h>

typedef enum AppStatusCode {
    APP_STATUS_FINE,
    APP_STATUS_REFUSED,   // the server answered with an error
    APP_STATUS_USAGE,     // the command line is wrong
    APP_STATUS_NO_SERVER, // there is none, or it went away
    APP_STATUS_OUTPUT,    // what comes out cannot be written
} AppStatusCode;

typedef struct AppRemote {
    AppLog log;
    NetPeer *peer;   // NULL: not connected
    char where[320]; // its address, for people
    char *hello;     // server.hello's line
} AppRemote;

// Connects as the options say and reads the greeting. Finish it in any case.
AppStatusCode app_remote_open(AppRemote *remote, const AppOptions *options);
void app_remote_finish(AppRemote *remote);

// The next line, as net_peer_read gives it; that the server went away, or what failed, is told.
NetPeerEvent app_remote_read(AppRemote *remote, int timeout_ms, char **out_line, size_t *out_length);

// Sends a request and waits for its reply; `params` is JSON text of one line, NULL leaves them out. What else
// comes before the reply is dropped. The result belongs to the caller.
AppStatusCode app_remote_request(AppRemote *remote, const char *method, const char *params,
                                 cJSON **out_result);

// Whether all that was printed to stdout has gone out.
AppStatusCode app_remote_flush(AppRemote *remote);
