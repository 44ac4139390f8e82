// A session: the server and its clients from a seed, what the clients have sent, and what they have been
// told.
//
// A client here is a small model of what protocol/README.md promises: it knows which answers it is owed and
// in which order, what each of its views may show, and why the server may close it. The first client is the
// witness: it reads at once, sees all frames in a queue and all events, and does no harm. The others are held
// against it.
#pragma once

#include "machine.h"
#include "random.h"

#include <cjson/cJSON.h>
#include <stdio.h>

enum {
    SESSION_CLIENTS = 6,      // at once, the witness with them
    SESSION_CONNECTIONS = 64, // in all
    SESSION_SPECS = 6,        // different views
    SESSION_VIEWS = 16,       // of a connection, ended ones too
    SESSION_SHOWN = 16,       // characters of a view
    SESSION_CODES = 6,
    SESSION_FAILURE = 2048,
    SESSION_LAST_MS = 9800, // a peer that has shut down has 10 s for what it is owed
    SESSION_TICKS = 8192,   // whose poses are remembered
    SESSION_POSES = 1024,
};

// What a view was asked to show.
typedef struct Spec {
    char params[320]; // members of stream.subscribe's params, without braces
    char bones[16];   // the pattern; "*": all
    char kind[16];    // the only kind; "": all
    char characters[16];
    int precision;
    bool is_matrix, is_gltf, has_particles, has_references, has_wrinkles;
} Spec;

typedef struct Setup {
    int rate; // ticks a second
    int threads;
    int max_clients, max_characters;
    int pose_timeout; // s
    bool with_tokens;
    bool is_paused;
    bool is_calm; // nothing is late or short: a reader that reads at once misses nothing
    MachineSetup machine;
    Spec specs[SESSION_SPECS];
    int act_count;
} Setup;

typedef enum RequestKind {
    REQUEST_OTHER,
    REQUEST_COMMAND, // its result has the tick
    REQUEST_OPEN,
    REQUEST_SUBSCRIBE,
    REQUEST_UNSUBSCRIBE,
    REQUEST_POSE,
    REQUEST_STEP,
    REQUEST_PAUSE,
    REQUEST_RESUME,
    REQUEST_STATS,
} RequestKind;

// An answer that is owed.
typedef struct Request {
    char id[24];
    const char *method;
    RequestKind kind;
    int codes[SESSION_CODES]; // allowed; 0: a result
    int code_count;
    int batch; // 0: none
    bool is_answered;
    bool is_early;   // not a request at all: answered at once, before those that wait
    bool has_events; // OPEN
    int spec, view;  // SUBSCRIBE; UNSUBSCRIBE
    double rate;     // SUBSCRIBE
    bool queue, bare, mesh;
    uint64_t sequence; // POSE
    uint64_t ticks;    // STEP
    uint64_t base;     // STEP: the tick at which the simulation stood; UINT64_MAX: unknown
    uint64_t epoch;    // STEP: of the session's pauses
    int step;          // STEP: of the session's
} Request;

// A character in a view.
typedef struct Shown {
    char name[72];
    bool has_static, has_frame;
    bool may_repeat; // the current frame comes once more
    uint64_t revision, tick;
    int bone_count, hand; // hand: the index of that bone, -1: none
} Shown;

typedef struct View {
    int id, spec;
    double rate;
    bool queue, bare, mesh;
    bool is_active, is_ending; // is_ending: unsubscribed, not answered yet
    Shown shown[SESSION_SHOWN];
    int shown_count;
} View;

typedef struct Client {
    struct Session *session;
    int number, slot;
    Peer *peer;
    char *input; // a line that is not whole yet [input_length]
    size_t input_length, input_capacity;
    uint64_t hash; // of all lines that it got

    // How it reads.
    size_t chunk;     // bytes at a time; 0: all
    uint64_t pace_ns; // between chunks
    bool is_stalled, was_slow, reads_later;
    uint64_t full_ms, silent_ms,
        strange_ms; // its socket is full, greeted without a token, connected without one

    // What it has done.
    bool has_sent;
    bool has_sent_half; // a line without its end, and nothing since
    bool is_trusted;    // or need not be
    bool has_shut_down, has_vanished, is_refused, has_ended;
    bool gets_events, is_first_line_read;
    int role, granted;     // 0 none, 1 observer, 2 operator
    uint64_t shut_down_ms; // since it has shut down its sending side
    uint64_t reasons;      // bits of Reason that it may be closed for
    size_t strange_bytes;

    Request *requests; // [request_count], in order
    int request_count, request_capacity, next_request;
    int next_id, batch_count;
    int null_errors; // owed for what is no request
    View views[SESSION_VIEWS];
    int view_count;
    uint64_t frames, skipped; // frames that came, and that are missing between them
    bool has_hold;            // its pause
    bool is_tainted;          // what is missing can't be counted from outside
    uint64_t command_tick;
    uint64_t *events; // hashes [event_count]; 0: they were turned off
    int event_count, event_capacity;
} Client;

