// The tables of commands and options, and the help, which is written from them.
#include "cli/option_table.h"

#include "base/log.h"

#include <protocol/methods.h>
#include <stdint.h>

enum {
    FOR_NONE = 1 << APP_COMMAND_NONE,
    FOR_SERVE = 1 << APP_COMMAND_SERVE,
    FOR_BAKE = 1 << APP_COMMAND_BAKE,
    FOR_CHECK = 1 << APP_COMMAND_CHECK,
    FOR_INSPECT = 1 << APP_COMMAND_INSPECT,
    FOR_MANUAL = 1 << APP_COMMAND_TYPES | 1 << APP_COMMAND_REFERENCE | 1 << APP_COMMAND_MANUAL,
    FOR_WATCH = 1 << APP_COMMAND_WATCH,
    FOR_RECORD = 1 << APP_COMMAND_RECORD,
    FOR_REPLAY = 1 << APP_COMMAND_REPLAY,
    FOR_ASKING = 1 << APP_COMMAND_CALL | 1 << APP_COMMAND_STATS,
    FOR_CLIENT = FOR_ASKING | FOR_WATCH | FOR_RECORD
};
enum {
    FOR_SCENES = FOR_SERVE | FOR_BAKE,
    FOR_FILES = FOR_SCENES | FOR_CHECK,
    FOR_LISTENING = FOR_SERVE | FOR_REPLAY,
    FOR_ALL = FOR_NONE | FOR_FILES | FOR_INSPECT | FOR_MANUAL | FOR_CLIENT | FOR_REPLAY
};

static int columns(const char *text);
static void write_options(AppCommand command, FILE *file);
static int option_columns(const AppOption *option);
static void write_methods(FILE *file);

const char app_environment_help[] =
    "\nEach option can also be set by an environment variable: TWEED_LOG_TIME=utc is --log-time utc. The\n"
    "command line overrides it. An option without a value takes 1 or 0; an option that may be repeated takes "
    "a\n"
    "list with commas. A variable whose name is nearly that of an option is refused.\n";

#define AT(member) offsetof(AppOptions, member)

