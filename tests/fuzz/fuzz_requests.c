// Requests: the lines of a client's, from their bytes to the handlers of all methods and the ticks between,
// in a world made anew for each input, with net's calls answered by no_sockets.c. Whatever is asked, every
// line that comes back is JSON, and every request is answered as often as it should be: once, or not at all
// where it is a notification.
//
// Input: lines.
#include "cli/parse.h"
#include "fuzz.h"
#include "no_sockets.h"
#include "reload/spawn_loading.h"
#include "rpc/requests.h"
#include "server/handler_table.h"
#include "server/network.h"
#include "server/simulation.h"
#include "session/sessions.h"

#include <protocol/message.h>
#include <string.h>
#include <text/utf8.h>

enum { TICKS_PER_LINE = 4, MOST_PULLS = 4096, MOST_CHARACTERS = 8 };

static AppOptions options;
static size_t answers; // that came back

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static char *const arguments[] = {"tweed", "serve", FUZZ_SCRIPTS "/scenes/pole.lua", "--paused"};
    char message[256];
    setenv("UV_THREADPOOL_SIZE", "1", 1);
    FUZZ_CHECK(app_options_parse(&options, 4, arguments, message, sizeof message) == APP_PARSE_RUN, "%s",
               message);
    return 0;
}

static void take_line(const char *line, size_t length) {
    FUZZ_CHECK(length > 1 && memchr(line, '\n', length) == line + length - 1, "not one line");
    FUZZ_CHECK(text_is_utf8(line, length), "no UTF-8: %.*s", (int)length, line);
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(line, length, &end, false);
    FUZZ_CHECK(json && end == line + length - 1, "no JSON: %.*s", (int)length, line);
    const bool is_event = cJSON_IsObject(json) && !cJSON_HasObjectItem(json, "id");
    if (!is_event) answers++;
    cJSON_Delete(json);
}

// How many lines a message is to be answered with.
static size_t expected_answers(const char *bytes, size_t length) {
    ProtocolMessage message;
    ProtocolRequest request;
    ProtocolError error;
    ProtocolNext next;
    size_t count = 0;
    if (!protocol_message_read(&message, bytes, length, &error)) return 1;
    while ((next = protocol_message_next(&message, &request, &error)) != PROTOCOL_NEXT_NONE) {
        if (next == PROTOCOL_NEXT_INVALID || !request.notification) count = 1; // a batch: one for all
        protocol_request_finish(&request);
    }
    protocol_message_finish(&message);
    return count;
}

static App *begin(void) {
    static const char *const directories[] = {FUZZ_SCRIPTS};
    App *app = calloc(1, sizeof *app);
    int error_number = 0;
    FUZZ_CHECK(app && uv_loop_init(&app->loop) == 0, "out of memory");
    app->options = &options;
    app->tick_timer.file = -1; // nobody wakes us: time goes as the target lets it
    app_log_init(&app->log, stderr, TEXT_LOG_ERROR, APP_LOG_TIME_NONE);
    app_wire(app); // paused, as the arguments have it
    app_methods_init(app);
    FUZZ_CHECK(app_workers_start(&app->workers, &app->loop, 1, &error_number), "%s",
               uv_strerror(error_number));
    const AppCharactersDef def = {.tick_rate = 60,
                                  .scenes = &options.files,
                                  .script_directories = directories,
                                  .script_directory_count = 1,
                                  .max_characters = MOST_CHARACTERS,
                                  .script_memory = (size_t)8 << 20,
                                  .script_budget_ns = 1000000000}; // ours never take long
    ScriptFindings findings = {0};
    ScriptError error = {0};
    FUZZ_CHECK(app_characters_init(&app->characters, &def, &findings, &error), "%s",
               error.message        ? error.message
               : findings.count > 0 ? findings.items[0].message
                                    : "");
    script_findings_finish(&findings);
    FUZZ_CHECK(app_reload_init(&app->reload, &app->loop), "no handles");
    app_tick_clock_init(&app->clock, app->ticks.rate, uv_hrtime());
    return app;
}

