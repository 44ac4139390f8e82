// `tweed watch [CHARACTER…]`: the frame rate of each character's stream; with names, the bones of these
// characters.
#include "base/safe_text.h"
#include "tools/remote.h"
#include "tools/tools.h"

#include <errno.h>
#include <inttypes.h>
#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <text/array.h>
#include <text/glob.h>
#include <unistd.h>

enum {
    BEAT_MS = 100,
    BONE_VALUES = 7, // position, rotation
    MATRIX_VALUES = 16,
    MATRIX_POSITION = 12 // index of the first of three numbers
};
#define LONGEST_GAP 2.0 // s between two frames of one stretch that a rate is measured over

// A line of the screen.
typedef struct Row {
    char *key;          // "alan" or "alan Hips"
    size_t name_length; // of the character in it
    char text[160];
} Row;

// A character's stream.
typedef struct Stream {
    char *name;
    cJSON *bone_names; // in the order of frames
    uint64_t tick, missed;
    uint64_t received;    // frames
    unsigned frames;      // after `since`
    double since, newest; // s; when the frame before these and the last of these came
} Stream;

typedef struct Watch {
    AppRemote remote;
    const AppOptions *options;
    bool is_replay; // whose frames have all bones that were recorded
    bool has_checked_bones, is_overdue;
    int failure;         // errno of the write of the output that failed first
    bool shows_bones;    // else frame rates
    bool every_tick;     // no rate was asked for
    bool on_terminal;    // stdout is one
    uint64_t most_ticks; // 0: no end
    uint64_t first_tick, last_tick;
    bool has_frame, is_over, has_printed_rates;
    double second_began, drawn; // s
    Stream *streams;            // [stream_count]
    size_t stream_count;
    Row *rows; // [row_count], on a terminal, in order of arrival
    size_t row_count;
} Watch;

static AppExit subscribe(Watch *watch, const AppOptions *options);
static void add_names(cJSON *view, const char *key, const AppNames *names);
static AppExit receive(Watch *watch);
static void read_line(Watch *watch, const char *bytes, size_t length);
static void check_bones(Watch *watch, const cJSON *names);
static void read_frame(Watch *watch, const AppLine *line);
static void flush(Watch *watch);
static void show_bones(Watch *watch, const AppLine *line, const Stream *stream);
static bool is_asked_for(const Watch *watch, const char *bone);
static void draw_bone(Watch *watch, const char *character, const char *bone, const cJSON *numbers);
static void print_bone(const AppLine *line, const char *bone, const cJSON *numbers);
static void show_rates(Watch *watch);
static void draw(const Watch *watch);
static void draw_line(const char *key, size_t key_columns, const char *text, size_t columns);
static Stream *find_stream(Watch *watch, const char *name);
static Row *find_row(Watch *watch, const char *character, const char *bone);
static void remove_character(Watch *watch, const char *name);

int app_tool_watch(const AppOptions *options) {
    Watch watch = {.options = options,
                   .shows_bones = options->files.count > 0,
                   .every_tick = options->view_rate == 0,
                   .on_terminal = isatty(STDOUT_FILENO) == 1,
                   .most_ticks = (uint64_t)options->ticks};
    AppExit status = app_remote_open(&watch.remote, options);
    if (status == APP_EXIT_OK) {
        net_peer_hold_signals(watch.remote.peer);
        status = subscribe(&watch, options);
    }
    if (status == APP_EXIT_OK) status = receive(&watch);
    while (watch.stream_count > 0) remove_character(&watch, watch.streams[0].name);
    free(watch.streams);
    free(watch.rows);
    app_remote_finish(&watch.remote);
    return (int)status;
}

static AppExit subscribe(Watch *watch, const AppOptions *options) {
    cJSON *view = app_remote_recorded_view(&watch->remote);
    watch->is_replay = view != NULL;
    if (!view) view = cJSON_CreateObject();
    if (watch->shows_bones) add_names(view, "characters", &options->files);
    if (!watch->is_replay && (options->bones.count > 0 || !watch->shows_bones)) // rates need no bones
        add_names(view, "bones", &options->bones);
    if (!watch->is_replay) cJSON_AddStringToObject(view, "layout", "trs");
    cJSON_AddBoolToObject(view, "static", false);
    if (options->view_rate > 0) cJSON_AddNumberToObject(view, "rate", (double)options->view_rate);
    cJSON *reply = NULL;
    char *params = cJSON_PrintUnformatted(view);
    AppExit status = params ? app_remote_check_patterns(&watch->remote, view) : APP_EXIT_OUTPUT;
    if (status == APP_EXIT_OK)
        status = app_remote_request(&watch->remote, "stream.subscribe", params, &reply);
    cJSON_Delete(reply);
    cJSON_free(params);
    cJSON_Delete(view);
    return status;
}