// An option that is an integer or a choice starts at its default. The help explains a default below the
// minimum in words.
const AppOption app_option_table[] = {
    {"listen", "HOST:PORT", APP_OPTION_ADDRESS, FOR_LISTENING, AT(listen), 0, 65535, 0,
     "TCP address, default 127.0.0.1:7601; port 0 takes a free one"},
    {"http", "HOST:PORT", APP_OPTION_ADDRESS, FOR_LISTENING, AT(http), 0, 65535, 0,
     "address of the page and of WebSocket, default 127.0.0.1:7602; port 0 takes a free one"},
    {"no-http", NULL, APP_OPTION_FLAG, FOR_LISTENING, AT(no_http), 0, 0, 0, "no page and no WebSocket"},
    {"allow-origin", "ORIGIN", APP_OPTION_LIST, FOR_LISTENING, AT(allow_origin), 0, 0, 0,
     "let pages of this host name, or origin such as http://localhost:5173, connect; may be repeated"},
    {"web", "DIR", APP_OPTION_TEXT, FOR_LISTENING, AT(web), 0, 0, 0,
     "serve the page from this folder, in place of tweed's own"},
    {"unix", "PATH", APP_OPTION_TEXT, FOR_LISTENING, AT(unix_path), 0, 0, 0, "listen on a Unix socket too"},
    {"connect", "HOST:PORT", APP_OPTION_ADDRESS, FOR_CLIENT, AT(connect), 1, 65535, 0,
     "the server's TCP address, default 127.0.0.1:7601"},
    {"unix", "PATH", APP_OPTION_TEXT, FOR_CLIENT, AT(unix_path), 0, 0, 0,
     "the server's Unix socket, in place of TCP"},
    {"port-file", "PATH", APP_OPTION_TEXT, FOR_LISTENING, AT(port_file), 0, 0, 0,
     "write {\"tcp\":PORT,\"http\":PORT,\"unix\":PATH} to this file once the server listens"},
    {"token-file", "PATH", APP_OPTION_TEXT, FOR_LISTENING, AT(token_file), 0, 0, 0,
     "admit only clients with a token of this file, whose mode is 0600"},
    {"token-file", "PATH", APP_OPTION_TEXT, FOR_CLIENT, AT(token_file), 0, 0, 0,
     "send the first token of this file if the server asks; default: TWEED_TOKEN"},
    {"rate", "HZ", APP_OPTION_INTEGER, FOR_SCENES, AT(rate), 30, 240, 60, "ticks a second"},
    {"rate", "HZ", APP_OPTION_INTEGER, FOR_WATCH, AT(view_rate), 1, 1000, 0,
     "frames a second, default every tick"},
    {"bones", "PATTERN", APP_OPTION_LIST, FOR_WATCH, AT(bones), 0, 0, 0,
     "only bones that match, such as 'jacket_*'; may be repeated"},
    {"view", "JSON", APP_OPTION_TEXT, FOR_RECORD, AT(view), 0, 0, 0,
     "what to record: the parameters of stream.subscribe; default everything"},
    {"ticks", "N", APP_OPTION_INTEGER, FOR_WATCH | FOR_RECORD, AT(ticks), 1, 1000000000, 0,
     "end after this many ticks"},
    {"timeout", "SECONDS", APP_OPTION_INTEGER, FOR_WATCH | FOR_RECORD, AT(timeout), 1, 86400, 0,
     "fail if no frame comes for so long; default: wait for ever"},
    {"timeout", "SECONDS", APP_OPTION_INTEGER, FOR_ASKING, AT(timeout), 1, 86400, 0,
     "fail if no answer comes for so long, default 60; of simulation.step: no limit"},
    {"threads", "N", APP_OPTION_INTEGER, FOR_SCENES, AT(threads), 1, 256, 0,
     "threads that simulate, default one a core"},
    {"paused", NULL, APP_OPTION_FLAG, FOR_SERVE, AT(paused), 0, 0, 0,
     "start paused at tick 0, until a client resumes"},
    {"scripts", "DIR", APP_OPTION_LIST, FOR_FILES | FOR_INSPECT, AT(scripts), 0, 0, 0,
     "look for scripts here too, before tweed's own; may be repeated"},
    {"allow-save", NULL, APP_OPTION_FLAG, FOR_SERVE, AT(allow_save), 0, 0, 0,
     "let operators save fabrics as files in the first folder of scripts"},
    {"assets", "DIR", APP_OPTION_LIST, FOR_FILES | FOR_INSPECT, AT(assets), 0, 0, 0,
     "look for files to import here too; may be repeated"},
    {"cache", "DIR", APP_OPTION_TEXT, FOR_FILES, AT(cache), 0, 0, 0,
     "keep what takes long to compute here, default ~/.cache/tweed"},
    {"import-memory", "MIB", APP_OPTION_INTEGER, FOR_FILES | FOR_INSPECT, AT(import_memory), 64, 65536, 1024,
     "memory of the process that reads a file to import"},
    {"import-time", "SECONDS", APP_OPTION_INTEGER, FOR_FILES | FOR_INSPECT, AT(import_time), 1, 3600, 30,
     "how long reading all files that one script imports may take"},
    {"json", NULL, APP_OPTION_FLAG, FOR_CHECK, AT(json), 0, 0, 0,
     "print {errors, warnings, findings} as JSON, for tools"},
    {"json", NULL, APP_OPTION_FLAG, FOR_INSPECT, AT(json), 0, 0, 0,
     "print {file, format, unit, up, scale, height, humanoid, bones, clips, meshes, notes} as JSON"},
    {"script-memory", "MIB", APP_OPTION_INTEGER, FOR_FILES, AT(script_memory), 4, 65536, 64,
     "memory of each script"},
    {"total-script-memory", "MIB", APP_OPTION_INTEGER, FOR_SCENES, AT(total_script_memory), 4, 1048576, 512,
     "memory of all scripts together; past it the one that has the most is suspended"},
    {"script-budget", "MS", APP_OPTION_INTEGER, FOR_FILES, AT(script_budget), 1, 60000, 50,
     "CPU time of each script per tick; loading may take 40 times as long"},
    {"allow-heavy", NULL, APP_OPTION_FLAG, FOR_SERVE | FOR_CHECK, AT(allow_heavy), 0, 0, 0,
     "load characters, too, whose cloth is estimated to take longer than a tick"},
    {"no-shed", NULL, APP_OPTION_FLAG, FOR_SERVE, AT(no_shed), 0, 0, 0,
     "under overload only skip ticks, without lowering the cloth's level of detail"},
    {"log", "LEVEL", APP_OPTION_LEVEL, FOR_SCENES, AT(log_level), 0, 0, TEXT_LOG_INFO,
     "error, warning, info (default) or debug"},
    {"log-time", "TIME", APP_OPTION_TIME, FOR_SCENES, AT(log_time), 0, 0, APP_LOG_TIME_AUTO,
     "time of log lines: none (text only), local or utc; default none on a terminal, utc elsewhere"},
    {"log-format", "FORMAT", APP_OPTION_FORMAT, FOR_SCENES, AT(log_format), 0, 0, APP_LOG_FORMAT_TEXT,
     "text (default), or json: one object a line with time, level, message and what it is about"},
    {"log-file", "FILE", APP_OPTION_TEXT, FOR_SCENES, AT(log_file), 0, 0, 0,
     "append the log to this file, which SIGHUP opens again; default stderr"},
    {"log-limit", "LINES", APP_OPTION_INTEGER, FOR_SCENES, AT(log_limit), 0, 1000000, 500,
     "most log lines a second, without debug lines; further ones, errors too, are only counted; 0: no limit"},
    {"seed", "N", APP_OPTION_INTEGER, FOR_SCENES, AT(seed), 0, INT64_MAX, 0,
     "start of all random numbers, default 0; the same seed gives the same motion"},
    {"pose-timeout", "SECONDS", APP_OPTION_INTEGER, FOR_SERVE, AT(pose_timeout), 0, 86400, 2,
     "how long bones stay posed after their client has left; 0: for ever"},
    {"max-characters", "N", APP_OPTION_INTEGER, FOR_SCENES, AT(max_characters), 1, APP_MAX_CHARACTERS,
     APP_MAX_CHARACTERS, "characters at a time"},
    {"max-clients", "N", APP_OPTION_INTEGER, FOR_SERVE, AT(max_clients), 1, 65536, 256,
     "connections at a time"},
    {"max-message", "BYTES", APP_OPTION_INTEGER, FOR_SERVE, AT(max_message), 1024, 16777216, 65536,
     "the longest request"},
    {"cluster", "URL", APP_OPTION_TEXT, FOR_SERVE, AT(cluster), 0, 0, 0,
     "be a node of a cluster, whose NATS server is at this URL, such as nats://HOST:4222"},
    {"cluster-name", "NAME", APP_OPTION_TEXT, FOR_SERVE, AT(cluster_name), 0, 0, 0,
     "the cluster's name, default tweed: several may share a NATS server"},
    {"node", "NAME", APP_OPTION_TEXT, FOR_SERVE, AT(node), 0, 0, 0,
     "this server's name in the cluster, default HOST-PORT"},
    {"advertise", "HOST:PORT", APP_OPTION_ADDRESS, FOR_SERVE, AT(advertise), 1, 65535, 0,
     "where the other nodes and clients reach this one, default the address that it listens on"},
    {"cluster-credentials", "FILE", APP_OPTION_TEXT, FOR_SERVE, AT(cluster_credentials), 0, 0, 0,
     "what the NATS server asks for: JWT and key of a user, as nsc writes them"},
    {"jsonlivelink", "HOST:PORT", APP_OPTION_ADDRESS, FOR_SERVE | FOR_REPLAY, AT(jsonlivelink), 1, 65535, 0,
     "send all bones by UDP to Unreal's JSON Live Link plug-in at this address"},
    {"jsonlivelink-rate", "HZ", APP_OPTION_INTEGER, FOR_SERVE | FOR_REPLAY, AT(jsonlivelink_rate), 1, 240, 0,
     "how often to send them, default every tick"},
    {"jsonlivelink-remote", NULL, APP_OPTION_FLAG, FOR_SERVE | FOR_REPLAY, AT(jsonlivelink_remote), 0, 0, 0,
     "allow an address on another machine; the data is not encrypted"},
    {"loop", NULL, APP_OPTION_FLAG, FOR_REPLAY, AT(loop), 0, 0, 0,
     "start again after the end; ticks and times keep counting"},
    {"speed", "X", APP_OPTION_FACTOR, FOR_REPLAY, AT(speed), 0, 100, 0,
     "playback speed as a multiple of the recorded one, 0.01 to 100, default 1"},
    {"seconds", "S", APP_OPTION_NUMBER, FOR_BAKE, AT(bake_seconds), 0, 86400, 0,
     "how long the shot is, default 10, or all of a recording"},
    {"from", "S", APP_OPTION_NUMBER, FOR_BAKE, AT(bake_from), 0, 86400, 0,
     "seconds to skip before the shot begins, default 0"},
    {"characters", "PATTERN", APP_OPTION_TEXT, FOR_BAKE, AT(baked), 0, 0, 0,
     "only characters that match, such as 'guest *'"},
    {"no-mesh", NULL, APP_OPTION_FLAG, FOR_BAKE, AT(no_mesh), 0, 0, 0, "bones only"},
    {"out", "FILE", APP_OPTION_TEXT, FOR_BAKE, AT(out), 0, 0, 0,
     "the file to write, default the name of the first scene or the recording with .glb"},
    {"position-error", "MM", APP_OPTION_NUMBER, FOR_BAKE, AT(position_error), 0, 1000, 0,
     "leave out keys as long as no bone's origin is off by more, default 0.1"},
    {"rotation-error", "DEGREES", APP_OPTION_NUMBER, FOR_BAKE, AT(rotation_error), 0, 180, 0,
     "leave out keys as long as no bone is turned by more, default 0.05"},
    {"help", NULL, APP_OPTION_HELP, FOR_ALL, 0, 0, 0, 0, "print this"},
    {"version", NULL, APP_OPTION_VERSION, FOR_NONE, 0, 0, 0, 0, "print the version"},
};
const size_t app_option_count = sizeof app_option_table / sizeof *app_option_table;

