// One session: the server's start, the acts of its clients, everybody's end.
#include "session.h"

#include "cli/parse.h"
#include "server/serve.h"

#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_WORDS = 2 << 16,
    MOST_BYTES = 96 << 20, // of memory, at any time
    SETTLE_MS = 3500,      // until everybody has got what is owed
    PATH_SIZE = 512
};

// The command line, which the options point to.
typedef struct Arguments {
    char rate[8], threads[8], clients[8], characters[8], timeout[8];
    char log[PATH_SIZE], tokens[PATH_SIZE], scene[PATH_SIZE];
} Arguments;

static const char *script_folder; // of the process

static void choose_spec(Spec *spec, int precision, Random *random);
static bool parse(Session *session, const char *folder, Arguments *texts, AppOptions *options);
static void begin(void *context);
static void run_next_act(void *context);
static void plan_next_act(Session *session);
static void check_periodically(void *context);
static void begin_end(void *context);
static void pause_at_end(void *context);
static void ask_at_end(void *context);
static void leave(void *context);
static void stop(void *context);
static char *read_file(const char *folder, const char *name);
static void write_file(const char *folder, const char *name, const char *text);
static void restore_scripts(const char *folder);
static void give_up(const char *path);

void setup_from_seed(Setup *setup, uint64_t seed) {
    Random random = {seed ^ UINT64_C(0x5eed)};
    *setup = (Setup){.rate = random_chance(&random, 60) ? 30 : 60,
                     .threads = 1 + (int)random_below(&random, 3),
                     .max_clients = random_chance(&random, 15) ? 3 : 64,
                     .max_characters = 3 + (int)random_below(&random, 4),
                     .pose_timeout = random_chance(&random, 70) ? 0 : 1,
                     .with_tokens = random_chance(&random, 25),
                     .is_paused = random_chance(&random, 10),
                     .is_calm = random_chance(&random, 50),
                     .act_count = 20 + (int)random_below(&random, 60)};
    setup->machine = (MachineSetup){.seed = random_next(&random),
                                    .work_ns = (1 + random_below(&random, 3)) * MACHINE_MS,
                                    .short_reads = random_below(&random, 60)};
    if (!setup->is_calm) {
        setup->machine.call_ns = random_chance(&random, 50) ? random_below(&random, 20000) : 0;
        setup->machine.work_ns = random_below(&random, 30) * MACHINE_MS;
        setup->machine.short_writes = random_below(&random, 60);
    }
    static const int precisions[SESSION_SPECS] = {5, 2, 3, 4, 6, 7}; // no two views are equal
    for (int i = 0; i < SESSION_SPECS; i++) choose_spec(&setup->specs[i], precisions[i], &random);
    setup->specs[0] = (Spec){.bones = "*", .characters = "*", .precision = 5, .is_gltf = true};
    strcpy(setup->specs[0].params, "\"layout\":\"trs\"");
}

bool session_run(Session *session, uint64_t seed, const int *acts, int act_count, const char *folder,
                 FILE *trace, uint64_t *out_hash) {
    char program[PATH_SIZE];
    Arguments arguments;
    AppOptions options;
    uint64_t *frames = session->frames;
    memset(session, 0, sizeof *session);
    *session = (Session){.seed = seed, .trace = trace, .acts = acts, .base = UINT64_MAX};
    session->frames = frames ? frames : malloc(FRAME_WORDS * sizeof *frames);
    if (!session->frames) abort();
    memset(session->frames, 0, FRAME_WORDS * sizeof *frames);
    setup_from_seed(&session->setup, seed);
    session->is_unowned = session->setup.is_paused;
    session->act_count = acts ? act_count : session->setup.act_count;
    snprintf(program, sizeof program, "%s/bin/tweed", folder);
    session->setup.machine.program = program;
    session->setup.machine.on_listening = begin;
    session->setup.machine.context = session;
    script_folder = folder;
    restore_scripts(folder);
    write_file(folder, "log", "");
    machine_begin(&session->setup.machine);
    if (parse(session, folder, &arguments, &options) && app_serve(&options) != 0)
        session_fail(session, "the server has failed; see %s/log", folder);
    app_options_finish(&options);
    char *log = read_file(folder, "log");
    check_end(session, log);
    free(log);
    *out_hash = 0;
    for (int i = 0; i < session->client_count; i++) {
        Client *client = &session->clients[i];
        *out_hash = (*out_hash ^ client->hash) * UINT64_C(0x100000001b3);
        free(client->input);
        free(client->requests);
        free(client->events);
    }
    if (!machine_end()) session_fail(session, "something of the server is left on the loop");
    return session->failure[0] == '\0';
}

