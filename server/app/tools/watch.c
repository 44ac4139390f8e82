// `tweed watch [CHARACTER…]`: without a name, how many frames a second each character's stream gives; with
// one, where its bones are.

#include "tools/remote.h"
#include "tools/table.h"
#include "tools/tools.h"

#include <inttypes.h>
#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BEAT_MS = 100, VALUE_COUNT = 7 }; // of a bone: position, rotation

// What is counted of a character in the second that runs.
typedef struct Count {
    char *name;
    uint64_t frames, missed, tick; // missed: since the beginning
    cJSON *bones;                  // their names, in the order of frames
} Count;

typedef struct Watch {
    AppRemote remote;
    AppTable table;
    bool of_bones, is_thinned; // thinned: not every tick was asked for
    Count *counts;             // [count]
    size_t count;
    uint64_t first_tick, last_tick, most_ticks; // most_ticks 0: no end
    bool has_frame, is_over, has_shown;         // shown: rates
    double second_began, drawn;
} Watch;

static const char bones_head[] =
    "bone                           x       y       z      qx      qy      qz      qw";
static const char rates_head[] = "character                 frames/s       tick     missed";

static AppExit subscribe(Watch *watch, const AppOptions *options);
static void add_names(cJSON *params, const char *key, const AppNames *names);
static void tell_missing(Watch *watch, const AppNames *wanted, const cJSON *found);
static AppExit follow(Watch *watch);
static void take(Watch *watch, const char *bytes, size_t length);
static void take_frame(Watch *watch, const AppLine *line);
static void show_bones(Watch *watch, const AppLine *line, const Count *count);
static void show_bone(Watch *watch, const AppLine *line, const char *bone, const cJSON *values);
static void show_rates(Watch *watch, double now);
static Count *count_of(Watch *watch, const char *name);
static void forget(Watch *watch, const char *name);
static double seconds(void);

int app_tool_watch(const AppOptions *options) {
    Watch watch = {.of_bones = options->files.count > 0,
                   .is_thinned = options->view_rate > 0,
                   .most_ticks = (uint64_t)options->ticks};
    AppExit status = app_remote_open(&watch.remote, options);
    if (status == APP_EXIT_OK) {
        net_peer_hold_signals(watch.remote.peer);
        status = subscribe(&watch, options);
    }
    if (status == APP_EXIT_OK) status = follow(&watch);
    while (watch.count > 0) forget(&watch, watch.counts[0].name);
    free(watch.counts);
    app_remote_finish(&watch.remote);
    return (int)status;
}

static AppExit subscribe(Watch *watch, const AppOptions *options) {
    cJSON *params = cJSON_CreateObject();
    if (watch->of_bones) add_names(params, "characters", &options->files);
    if (options->bones.count > 0 || !watch->of_bones) // none: frames are counted, not looked into
        add_names(params, "bones", &options->bones);
    cJSON_AddStringToObject(params, "layout", "trs");
    cJSON_AddBoolToObject(params, "static", false);
    if (options->view_rate > 0) cJSON_AddNumberToObject(params, "rate", (double)options->view_rate);
    TextBuffer text;
    text_buffer_init(&text);
    protocol_write_json(&text, params);
    text_buffer_append_char(&text, '\0');
    cJSON *reply = NULL;
    const AppExit status = text.failed
                               ? APP_EXIT_OUTPUT
                               : app_remote_request(&watch->remote, "stream.subscribe", text.bytes, &reply);
    if (status == APP_EXIT_OK)
        tell_missing(watch, &options->files, cJSON_GetObjectItemCaseSensitive(reply, "characters"));
    cJSON_Delete(reply);
    cJSON_Delete(params);
    text_buffer_finish(&text);
    return status;
}

static void add_names(cJSON *params, const char *key, const AppNames *names) {
    cJSON *list = cJSON_AddArrayToObject(params, key);
    for (size_t i = 0; i < names->count; i++) cJSON_AddItemToArray(list, cJSON_CreateString(names->names[i]));
}

// Each name that nobody has; patterns only where nobody at all is there.
static void tell_missing(Watch *watch, const AppNames *wanted, const cJSON *found) {
    bool any = cJSON_GetArraySize(found) > 0;
    for (size_t i = 0; i < wanted->count; i++) {
        if (strpbrk(wanted->names[i], "*?[")) continue;
        bool is_there = false;
        const cJSON *name;
        cJSON_ArrayForEach(name, found) {
            const char *text = cJSON_GetStringValue(name);
            is_there |= text && strcmp(text, wanted->names[i]) == 0;
        }
        if (!is_there)
            app_log_say(&watch->remote.log, "tweed: no character \"%s\" now; waiting for it",
                        wanted->names[i]);
        any |= !is_there;
    }
    if (!any) app_log_say(&watch->remote.log, "tweed: no such character now; waiting for one");
}

static AppExit follow(Watch *watch) {
    app_table_begin(&watch->table);
    watch->second_began = seconds();
    NetPeerEvent event = NET_PEER_TIMEOUT;
    while (!watch->is_over && (event == NET_PEER_TIMEOUT || event == NET_PEER_LINE)) {
        char *line;
        size_t length;
        event = net_peer_read(watch->remote.peer, BEAT_MS, &line, &length, &(NetError){0});
        if (event == NET_PEER_LINE) take(watch, line, length);
        if (event == NET_PEER_TIMEOUT) // the last tick may be that of several characters
            watch->is_over = watch->has_frame && watch->most_ticks &&
                             watch->last_tick >= watch->first_tick + watch->most_ticks;
        const double now = seconds();
        if (!watch->of_bones && now - watch->second_began >= 1.0) show_rates(watch, now);
        if (watch->table.on_terminal && now - watch->drawn >= BEAT_MS * 1e-3) {
            app_table_draw(&watch->table, watch->of_bones ? bones_head : rates_head);
            watch->drawn = now;
        }
    }
    if (!watch->of_bones && !watch->has_shown) show_rates(watch, seconds()); // it was less than a second
    app_table_end(&watch->table);
    if (event != NET_PEER_ENDED && event != NET_PEER_FAILED) return app_remote_flush(&watch->remote);
    app_log_say(&watch->remote.log, "tweed: %s closed the connection", watch->remote.where);
    return APP_EXIT_NO_SERVER;
}