#define STATUSES                                                                                             \
    "Exit status: 0, or 1 if the server answers with an error, 2 if the command line is wrong, 3 if the\n"   \
    "server cannot be reached or goes away, 4 if the output cannot be written, 5 if no frame or answer\n"    \
    "comes within --timeout.\n"

const AppCommandInfo app_command_table[] = {
    {APP_COMMAND_SERVE, "serve", "tweed serve [OPTION…] SCENE…",
     "simulate the characters of scenes and stream their bones",
     "a file to serve (such as scripts/scenes/wake.lua)", 1, SIZE_MAX,
     "example:\n  tweed serve scripts/scenes/wake.lua --rate 120\n"},
    {APP_COMMAND_BAKE, "bake", "tweed bake [OPTION…] SCENE…|RECORDING",
     "simulate a shot as fast as it goes, or take a recorded one, and write it as glTF",
     "a file to bake (such as scripts/scenes/wake.lua)", 1, SIZE_MAX,
     "examples:\n  tweed bake scripts/scenes/wake.lua --seconds 5 --out walk.glb\n"
     "  tweed bake walk.ndjson --out walk.glb\n\n"
     "A RECORDING's name ends in .ndjson. It has the rate, bones and meshes that were recorded; options "
     "that\n"
     "are for a simulation have no effect. Where it leaves ticks out, bones move evenly across them.\n"
     "The file is glTF 2.0 binary: bones of body and clothes as nodes, skinned meshes with materials, one\n"
     "animation a character, with its first frame at 0 s. The same scene, options and version give the same\n"
     "bytes. Ctrl-C ends without a file.\n"
     "Exit status: 0, or 1 if the scene cannot be simulated, a script fails or the recording cannot be "
     "read,\n"
     "2 if the command line is wrong, 4 if the file cannot be written.\n"},
    {APP_COMMAND_CHECK, "check", "tweed check [OPTION…] FILE|FOLDER…",
     "find mistakes in scripts without starting a server", "a file to check", 1, SIZE_MAX,
     "In a FOLDER, every script below it is checked; --scripts FOLDER is then implied.\n"
     "Findings go to stdout, one a line: FILE:LINE: error or warning: KEY: MESSAGE. The summary and what\n"
     "scripts print go to stderr.\n"
     "Exit status: 0, or 1 if there is an error, 2 if the command line is wrong.\n"},
    {APP_COMMAND_INSPECT, "inspect", "tweed inspect [OPTION…] FILE",
     "print what is in a file of bones, motion or meshes", "a file to inspect (such as BVH/01_01.bvh)", 1, 1,
     "FILE is a path, or a name as scripts give it: below --assets, here, or among Debian's "
     "assimp-testmodels.\n"
     "Printed are units and axes, bones with the roles that rigs/roles.lua finds, clips, meshes with their\n"
     "box in metres, and what tweed does with them.\n"
     "Exit status: 0, or 1 if the file cannot be read, 2 if the command line is wrong.\n"},
    {APP_COMMAND_CALL, "call", "tweed call [OPTION…] METHOD [JSON]",
     "send a request to a running server and print the result as JSON",
     "a method to call (such as server.describe)", 1, 2,
     "examples:\n"
     "  tweed call character.play '{\"character\":\"alan\",\"clip\":\"walk\",\"loop\":true}'\n"
     "  printf '%s\\n' simulation.pause 'simulation.step {\"ticks\":60}' server.stats | tweed call -\n\n"
     "With - for METHOD, requests are read from stdin, one METHOD [JSON] a line, and sent over one\n"
     "connection. Empty lines and lines that begin with # are skipped.\n"
     "Errors go to stderr. Pauses and subscriptions end with the connection, which ends with the reply, or\n"
     "with the end of stdin.\n" STATUSES},
    {APP_COMMAND_STATS, "stats", "tweed stats [OPTION…]", "print how a running server is doing", NULL, 0, 0,
     STATUSES},
    {APP_COMMAND_WATCH, "watch", "tweed watch [OPTION…] [CHARACTER…]",
     "show the frame rates of a running server, or the bones of characters", "a character", 0, SIZE_MAX,
     "CHARACTER is a name or a pattern, such as '*'. Ctrl-C ends.\n"
     "Unless stdout is a terminal, each line has these fields with tabs between them: tick, character,\n"
     "frames a second, frames missed; of a bone: tick, character, bone, position x y z and rotation x y z w\n"
     "in the world. Of a replay, bones are as the recording has them, a matrix of 16 numbers unless its\n"
     "layout is trs.\n" STATUSES},
    {APP_COMMAND_RECORD, "record", "tweed record [OPTION…] FILE",
     "write the stream of a running server to a file; - is stdout", "a file to write", 1, 1,
     "example:\n  tweed record walk.ndjson --view '{\"characters\":[\"alan\"],\"layout\":\"trs\"}'\n\n"
     "The file has one message a line, as the server sent it. No frame is left out: the server\n"
     "disconnects a recorder that cannot keep up. Ctrl-C ends after a whole line.\n" STATUSES},
    {APP_COMMAND_REPLAY, "replay", "tweed replay [OPTION…] FILE", "serve a recording as if it were live",
     "a recording to serve", 1, 1,
     "example:\n  tweed replay walk.ndjson --loop, then open http://127.0.0.1:7602/\n\n"
     "The recording plays from the first subscription on. At its end the last frames stay, unless --loop is\n"
     "given; it plays again with the first subscription after all clients have left.\n"
     "Clients subscribe to any view, as to a live server, if all bones were recorded with their "
     "descriptions\n"
     "(without \"bones\", \"kinds\" and \"static\"). Meshes, particles, references and wrinkles are there if "
     "they\nwere recorded; for the page, record\n"
     "  --view '{\"layout\":\"trs\",\"mesh\":true,\"particles\":true,\"wrinkles\":true}'\n"},
    {APP_COMMAND_TYPES, "types", "tweed types",
     "print the types of the Lua interface, for the Lua language server", NULL, 0, 0, NULL},
    {APP_COMMAND_REFERENCE, "reference", "tweed reference",
     "print the reference page of the Lua interface, in Markdown", NULL, 0, 0, NULL},
    {APP_COMMAND_MANUAL, "manual", "tweed manual [PAGE]",
     "print a manual page, such as tweed-serve.1, or the names of all", "a page", 0, 1, NULL},
};
const size_t app_command_count = sizeof app_command_table / sizeof *app_command_table;

