// The greeting at the start, and the status line.
#include "server/terminal.h"

#include <asset/find.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Line {
    char text[1024];
    size_t length;
} Line;

static void print_scenes(App *app);
static void print_characters(App *app);
static void print_character_script(App *app, const AppCharacter *first);
static void print_fabrics(App *app);
static void print_machine(App *app);
static void print_addresses(App *app);
static void print_example(App *app);
static const char *find_example_bone(const App *app);
static bool is_first_of_its_script(const App *app, const AppCharacter *character);
static void add_address(Line *line, const char *host, unsigned port);
static void add(Line *line, const char *format, ...) APP_PRINTF(2, 3);
static const char *plural(size_t count);

void app_terminal_greet(App *app) {
    app->status = (AppStatus){app->ticks.newest, uv_hrtime()};
    if (!app_log_is_enabled(&app->log, TEXT_LOG_INFO)) return;
    app_log_print_line(&app->log, "tweed " TWEED_VERSION);
    print_scenes(app);
    print_characters(app);
    print_fabrics(app);
    print_machine(app);
    print_addresses(app);
    print_example(app);
}

void app_terminal_update(App *app) {
    const uint64_t now = uv_hrtime();
    const double seconds = (double)(now - app->status.time_ns) * 1e-9;
    const double rate = (double)(app->ticks.newest - app->status.tick) / seconds;
    app->status = (AppStatus){app->ticks.newest, now};
    if (app->ticks.stopping) return;
    const unsigned clients = net_server_client_count(app->net);
    if (app_ticks_are_paused(&app->ticks) && rate <= 0.0)
        app_log_status(&app->log, "paused at tick %llu · %u client%s", (unsigned long long)app->ticks.newest,
                       clients, plural(clients));
    else
        app_log_status(&app->log, "%.1f ticks/s · %.2f ms of work a tick · %u client%s", rate,
                       (double)app_samples_percentiles(&app->stats.work_ms).p50, clients, plural(clients));
}

void app_terminal_notify(App *app) {
    if (!app->net || !app_notify_is_due(&app->notify, uv_hrtime())) return;
    Line line = {0};
    const unsigned clients = net_server_client_count(app->net);
    add(&line, "%sSTATUS=%s %llu, %.2f ms of work a tick, %u client%s",
        app->notify.is_watched ? "WATCHDOG=1\n" : "",
        app_ticks_are_paused(&app->ticks) ? "paused at tick" : "tick", (unsigned long long)app->ticks.newest,
        (double)app_samples_percentiles(&app->stats.work_ms).p50, clients, plural(clients));
    app_notify_send(&app->notify, line.text);
}

static void print_scenes(App *app) {
    Line names = {0};
    for (size_t i = 0; i < app->characters.scene_count; i++)
        add(&names, "%s%s", i > 0 ? ", " : "", script_scene_info(app->characters.scenes[i])->name);
    const SimWorldStats stats = sim_world_stats(app->characters.world);
    app_log_print_line(&app->log, "  %-9s %s: %d character%s, %d garment%s, %d particle%s",
                       app->characters.scene_count == 1 ? "scene" : "scenes", names.text, stats.characters,
                       plural((size_t)stats.characters), stats.garments, plural((size_t)stats.garments),
                       stats.particles, plural((size_t)stats.particles));
}

// Prints a line for each script, however many characters it has.
static void print_characters(App *app) {
    for (size_t i = 0; i < app->characters.count; i++)
        if (is_first_of_its_script(app, app->characters.items[i]))
            print_character_script(app, app->characters.items[i]);
}

static void print_character_script(App *app, const AppCharacter *first) {
    size_t count = 0;
    for (size_t i = 0; i < app->characters.count; i++)
        count += app->characters.items[i]->script == first->script;
    const SimRigInfo *rig = app_character_rig(&app->characters, first);
    const ScriptCharacterInfo *script = app_character_script(first);
    char name[80];
    snprintf(name, sizeof name, "%s", first->name);
    if (count > 1) snprintf(name, sizeof name, "%zu times", count);
    Line line = {0};
    add(&line, "%s: %d bone%s, %d clip%s", script->script, rig->bone_count, plural((size_t)rig->bone_count),
        rig->clip_count, plural((size_t)rig->clip_count));
    for (int i = 0; i < rig->garment_count; i++) {
        const SimGarmentInfo *garment = &rig->garments[i];
        add(&line, "%s%s ", i > 0 ? ", " : "; ", garment->name);
        if (garment->kind == SIM_GARMENT_CLOTH && garment->rows == 0)
            add(&line, "of %d particles ", garment->particle_count);
        else if (garment->kind == SIM_GARMENT_CLOTH)
            add(&line, "%d × %d ", garment->columns, garment->rows);
        add(&line, "in %s", script->garments[i].fabric);
    }
    app_log_print_line(&app->log, "  %-9s %s", name, line.text);
}