static void take(Watch *watch, const char *bytes, size_t length) {
    AppLine line;
    if (!app_line_read(&line, bytes, length, watch->of_bones)) return;
    if (line.character && app_line_is(&line, "character.removed")) {
        forget(watch, line.character);
        app_table_remove(&watch->table, line.character);
    } else if (line.character && app_line_is(&line, "stream.static")) {
        Count *count = count_of(watch, line.character);
        cJSON *bones = cJSON_DetachItemFromObjectCaseSensitive((cJSON *)line.params, "bones");
        if (count) cJSON_Delete(count->bones);
        if (count)
            count->bones = bones;
        else
            cJSON_Delete(bones);
    } else if (line.character && line.has_tick && app_line_is(&line, "stream.frame")) {
        take_frame(watch, &line);
    }
    app_line_finish(&line);
}

static void take_frame(Watch *watch, const AppLine *line) {
    Count *count = count_of(watch, line->character);
    if (!count) return;
    if (!watch->has_frame) watch->first_tick = line->tick;
    watch->has_frame = true;
    watch->is_over = watch->most_ticks && line->tick > watch->first_tick + watch->most_ticks;
    if (watch->is_over) return;
    if (!watch->is_thinned && count->tick > 0 && line->tick > count->tick + 1)
        count->missed += line->tick - count->tick - 1;
    count->tick = watch->last_tick = line->tick;
    count->frames++;
    if (watch->of_bones) show_bones(watch, line, count);
}

static void show_bones(Watch *watch, const AppLine *line, const Count *count) {
    const cJSON *bone = count->bones ? count->bones->child : NULL;
    const cJSON *values;
    cJSON_ArrayForEach(values, cJSON_GetObjectItemCaseSensitive(line->params, "bones")) {
        if (!cJSON_IsString(bone)) break;
        show_bone(watch, line, bone->valuestring, values->child);
        bone = bone->next;
    }
    if (!watch->table.on_terminal) fflush(stdout);
}

// Elsewhere than on a terminal, the numbers as they came, for programs.
static void show_bone(Watch *watch, const AppLine *line, const char *bone, const cJSON *values) {
    if (watch->table.on_terminal) {
        char key[160];
        snprintf(key, sizeof key, "%s %s", line->character, bone);
        AppTableRow *row = app_table_row(&watch->table, key);
        size_t length = 0;
        for (int i = 0; row && values && i < VALUE_COUNT && length < sizeof row->text;
             i++, values = values->next)
            length +=
                (size_t)snprintf(row->text + length, sizeof row->text - length, "%8.3f", values->valuedouble);
        return;
    }
    printf("%" PRIu64 "\t", line->tick);
    app_table_print_name(line->character);
    putchar('\t');
    app_table_print_name(bone);
    TextBuffer text;
    text_buffer_init(&text);
    for (int i = 0; values && i < VALUE_COUNT; i++, values = values->next) {
        text_buffer_append_char(&text, '\t');
        protocol_write_json(&text, values);
    }
    text_buffer_append_char(&text, '\n');
    if (!text.failed) fwrite(text.bytes, 1, text.length, stdout);
    text_buffer_finish(&text);
}

static void show_rates(Watch *watch, double now) {
    for (size_t i = 0; i < watch->count; i++) {
        Count *count = &watch->counts[i];
        const double rate = (double)count->frames / (now - watch->second_began);
        count->frames = 0;
        AppTableRow *row = watch->table.on_terminal ? app_table_row(&watch->table, count->name) : NULL;
        if (row)
            snprintf(row->text, sizeof row->text, "%10.1f %10" PRIu64 " %10" PRIu64, rate, count->tick,
                     count->missed);
        if (watch->table.on_terminal) continue;
        printf("%" PRIu64 "\t", count->tick);
        app_table_print_name(count->name);
        printf("\t%.1f frames/s\t%" PRIu64 " missed\n", rate, count->missed);
    }
    fflush(stdout);
    watch->has_shown = true;
    watch->second_began = now;
}

// NULL: out of memory.
static Count *count_of(Watch *watch, const char *name) {
    for (size_t i = 0; i < watch->count; i++)
        if (strcmp(watch->counts[i].name, name) == 0) return &watch->counts[i];
    Count *counts = realloc(watch->counts, (watch->count + 1) * sizeof *counts);
    if (counts) watch->counts = counts;
    char *copy = counts ? malloc(strlen(name) + 1) : NULL;
    if (!copy) return NULL;
    strcpy(copy, name);
    counts[watch->count] = (Count){.name = copy};
    return &counts[watch->count++];
}

static void forget(Watch *watch, const char *name) {
    for (size_t i = 0; i < watch->count; i++) {
        Count *count = &watch->counts[i];
        if (strcmp(count->name, name) != 0) continue;
        free(count->name);
        cJSON_Delete(count->bones);
        *count = watch->counts[--watch->count];
        return;
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