bool app_option_variable(const AppOption *option, char out_variable[APP_VARIABLE_BYTES]) {
    if (option->kind == APP_OPTION_HELP || option->kind == APP_OPTION_VERSION) return false;
    snprintf(out_variable, APP_VARIABLE_BYTES, "TWEED_%s", option->name);
    for (char *c = out_variable + 6; *c; c++) *c = *c == '-' ? '_' : *c >= 'a' ? (char)(*c - 'a' + 'A') : *c;
    return true;
}

void app_options_write_help(AppCommand command, FILE *file) {
    fprintf(file, "usage:\n");
    const AppCommandInfo *own = NULL;
    for (size_t i = 0; i < app_command_count; i++) {
        const AppCommandInfo *info = &app_command_table[i];
        if (command == info->command) own = info;
        if (command == APP_COMMAND_NONE || own == info)
            fprintf(file, "  %s%*s %s\n", info->usage, 36 - columns(info->usage), "", info->help);
    }
    fprintf(file, command == APP_COMMAND_NONE
                      ? "\ntweed COMMAND --help prints the options of a command.\n\noptions:\n"
                      : "\noptions:\n");
    write_options(command, file);
    if (command != APP_COMMAND_NONE) fputs(app_environment_help, file);
    if (own && own->notes) fprintf(file, "\n%s", own->notes);
    if (command == APP_COMMAND_CALL) write_methods(file);
}