static void add_names(cJSON *view, const char *key, const AppNames *names) {
    cJSON *list = cJSON_AddArrayToObject(view, key);
    for (size_t i = 0; i < names->count; i++) cJSON_AddItemToArray(list, cJSON_CreateString(names->names[i]));
}

static AppExit receive(Watch *watch) {
    if (watch->on_terminal) fputs("\033[?1049h\033[?25l", stdout); // the alternate screen, no cursor
    watch->second_began = app_seconds();
    app_remote_heard(&watch->remote);
    NetPeerEvent event = NET_PEER_TIMEOUT;
    while (!watch->is_over && !watch->is_overdue && !watch->failure &&
           (event == NET_PEER_TIMEOUT || event == NET_PEER_LINE)) {
        char *line;
        size_t length;
        event = net_peer_read(watch->remote.peer, BEAT_MS, &line, &length, &(NetError){0});
        if (event == NET_PEER_LINE) read_line(watch, line, length);
        if (event == NET_PEER_TIMEOUT) // all characters' frames of the last tick have come
            watch->is_over = watch->has_frame && watch->most_ticks &&
                             watch->last_tick - watch->first_tick + 1 >= watch->most_ticks;
        watch->is_overdue = !watch->is_over && app_remote_is_overdue(&watch->remote, watch->options);
        const double now = app_seconds();
        if (!watch->shows_bones && now - watch->second_began >= 1.0) show_rates(watch);
        if (watch->on_terminal && now - watch->drawn >= BEAT_MS * 1e-3) {
            draw(watch);
            watch->drawn = now;
        }
    }
    if (!watch->shows_bones && !watch->has_printed_rates) show_rates(watch); // of less than a second
    if (watch->on_terminal) fputs("\033[?25h\033[?1049l", stdout);
    if (watch->is_overdue) return app_remote_report_overdue(&watch->remote, watch->options);
    flush(watch);
    if (watch->failure) app_report_output(watch->failure);
    if (watch->failure) return APP_EXIT_OUTPUT;
    if (event != NET_PEER_ENDED && event != NET_PEER_FAILED) return APP_EXIT_OK;
    app_log_print(&watch->remote.log, "tweed: %s closed the connection", watch->remote.where);
    return APP_EXIT_NO_SERVER;
}

static void read_line(Watch *watch, const char *bytes, size_t length) {
    AppLine line;
    if (!app_line_read(&line, bytes, length, watch->shows_bones)) return;
    if (line.character && app_line_is(&line, "character.removed")) {
        remove_character(watch, line.character);
    } else if (line.character && app_line_is(&line, "stream.static")) {
        Stream *stream = find_stream(watch, line.character);
        cJSON *names = cJSON_DetachItemFromObjectCaseSensitive((cJSON *)line.params, "bones");
        cJSON_Delete(stream ? stream->bone_names : names);
        if (stream) stream->bone_names = names;
        check_bones(watch, names);
    } else if (line.character && line.has_tick && app_line_is(&line, "stream.frame")) {
        read_frame(watch, &line);
    }
    app_line_finish(&line);
}

// Says once which patterns match no bone of a replay, which does not describe its characters.
static void check_bones(Watch *watch, const cJSON *names) {
    if (!watch->is_replay || watch->has_checked_bones) return;
    watch->has_checked_bones = true;
    cJSON *patterns = cJSON_CreateObject();
    add_names(patterns, "bones", &watch->options->bones);
    app_remote_check_bones(&watch->remote, patterns->child, names);
    cJSON_Delete(patterns);
}