// The first failure is the one that counts.
void session_fail(Session *session, const char *format, ...) {
    if (session->failure[0]) return;
    va_list arguments;
    va_start(arguments, format);
    int length =
        snprintf(session->failure, sizeof session->failure,
                 "at %llu ms: ", (unsigned long long)((machine_now_ns() - session->begun_ns) / MACHINE_MS));
    vsnprintf(session->failure + length, sizeof session->failure - (size_t)length, format, arguments);
    va_end(arguments);
    if (session->trace) fprintf(session->trace, "    FAILED: %s\n", session->failure);
}

// Some of the texts are scripts, some are not. The files are watched, but changes may go unseen.
void session_edit_script(Session *session, Random *random) {
    static const char *const texts[] = {
        "return require 'tweed'.fabric { name = 'plain', density = .3 }\n",
        "return require 'tweed'.fabric { name = 'plain', density = .2, damping = 4 }\n",
        "return require 'tweed'.fabric { name = 'plain', density = 'heavy' }\n",
        "return require 'tweed'.fabric {\n",
    };
    static const char *const endings[] = {"", "\n-- edited\n", "\nthis is no Lua", "\nerror('never')"};
    const bool is_fabric = random_chance(random, 40);
    const char *name =
        is_fabric ? "share/tweed/scripts/fabrics/plain.lua" : "share/tweed/scripts/characters/doll.lua";
    const unsigned variant = random_below(random, 4);
    char path[2 * PATH_SIZE];
    if (is_fabric) {
        write_file(script_folder, name, texts[variant]);
    } else {
        char *text = read_file(SESSIONS_SCRIPTS, "characters/doll.lua"), *changed = NULL;
        const char *bone = strstr(text, "{ .2, .3, 0 }");
        if (asprintf(&changed, "%.*s{ .2, .%u, 0 }%s%s", (int)(bone - text), text,
                     1 + random_below(random, 3), bone + strlen("{ .2, .3, 0 }"), endings[variant]) < 0)
            abort();
        write_file(script_folder, name, changed);
        free(changed);
        free(text);
    }
    snprintf(path, sizeof path, "%s/%s", script_folder, name);
    if (session->trace) fprintf(session->trace, "    variant %u of %s\n", variant, name);
    if (random_chance(random, 70)) machine_note_change(path);
}

static void choose_spec(Spec *spec, int precision, Random *random) {
    static const char *const axes[] = {"gltf", "blender", "unreal", "unity", "maya"};
    static const char *const spaces[] = {"world", "model", "parent"};
    static const char *const bones[] = {"*", "*", "Ha*", "cape_*", "Hips"};
    static const char *const kind_names[] = {"", "", "", "skeleton", "cloth"};
    static const char *const characters[] = {"*", "*", "d*", "alan", "drone"};
    const unsigned axis = random_chance(random, 50) ? 0 : random_below(random, 5);
    const char *bone = bones[random_below(random, 5)], *kind = kind_names[random_below(random, 5)];
    const char *character = characters[random_below(random, 5)];
    *spec = (Spec){.precision = precision,
                   .is_matrix = random_chance(random, 40),
                   .is_gltf = axis == 0,
                   .has_particles = random_chance(random, 20),
                   .has_references = random_chance(random, 15),
                   .has_wrinkles = random_chance(random, 15)};
    strcpy(spec->bones, bone);
    strcpy(spec->kind, kind);
    strcpy(spec->characters, character);
    snprintf(spec->params, sizeof spec->params,
             "\"characters\":[\"%s\"],\"bones\":[\"%s\"],\"axes\":\"%s\",\"space\":\"%s\",\"layout\":\"%s\","
             "\"precision\":%d%s%s%s%s%s%s",
             character, bone, axes[axis], spaces[random_below(random, 3)], spec->is_matrix ? "matrix" : "trs",
             precision, kind[0] ? ",\"kinds\":[\"" : "", kind, kind[0] ? "\"]" : "",
             spec->has_particles ? ",\"particles\":true" : "",
             spec->has_references ? ",\"references\":true" : "",
             spec->has_wrinkles ? ",\"wrinkles\":true" : "");
}

static bool parse(Session *session, const char *folder, Arguments *texts, AppOptions *options) {
    const Setup *setup = &session->setup;
    char message[512];
    snprintf(texts->rate, sizeof texts->rate, "%d", setup->rate);
    snprintf(texts->threads, sizeof texts->threads, "%d", setup->threads);
    snprintf(texts->clients, sizeof texts->clients, "%d", setup->max_clients);
    snprintf(texts->characters, sizeof texts->characters, "%d", setup->max_characters);
    snprintf(texts->timeout, sizeof texts->timeout, "%d", setup->pose_timeout);
    snprintf(texts->log, sizeof texts->log, "%s/log", folder);
    snprintf(texts->tokens, sizeof texts->tokens, "%s/tokens", folder);
    snprintf(texts->scene, sizeof texts->scene, "%s/share/tweed/scripts/scenes/stage.lua", folder);
    const char *arguments[40] = {"tweed", "serve",           texts->scene, "--no-http", "--no-shed",
                                 "--log", "debug",           "--log-time", "none",      "--log-limit",
                                 "0",     "--script-budget", "10000"};
    const char *pairs[][2] = {{"--rate", texts->rate},
                              {"--threads", texts->threads},
                              {"--max-clients", texts->clients},
                              {"--max-characters", texts->characters},
                              {"--pose-timeout", texts->timeout},
                              {"--log-file", texts->log},
                              {"--cache", folder},
                              {"--token-file", texts->tokens}};
    int count = 13;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs - (setup->with_tokens ? 0 : 1); i++) {
        arguments[count++] = pairs[i][0];
        arguments[count++] = pairs[i][1];
    }
    if (setup->is_paused) arguments[count++] = "--paused";
    if (app_options_parse(options, count, (char *const *)arguments, message, sizeof message) == APP_PARSE_RUN)
        return true;
    session_fail(session, "%s", message);
    return false;
}