void app_option_write_range(const AppOption *option, FILE *file) {
    if (option->kind != APP_OPTION_INTEGER || option->maximum == INT64_MAX) return;
    fprintf(file, "; %lld to %lld", (long long)option->minimum, (long long)option->maximum);
    if (option->initial >= option->minimum) fprintf(file, ", default %lld", (long long)option->initial);
}

// Returns the width in characters.
static int columns(const char *text) {
    int count = 0;
    for (const char *c = text; *c; c++) count += ((unsigned char)*c & 0xc0) != 0x80;
    return count;
}

// In two columns; the first is as wide as its longest text.
static void write_options(AppCommand command, FILE *file) {
    int width = 22;
    for (size_t i = 0; i < app_option_count; i++) {
        const int length = option_columns(&app_option_table[i]);
        if (app_option_table[i].commands & 1U << command && length > width) width = length;
    }
    for (size_t i = 0; i < app_option_count; i++) {
        const AppOption *option = &app_option_table[i];
        if (!(option->commands & 1U << command)) continue;
        fprintf(file, "  --%s%s%s%*s  %s", option->name, option->value ? " " : "",
                option->value ? option->value : "", width - option_columns(option), "", option->help);
        app_option_write_range(option, file);
        fputc('\n', file);
    }
}

static int option_columns(const AppOption *option) {
    return 2 + columns(option->name) + (option->value ? 1 + columns(option->value) : 0);
}

static void write_methods(FILE *file) {
    fprintf(file, "\nmethods:\n");
    for (int i = 0; i < PROTOCOL_METHOD_COUNT; i++) fprintf(file, "  %s\n", protocol_methods[i].name);
}