static void read_frame(Watch *watch, const AppLine *line) {
    Stream *stream = find_stream(watch, line->character);
    if (!stream) return;
    if (!watch->has_frame) watch->first_tick = line->tick;
    watch->has_frame = true;
    app_remote_heard(&watch->remote);
    watch->is_over = watch->most_ticks && line->tick >= watch->first_tick + watch->most_ticks;
    if (watch->is_over) return;
    const double now = app_seconds();
    if (watch->every_tick && stream->received > 0 && line->tick > stream->tick + 1)
        stream->missed += line->tick - stream->tick - 1;
    // The first frame is the current one, sent at once: the pace begins with the second.
    if (stream->received++ < 2 || now - stream->newest > LONGEST_GAP) {
        stream->frames = 0;
        stream->since = now;
    } else {
        stream->frames++;
    }
    stream->newest = now;
    stream->tick = line->tick;
    if (line->tick > watch->last_tick) watch->last_tick = line->tick; // nodes of a cluster may lag
    if (watch->shows_bones) show_bones(watch, line, stream);
}

// Remembers why what was printed cannot be written: errno is another one later.
static void flush(Watch *watch) {
    errno = 0;
    const bool is_whole = fflush(stdout) == 0 && !ferror(stdout);
    if (!is_whole && !watch->failure) watch->failure = errno ? errno : EIO;
}

static void show_bones(Watch *watch, const AppLine *line, const Stream *stream) {
    const cJSON *bone = stream->bone_names ? stream->bone_names->child : NULL;
    const cJSON *values;
    cJSON_ArrayForEach(values, cJSON_GetObjectItemCaseSensitive(line->params, "bones")) {
        if (!cJSON_IsString(bone)) break;
        const char *name = bone->valuestring;
        bone = bone->next;
        if (!is_asked_for(watch, name)) continue;
        if (watch->on_terminal)
            draw_bone(watch, line->character, name, values);
        else
            print_bone(line, name, values);
    }
    if (!watch->on_terminal) flush(watch);
}

// A live server sends no others.
static bool is_asked_for(const Watch *watch, const char *bone) {
    const AppNames *patterns = &watch->options->bones;
    if (!watch->is_replay) return true;
    for (size_t i = 0; i < patterns->count; i++)
        if (text_glob_match(patterns->names[i], bone)) return true;
    return patterns->count == 0;
}

// Of a matrix, which a replay may have, the position.
static void draw_bone(Watch *watch, const char *character, const char *bone, const cJSON *numbers) {
    Row *row = find_row(watch, character, bone);
    size_t length = 0;
    const bool is_matrix = cJSON_GetArraySize(numbers) == MATRIX_VALUES;
    const cJSON *values = is_matrix ? cJSON_GetArrayItem(numbers, MATRIX_POSITION) : numbers->child;
    for (int i = 0; row && values && i < (is_matrix ? 3 : BONE_VALUES) && length < sizeof row->text; i++) {
        length +=
            (size_t)snprintf(row->text + length, sizeof row->text - length, "%8.3f", values->valuedouble);
        values = values->next;
    }
}

// The numbers as they came, for programs.
static void print_bone(const AppLine *line, const char *bone, const cJSON *numbers) {
    printf("%" PRIu64 "\t", line->tick);
    app_print_safe(stdout, line->character, SIZE_MAX);
    putchar('\t');
    app_print_safe(stdout, bone, SIZE_MAX);
    TextBuffer text = {0};
    const int count = cJSON_GetArraySize(numbers) == MATRIX_VALUES ? MATRIX_VALUES : BONE_VALUES;
    const cJSON *values = numbers->child;
    for (int i = 0; values && i < count; i++, values = values->next) {
        text_buffer_append_char(&text, '\t');
        protocol_write_json(&text, values);
    }
    text_buffer_append_char(&text, '\n');
    if (!text.failed) fwrite(text.bytes, 1, text.length, stdout);
    text_buffer_finish(&text);
}

// Measures from frame to frame, not from second to second, so that few frames give their rate too.
static void show_rates(Watch *watch) {
    for (size_t i = 0; i < watch->stream_count; i++) {
        Stream *stream = &watch->streams[i];
        const double rate =
            stream->frames > 0 ? (double)stream->frames / (stream->newest - stream->since) : 0.0;
        stream->frames = 0;
        stream->since = stream->newest;
        Row *row = watch->on_terminal ? find_row(watch, stream->name, "") : NULL;
        if (row)
            snprintf(row->text, sizeof row->text, "%10.1f %10" PRIu64 " %10" PRIu64, rate, stream->tick,
                     stream->missed);
        if (watch->on_terminal) continue;
        printf("%" PRIu64 "\t", stream->tick);
        app_print_safe(stdout, stream->name, SIZE_MAX);
        printf("\t%.1f frames/s\t%" PRIu64 " missed\n", rate, stream->missed);
    }
    flush(watch);
    watch->has_printed_rates = true;
    watch->second_began = app_seconds();
}