// The witness comes first, then the acts, each in its time.
static void begin(void *context) {
    Session *session = context;
    Random random = {session->seed};
    session->begun_ns = machine_now_ns();
    Client *witness = client_connect(session, 0, &random);
    request_open(witness, &random);
    request_subscribe(witness, &random, 0);
    machine_at(machine_now_ns() + 100 * MACHINE_MS, check_periodically, session);
    plan_next_act(session);
}

static void plan_next_act(Session *session) {
    const uint64_t now_ns = machine_now_ns();
    if (session->next_act == session->act_count) {
        machine_at(now_ns + 300 * MACHINE_MS, begin_end, session);
        return;
    }
    const int act = session->acts ? session->acts[session->next_act] : session->next_act;
    const uint64_t due_ns = session->begun_ns + act_due_ms(session, act) * MACHINE_MS;
    machine_at(due_ns > now_ns ? due_ns : now_ns, run_next_act, session);
}

static void run_next_act(void *context) {
    Session *session = context;
    act_run(session, session->acts ? session->acts[session->next_act] : session->next_act);
    session->next_act++;
    plan_next_act(session);
}

static void check_periodically(void *context) {
    Session *session = context;
    check_now_and_then(session);
    if (++session->checks % 10 == 0 && !session->is_ending)
        request_simple(session->slots[0], "server.stats", REQUEST_STATS);
    if (mallinfo2().uordblks > MOST_BYTES)
        session_fail(session, "more than %d MiB are in use", MOST_BYTES >> 20);
    if (!session->is_stopped) machine_at(machine_now_ns() + 100 * MACHINE_MS, check_periodically, session);
}

// Everybody reads what is owed.
static void begin_end(void *context) {
    Session *session = context;
    for (int i = 0; i < session->client_count; i++) {
        session->clients[i].is_stalled = false;
        session->clients[i].chunk = 0;
        client_read(&session->clients[i]);
    }
    machine_at(machine_now_ns() + SETTLE_MS * MACHINE_MS, pause_at_end, session);
}

static void pause_at_end(void *context) {
    Session *session = context;
    request_simple(session->slots[0], "simulation.pause", REQUEST_PAUSE);
    machine_at(machine_now_ns() + 600 * MACHINE_MS, ask_at_end, session);
}

static void ask_at_end(void *context) {
    Session *session = context;
    session->is_ending = true;
    request_simple(session->slots[0], "server.stats", REQUEST_STATS);
    machine_at(machine_now_ns() + 200 * MACHINE_MS, leave, session);
}

// Half of the clients go in order, the others until the server does.
static void leave(void *context) {
    Session *session = context;
    for (int i = 1; i < session->client_count; i += 2) {
        Client *client = &session->clients[i];
        if (!client_may_act(client)) continue;
        if (client->has_sent_half) client->null_errors++;
        client->has_shut_down = true;
        client->reasons |= 1u << REASON_BY_PEER;
        peer_shut_down(client->peer);
    }
    machine_at(machine_now_ns() + 700 * MACHINE_MS, stop, session);
}

static void stop(void *context) {
    Session *session = context;
    session->is_stopped = true;
    machine_signal(SIGTERM);
}

// Each is written anew, since a session may have edited it.
static void restore_scripts(const char *folder) {
    static const char *const names[] = {"characters/doll.lua", "characters/drone.lua", "fabrics/plain.lua",
                                        "scenes/stage.lua"};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = read_file(SESSIONS_SCRIPTS, names[i]);
        snprintf(path, sizeof path, "share/tweed/scripts/%s", names[i]);
        write_file(folder, path, text);
        free(text);
    }
}

static char *read_file(const char *folder, const char *name) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) give_up(path);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    if (!text || fread(text, 1, size, file) != size) abort();
    text[size] = '\0';
    fclose(file);
    return text;
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0) give_up(path);
    fclose(file);
}

static void give_up(const char *path) {
    perror(path);
    abort();
}