static void close_handle(uv_handle_t *handle, void *context) {
    (void)context;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void end(App *app) {
    while (app->ticks.phase == APP_TICK_IN_FLIGHT) uv_run(&app->loop, UV_RUN_ONCE);
    app->ticks.stopping = true;
    app_load_queue_stop(&app->reload.loads);
    uv_walk(&app->loop, close_handle, NULL);
    uv_run(&app->loop, UV_RUN_DEFAULT);
    app_spawns_finish(&app->reload);
    app_reload_finish(&app->reload);
    app_script_requests_drop_after(&app->rpc, NULL);
    app_pose_owners_finish(&app->pose_owners);
    app_pause_locks_finish(&app->ticks.pause_locks);
    app_characters_finish(&app->characters);
    app_views_finish(&app->streams.views);
    text_buffer_finish(&app->sessions.text);
    FUZZ_CHECK(uv_loop_close(&app->loop) == 0, "something is left on the loop");
    free(app);
}

// What the loop would do next: a tick that runs comes to its end, the client gets what it is owed.
static void go_on(App *app, AppClient *client) {
    while (app->ticks.phase == APP_TICK_IN_FLIGHT) uv_run(&app->loop, UV_RUN_ONCE);
    uv_run(&app->loop, UV_RUN_NOWAIT); // a script that was loaded anew
    NetBuffer *line;
    for (int pulls = 0; (line = app_streams_pull(client)); pulls++) {
        FUZZ_CHECK(pulls < MOST_PULLS, "there is always one more frame");
        no_sockets_take(client->connection, line);
    }
}

static void let_time_pass(App *app, AppClient *client, int beats) {
    for (int i = 0; i < beats && !no_sockets_is_closed(client->connection); i++) {
        go_on(app, client);
        if (no_sockets_woke(client->connection) && app->step.request) {
            app_step_on_drained(app, client);
        } else if (app_ticks_are_paused(&app->ticks)) {
            app_time_budget_renew(&app->sessions);
            app_process_pending(app);
        } else {
            app_tick_begin(app, false);
        }
    }
    go_on(app, client);
}

// The next line that is not empty, as net gives it: with a NUL behind. The caller frees it; NULL at the end.
static char *next_line(const uint8_t **data, size_t *size, size_t *out_length) {
    while (*size > 0 && **data == '\n') ++*data, --*size;
    if (*size == 0) return NULL;
    const uint8_t *newline = memchr(*data, '\n', *size);
    *out_length = newline ? (size_t)(newline - *data) : *size;
    char *line = malloc(*out_length + 1);
    FUZZ_CHECK(line, "out of memory");
    memcpy(line, *data, *out_length);
    line[*out_length] = '\0';
    *data += *out_length;
    *size -= *out_length;
    return line;
}

// Most inputs are no JSON at all, and a world is dear.
static bool has_message(const uint8_t *data, size_t size) {
    bool found = false;
    size_t length;
    for (char *line; !found && (line = next_line(&data, &size, &length)); free(line)) {
        ProtocolMessage message;
        ProtocolError error;
        found = protocol_message_read(&message, line, length, &error);
        if (found) protocol_message_finish(&message);
    }
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!has_message(data, size)) return 0;
    App *app = begin();
    NetConnection *connection = no_sockets_open(app, take_line);
    AppClient *client = app_sessions_add(&app->sessions, connection);
    FUZZ_CHECK(client, "out of memory");
    size_t expected = answers = 0, length;
    for (char *line; !no_sockets_is_closed(connection) && (line = next_line(&data, &size, &length));
         free(line)) {
        expected += expected_answers(line, length);
        app_rpc_receive(&app->rpc, client, line, length);
        let_time_pass(app, client, TICKS_PER_LINE);
    }
    const bool waits = client->waiting_requests > 0 || client->pending || no_sockets_is_closed(connection);
    FUZZ_CHECK(waits ? answers <= expected : answers == expected, "%zu answers instead of %zu", answers,
               expected);
    app_disconnect(app, client);
    no_sockets_close(connection);
    end(app);
    return 0;
}