// Draws a head and as many rows as the terminal has room for, from the upper left corner.
static void draw(const Watch *watch) {
    static const char bones_head[] = "       x       y       z      qx      qy      qz      qw";
    static const char rates_head[] = "  frames/s       tick     missed";
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || size.ws_col == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    const size_t room = size.ws_row > 3 ? size.ws_row - 2u : 1; // without the head and the cursor's line
    const size_t shown = watch->row_count <= room ? watch->row_count : room - 1;
    size_t key_columns = strlen("character");
    for (size_t i = 0; i < shown; i++) {
        const size_t length = strlen(watch->rows[i].key);
        if (length > key_columns) key_columns = length;
    }
    fputs("\033[H", stdout);
    draw_line(watch->shows_bones ? "bone" : "character", key_columns,
              watch->shows_bones ? bones_head : rates_head, size.ws_col);
    for (size_t i = 0; i < shown; i++)
        draw_line(watch->rows[i].key, key_columns, watch->rows[i].text, size.ws_col);
    char more[64];
    snprintf(more, sizeof more, "… and %zu more", watch->row_count - shown);
    if (watch->row_count == 0)
        draw_line(watch->shows_bones && watch->has_frame ? "no bone matches" : "waiting for frames…", 0, "",
                  size.ws_col);
    if (shown < watch->row_count) draw_line(more, 0, "", size.ws_col);
    fputs("\033[J", stdout);
    fflush(stdout);
}

// The key, padded, then the text, cut to the terminal's width.
static void draw_line(const char *key, size_t key_columns, const char *text, size_t columns) {
    size_t used = app_print_safe(stdout, key, columns);
    for (; used <= key_columns && used < columns; used++) putchar(' ');
    if (used < columns) app_print_safe(stdout, text, columns - used);
    fputs("\033[K\r\n", stdout); // clears the rest of the line
}

// The stream of that character, made if need be; NULL when memory runs out.
static Stream *find_stream(Watch *watch, const char *name) {
    for (size_t i = 0; i < watch->stream_count; i++)
        if (strcmp(watch->streams[i].name, name) == 0) return &watch->streams[i];
    char *copy = TEXT_ARRAY_EXTEND(watch->streams, watch->stream_count) ? strdup(name) : NULL;
    if (!copy) return NULL;
    watch->streams[watch->stream_count] = (Stream){.name = copy};
    return &watch->streams[watch->stream_count++];
}

// The character's row for a bone, or for "" its own, made if need be; NULL when memory runs out.
static Row *find_row(Watch *watch, const char *character, const char *bone) {
    char key[160];
    snprintf(key, sizeof key, bone[0] ? "%s %s" : "%s", character, bone);
    const size_t name_length = strlen(character);
    for (size_t i = 0; i < watch->row_count; i++)
        if (watch->rows[i].name_length == name_length && strcmp(watch->rows[i].key, key) == 0)
            return &watch->rows[i];
    char *copy = TEXT_ARRAY_EXTEND(watch->rows, watch->row_count) ? strdup(key) : NULL;
    if (!copy) return NULL;
    watch->rows[watch->row_count] = (Row){.key = copy, .name_length = name_length};
    return &watch->rows[watch->row_count++];
}

// Removes its stream and its rows.
static void remove_character(Watch *watch, const char *name) {
    const size_t length = strlen(name);
    size_t kept = 0;
    for (size_t i = 0; i < watch->row_count; i++) {
        const Row row = watch->rows[i];
        if (row.name_length == length && strncmp(row.key, name, length) == 0)
            free(row.key);
        else
            watch->rows[kept++] = row;
    }
    watch->row_count = kept;
    for (size_t i = 0; i < watch->stream_count; i++) {
        Stream *stream = &watch->streams[i];
        if (strcmp(stream->name, name) != 0) continue;
        free(stream->name);
        cJSON_Delete(stream->bone_names);
        *stream = watch->streams[--watch->stream_count];
        return;
    }
}