static void print_fabrics(App *app) {
    int count;
    const ScriptFabric *fabrics = script_fabrics(app->characters.host, &count);
    Line names = {0};
    for (int i = 0; i < count; i++) add(&names, "%s%s", i > 0 ? ", " : "", fabrics[i].name);
    app_log_print_line(&app->log, "  %-9s %s", "fabrics", count > 0 ? names.text : "none");
    char *file = app->options->allow_save ? script_fabric_new_file(app->characters.host, "NAME") : NULL;
    if (file) app_log_print_line(&app->log, "  %-9s new fabrics of operators as %s", "saves", file);
    free(file);
}

static void print_machine(App *app) {
    const int substeps = sim_world_substeps(app->characters.world);
    app_log_print_line(&app->log, "  %-9s %d a second, %d substep%s each; %d thread%s, %s", "ticks",
                       app->ticks.rate, substeps, plural((size_t)substeps), app->workers.count,
                       plural((size_t)app->workers.count), sim_world_instruction_set(app->characters.world));
    AssetError error;
    if (!asset_can_import(&error)) app_log_print_line(&app->log, "  %-9s %s", "import", error.message);
    if (app_ticks_are_paused(&app->ticks))
        app_log_print_line(&app->log, "  %-9s at tick 0, until a client resumes", "paused");
}

static void print_addresses(App *app) {
    Line listens = {0}, page = {0}, sends = {0};
    add_address(&listens, app->options->listen.host, net_server_port(app->net));
    if (app->options->unix_path) add(&listens, " and %s", app->options->unix_path);
    app_log_print_line(&app->log, "  %-9s %s", "listens", listens.text);
    if (net_server_http_port(app->net) > 0) {
        add_address(&page, app->options->http.host, net_server_http_port(app->net));
        app_log_print_line(&app->log, "  %-9s http://%s/", "page", page.text);
    } else if (!net_has_http()) {
        app_log_print_line(&app->log, "  %-9s this build has no HTTP and no WebSocket", "page");
    }
    if (!app->livelink.is_open) return;
    add_address(&sends, app->options->jsonlivelink.host, (unsigned)app->options->jsonlivelink.port);
    app_log_print_line(&app->log, "  %-9s %s, to Unreal's JSON Live Link", "sends to", sends.text);
}

static void print_example(App *app) {
    static const char opening[] =
        "  {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"session.open\",\"params\":{\"token\":"
        "\"a token of your file\"}}\n";
    const char *bone = find_example_bone(app);
    if (!bone || app->log.format == APP_LOG_FORMAT_JSON) return;
    TextBuffer quoted = {0};
    text_buffer_append_quoted(&quoted, bone);
    const char *blank_line = app->log.time == APP_LOG_TIME_NONE ? "\n" : "";
    app_log_print(
        &app->log,
        "%sSee it move: in another terminal\n"
        "  nc %s %u | head\n"
        "  and paste\n%s"
        "  {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream.subscribe\",\"params\":{\"bones\":[%.*s],"
        "\"layout\":\"trs\",\"rate\":2,\"static\":false}}%s",
        blank_line, app->options->listen.host, net_server_port(app->net),
        app->token_watch.tokens.count > 0 ? opening : "", (int)quoted.length,
        quoted.bytes ? quoted.bytes : "", blank_line);
    text_buffer_finish(&quoted);
}

// Prefers a bone of cloth, which moves visibly.
static const char *find_example_bone(const App *app) {
    if (app->characters.count == 0) return NULL;
    const SimRigInfo *rig = app_character_rig(&app->characters, app->characters.items[0]);
    for (int i = rig->bone_count - 1; i >= 0; i--)
        if (rig->bones[i].kind == SIM_BONE_CLOTH) return rig->bones[i].name;
    return rig->bone_count > 0 ? rig->bones[0].name : NULL;
}

static bool is_first_of_its_script(const App *app, const AppCharacter *character) {
    for (size_t i = 0; i < character->slot; i++)
        if (app->characters.items[i]->script == character->script) return false;
    return true;
}

static void add_address(Line *line, const char *host, unsigned port) {
    const bool is_v6 = strchr(host, ':') != NULL;
    add(line, "%s%s%s:%u", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

// Cuts what does not fit.
static void add(Line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(line->text + line->length, sizeof line->text - line->length, format, arguments);
    va_end(arguments);
    if (length > 0) line->length += (size_t)length;
    if (line->length >= sizeof line->text) line->length = sizeof line->text - 1;
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}
