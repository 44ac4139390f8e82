// A running server as `call`, `stats`, `watch` and `record` see it: a connection, requests, and the lines of
// its stream. Errors are printed on stderr at once; the functions return the exit status that they lead to.
#pragma once

#include "base/json.h"
#include "base/log.h"
#include "base/options.h"

#include <net/peer.h>

typedef enum AppExit {
    APP_EXIT_OK,
    APP_EXIT_REFUSED,   // the server answered with an error
    APP_EXIT_USAGE,     // the command line or the input is wrong
    APP_EXIT_NO_SERVER, // the server cannot be reached, or it went away
    APP_EXIT_OUTPUT,    // the output cannot be written
    APP_EXIT_LATE,      // no frame or answer came in time
} AppExit;

typedef struct AppRemote {
    AppLog log;
    NetPeer *peer;   // NULL: not connected
    char where[320]; // its address, for messages
    char *hello;     // the line of server.hello
    int timeout;     // s for an answer, as --timeout says; 0: it says nothing
    double heard;    // s; when the newest frame came, or the stream began
    int input_line;  // of stdin, whose request is sent, for messages; 0: none
} AppRemote;

// Connects to the address in the options, reads server.hello, and authenticates where the server asks for a
// token: with the first token of --token-file, else with TWEED_TOKEN's. A token is never an argument, since
// every user of the machine sees those. Call app_remote_finish in any case.
AppExit app_remote_open(AppRemote *remote, const AppOptions *options);
void app_remote_finish(AppRemote *remote);

// Returns what net_peer_read returns; prints that the server closed the connection or what failed.
NetPeerEvent app_remote_read(AppRemote *remote, int timeout_ms, char **out_line, size_t *out_length);

// Sends a request and waits for its reply, for --timeout or a minute, but without end for simulation.step;
// drops the notifications that come before it. `params` is JSON text, or NULL for none. The result belongs to
// the caller.
AppExit app_remote_request(AppRemote *remote, const char *method, const char *params, cJSON **out_result);

// The view that a replayed recording has, as parameters of stream.subscribe, for the caller to complete; NULL
// of a live server.
cJSON *app_remote_recorded_view(const AppRemote *remote);

// Prints each pattern of a view's `characters` and `bones`, and each of its `kinds`, that matches nothing
// now, and what there is to match. `view`: parameters of stream.subscribe. Returns APP_EXIT_NO_SERVER if the
// server went away, else APP_EXIT_OK.
AppExit app_remote_check_patterns(AppRemote *remote, const cJSON *view);

// Prints each pattern that matches none of the bones, and what there is to match. bones: names, or objects
// with a `name`.
void app_remote_check_bones(AppRemote *remote, const cJSON *patterns, const cJSON *bones);

// Whether no frame has come for --timeout; call app_remote_heard at the stream's begin and for each frame.
void app_remote_heard(AppRemote *remote);
bool app_remote_is_overdue(const AppRemote *remote, const AppOptions *options);
AppExit app_remote_report_overdue(AppRemote *remote, const AppOptions *options);

// Seconds of a clock that no one sets.
double app_seconds(void);

// Whether `params` is a JSON object. If not, prints what is wrong and where, with `source` as the subject
// ("--view").
bool app_params_check(const char *source, const char *params);

// One line of a server's stream.
typedef struct AppLine {
    cJSON *json;           // without the bones of a frame, unless these were asked for
    const char *method;    // "" in a reply
    const cJSON *params;   // NULL: none
    const char *character; // NULL: the line is about none
    bool has_tick;
    uint64_t tick;
} AppLine;

// Parses a line; skips the bones of frames unless `with_bones`. False: not JSON, or out of memory; nothing to
// finish.
bool app_line_read(AppLine *line, const char *bytes, size_t length, bool with_bones);
void app_line_finish(AppLine *line);

bool app_line_is(const AppLine *line, const char *method);