typedef enum Reason {
    REASON_BY_PEER,
    REASON_RESET,
    REASON_STOPPING,
    REASON_STALLED,
    REASON_HTTP,
    REASON_TLS,
    REASON_UNTRUSTED_BYTES,
    REASON_UNTRUSTED_TIME,
    REASON_WRONG_TOKEN,
    REASON_TOO_MANY,
    REASON_COUNT
} Reason;

typedef struct Session {
    uint64_t seed;
    Setup setup;
    FILE *trace; // NULL: none
    char failure[SESSION_FAILURE];
    Client clients[SESSION_CONNECTIONS];
    int client_count;
    Client *slots[SESSION_CLIENTS]; // the newest of each; NULL: none yet
    const int *acts;                // indices of those that are done [act_count]
    int act_count, next_act;
    uint64_t begun_ns;
    int checks; // now and then

    uint64_t *frames; // table of hashes by view, character and tick [FRAME_TABLE]
    int view_specs[1024];
    bool has_removed;  // a character, perhaps: frames that were skipped may be missing nowhere
    uint64_t sequence; // the last pose of the hand
    uint64_t pose_ticks[SESSION_POSES]; // by sequence: the tick that the answer names, plus one; 0: no answer
    uint64_t shown_poses[SESSION_TICKS]; // by tick: the sequence in the frame, plus one; 0: no frame
    bool has_resumed;                    // somebody has asked to
    bool is_unowned;                     // the pause of the start lasts
    bool is_ending;                      // everybody reads, nobody acts
    bool is_stopped;                     // the server has been told to end

    // By the witness.
    uint64_t newest; // tick
    bool is_paused;
    uint64_t paused_tick, pause_epoch;
    uint64_t steps_asked; // ticks, by all
    uint64_t stepped;     // the last tick of a step
    int steps_sent, steps_answered;
    uint64_t ticks_paused;
    uint64_t base; // where the simulation stands; UINT64_MAX: unknown
} Session;

// What the seed decides on before all acts.
void setup_from_seed(Setup *setup, uint64_t seed);

// Runs it: `acts` are indices below setup.act_count, ascending; NULL: all. False: `failure` says why.
// `out_hash` is of all bytes of all clients.
bool session_run(Session *session, uint64_t seed, const int *acts, int act_count, const char *folder,
                 FILE *trace, uint64_t *out_hash);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void session_fail(Session *session, const char *format, ...);

// Acts, acts.c.
uint64_t act_due_ms(const Session *session, int act); // since the beginning
void act_run(Session *session, int act);
void session_edit_script(Session *session, Random *random);

// Requests, requests.c: their texts, and what they are to be answered with.
void request_send_some(Client *client, Random *random);
void request_send_batch(Client *client, Random *random);
void request_send_wrong(Client *client, Random *random);
void request_subscribe(Client *client, Random *random, int spec);
void request_unsubscribe(Client *client, Random *random);
void request_open(Client *client, Random *random);
void request_pose_hand(Client *client, Random *random);
void request_step(Client *client, Random *random);
void request_spawn(Client *client, Random *random);
void request_reload(Client *client, Random *random);
void request_flood(Client *client, Random *random, int count);
void request_simple(Client *client, const char *method, RequestKind kind);

// Clients, client.c.
Client *client_connect(Session *session, int slot, Random *random);
void client_send(Client *client, const char *bytes, size_t length);
void client_read(Client *client);
bool client_may_act(const Client *client);
Request *client_expect(Client *client, const char *method, RequestKind kind);
void request_allow(Request *request, int code);

// What came, checks_*.c.
void check_line(Client *client, const char *line, size_t length);
void check_reply(Client *client, const cJSON *message);
void check_event(Client *client, const char *method, const cJSON *params, const char *line, size_t length);
void check_static(Client *client, const cJSON *params);
void check_frame(Client *client, const cJSON *params, const char *line, size_t length);
bool rate_is_due(double rate, uint64_t tick, int tick_rate);
void check_subscribed(Client *client, const Request *request, const cJSON *result);
void check_unsubscribed(Client *client, const Request *request);
void check_newest(Client *client);
void check_stepped(Client *client, const Request *request, uint64_t tick);
void check_stats(Client *client, const cJSON *result);
void check_now_and_then(Session *session);
void check_end(Session *session, const char *log);

uint64_t hash_bytes(const char *bytes, size_t length);
