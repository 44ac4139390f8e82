// Views of a recording: lines as they were recorded, or encoded anew from what they say.
//
// A recording has no root transforms. The space that was recorded stands for the world's and the model's;
// from bones in their parents' space the model's is computed.
#include "tools/replay_views.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(AppReplayViews *views);
static const char *read_description(AppReplayViews *views, const AppRecordedLine *line, ProtocolError *error);
static void finish_frame(AppReplayCharacter *newest);
static void drop_statics(AppReplayEncodings *encodings);
static void drop_frame(AppReplayEncodings *encodings);
static bool is_recorded_view(const AppReplayViews *views, const ProtocolView *view);
static AppReplayView *create(AppReplayViews *views, ProtocolView *view, bool is_recorded);
static void destroy(const AppReplayViews *views, AppReplayView *view);
static bool write_frame(AppReplayViews *views, AppReplayView *view, size_t slot);
static const ProtocolRecordedFrame *read_frame(AppReplayViews *views, size_t slot);
static void report(AppReplayViews *views, const AppRecordedLine *line, const char *reason);
static bool place_bones(AppReplayViews *views, const ProtocolCharacter *character,
                        const ProtocolRecordedFrame *frame, ProtocolSpace space);
static bool select_bones(const AppReplayView *view, AppReplayEncodings *encodings,
                         const ProtocolCharacter *character);
static bool write_static(AppReplayViews *views, AppReplayView *view, size_t slot, AppStaticKind kind);
static void write_recorded_static(const AppRecordedLine *line, AppStaticKind kind, TextBuffer *out_text);
static const char *find(const char *bytes, size_t length, const char *key);

bool app_replay_views_init(AppReplayViews *views, const AppRecording *recording, AppLog *log) {
    *views = (AppReplayViews){.recording = recording, .log = log, .last_id = recording->view_id};
    views->newest = calloc(recording->character_count + 1, sizeof *views->newest);
    if (views->newest) check(views);
    return views->newest != NULL;
}

void app_replay_views_finish(AppReplayViews *views) {
    for (size_t slot = 0; views->newest && slot < views->recording->character_count; slot++) {
        finish_frame(&views->newest[slot]);
        protocol_description_finish(&views->newest[slot].description);
    }
    free(views->newest);
    free(views->bones);
    text_buffer_finish(&views->text);
    text_buffer_finish(&views->part);
    *views = (AppReplayViews){0};
}

void app_replay_views_set_line(AppReplayViews *views, const AppRecordedLine *line, uint64_t shift) {
    AppReplayCharacter *newest = &views->newest[line->slot];
    for (size_t i = 0; i < views->count; i++) {
        if (line->kind == APP_RECORDED_STATIC) drop_statics(&views->items[i]->encodings[line->slot]);
        drop_frame(&views->items[i]->encodings[line->slot]);
    }
    finish_frame(newest);
    if (line->kind == APP_RECORDED_STATIC) {
        newest->static_line = line;
    } else {
        newest->frame_line = line;
        newest->shift = shift;
    }
}

// Keeps the description: it is likely to come back.
void app_replay_views_remove_character(AppReplayViews *views, size_t slot) {
    AppReplayCharacter *newest = &views->newest[slot];
    finish_frame(newest);
    newest->static_line = newest->frame_line = NULL;
    for (size_t i = 0; i < views->count; i++) {
        drop_statics(&views->items[i]->encodings[slot]);
        drop_frame(&views->items[i]->encodings[slot]);
    }
}

void app_replay_views_clear(AppReplayViews *views) {
    for (size_t slot = 0; slot < views->recording->character_count; slot++)
        app_replay_views_remove_character(views, slot);
}

AppReplayView *app_replay_views_open(AppReplayViews *views, ProtocolView *view, const AppReplayView *held,
                                     ProtocolError *out_error) {
    const bool is_recorded =
        is_recorded_view(views, view) && (!held || protocol_view_equal(&held->view, view));
    for (size_t i = 0; i < views->count; i++) {
        AppReplayView *item = views->items[i];
        if (!protocol_view_equal(&item->view, view) || (item->is_recorded && !is_recorded)) continue;
        protocol_view_finish(view);
        item->subscribers++;
        return item;
    }
    AppReplayView *created = NULL;
    if (!is_recorded && views->refusal[0])
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params", "%s", views->refusal);
    else if (views->count == APP_MAX_VIEWS)
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params",
                           "the server has %d different views, the most there can be", APP_MAX_VIEWS);
    else if (!(created = create(views, view, is_recorded)))
        protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    if (!created) protocol_view_finish(view);
    return created;
}

void app_replay_views_close(AppReplayViews *views, AppReplayView *view) {
    if (--view->subscribers > 0) return;
    size_t place = 0;
    while (views->items[place] != view) place++;
    views->items[place] = views->items[--views->count];
    destroy(views, view);
}

NetBuffer *app_replay_view_frame(AppReplayViews *views, AppReplayView *view, size_t slot) {
    AppReplayEncodings *encodings = &view->encodings[slot];
    const AppReplayCharacter *newest = &views->newest[slot];
    if (encodings->frame || !newest->frame_line) return encodings->frame;
    text_buffer_clear(&views->text);
    if (view->is_recorded)
        app_replay_write_shifted(newest->frame_line, newest->shift, views->recording->tick_rate,
                                 &views->text);
    else if (!write_frame(views, view, slot))
        return NULL;
    encodings->frame = net_buffer_create_text(&views->text);
    return encodings->frame;
}

NetBuffer *app_replay_view_static(AppReplayViews *views, AppReplayView *view, size_t slot,
                                  AppStaticKind kind) {
    AppReplayEncodings *encodings = &view->encodings[slot];
    const AppReplayCharacter *newest = &views->newest[slot];
    if (encodings->statics[kind] || !newest->static_line) return encodings->statics[kind];
    text_buffer_clear(&views->text);
    if (view->is_recorded)
        write_recorded_static(newest->static_line, kind, &views->text);
    else if (!write_static(views, view, slot, kind))
        return NULL;
    encodings->statics[kind] = net_buffer_create_text(&views->text);
    return encodings->statics[kind];
}

bool app_replay_view_shows(const AppReplayViews *views, const AppReplayView *view, size_t slot) {
    return protocol_view_has_character(&view->view, views->recording->characters[slot]);
}

const float (*app_replay_parent_bones(AppReplayViews *views, size_t slot))[16] {
    const ProtocolDescription *description = app_replay_description(views, slot);
    const bool has_frame = description && views->newest[slot].frame_line && !views->refusal[0];
    const ProtocolRecordedFrame *frame = has_frame ? read_frame(views, slot) : NULL;
    if (!frame || !place_bones(views, &description->character, frame, PROTOCOL_SPACE_PARENT)) return NULL;
    return (const float(*)[16])views->bones;
}

const ProtocolDescription *app_replay_description(AppReplayViews *views, size_t slot) {
    AppReplayCharacter *newest = &views->newest[slot];
    ProtocolError error;
    if (!newest->static_line) return NULL;
    if (newest->description_line != newest->static_line) read_description(views, newest->static_line, &error);
    return newest->has_description ? &newest->description : NULL;
}

void app_replay_write_description(AppReplayViews *views, const ProtocolDescription *description,
                                  ProtocolAxes axes, AppStaticKind kind, TextBuffer *out_text) {
    if (kind != APP_STATIC_MESHED) {
        protocol_write_description(out_text, &description->character, axes);
        return;
    }
    const size_t count = description->mesh_count;
    ProtocolMeshText *meshes = calloc(count + 1, sizeof *meshes);
    TextBuffer *texts = calloc(count + 1, sizeof *texts);
    text_buffer_clear(&views->part);
    protocol_write_description(&views->part, &description->character, axes);
    for (size_t i = 0; meshes && texts && i < count; i++) {
        protocol_write_mesh(&texts[i], &description->meshes[i], axes);
        meshes[i] = (ProtocolMeshText){&texts[i], description->materials[i]};
    }
    out_text->failed |= !meshes || !texts || views->part.failed;
    if (!out_text->failed) protocol_write_meshed_description(out_text, &views->part, meshes, count);
    for (size_t i = 0; texts && i < count; i++) text_buffer_finish(&texts[i]);
    free(texts);
    free(meshes);
}

void app_replay_write_shifted(const AppRecordedLine *line, uint64_t shift, double tick_rate,
                              TextBuffer *out_text) {
    const char *copied = line->bytes, *end = line->bytes + line->length;
    const char *tick = shift > 0 ? find(line->bytes, line->length, "\"tick\":") : NULL;
    char *behind = NULL;
    const double value = tick ? strtod(tick, &behind) : -1.0; // the line ends with "\n", which ends a number
    if (behind > tick && value >= 0.0 && value <= 0x1p53) {
        const uint64_t shifted = (uint64_t)value + shift;
        text_buffer_append(out_text, copied, (size_t)(tick - copied));
        text_buffer_append_integer(out_text, (int64_t)shifted);
        copied = behind;
        const char *time = find(copied, (size_t)(end - copied), "\"time\":");
        if (line->kind == APP_RECORDED_FRAME && time && time - copied < 16) {
            text_buffer_append(out_text, copied, (size_t)(time - copied));
            text_buffer_append_double(out_text, (double)shifted / tick_rate);
            copied = time + strcspn(time, ",}\n");
        }
    }
    text_buffer_append(out_text, copied, (size_t)(end - copied));
}

// Other views need the descriptions and all bones of all characters. Leaves each character's first
// description read, since the recording begins with it.
static void check(AppReplayViews *views) {
    const AppRecording *recording = views->recording;
    for (size_t i = recording->line_count; i-- > 0 && !views->refusal[0];) {
        if (recording->lines[i].kind != APP_RECORDED_STATIC) continue;
        ProtocolError error;
        const char *reason = read_description(views, &recording->lines[i], &error);
        if (reason)
            snprintf(views->refusal, sizeof views->refusal,
                     "only the recorded view, which server.hello has as view, can be served: line %zu: %s",
                     i + 1 + APP_RECORDING_HEAD_LINES, reason);
    }
}

// Returns why it cannot be read, or has not all bones; NULL: it is read.
static const char *read_description(AppReplayViews *views, const AppRecordedLine *line,
                                    ProtocolError *error) {
    AppReplayCharacter *newest = &views->newest[line->slot];
    cJSON *json = cJSON_ParseWithLength(line->bytes, line->length);
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(json, "params");
    const cJSON *description = cJSON_GetObjectItemCaseSensitive(params, "description");
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(params, "bones");
    const char *reason = NULL;
    protocol_description_finish(&newest->description);
    newest->description_line = line;
    newest->has_description =
        description &&
        protocol_read_description(description, views->recording->view.axes, &newest->description, error);
    if (!json)
        reason = "out of memory";
    else if (!description)
        reason = "expected a description: record it without \"static\":false";
    else if (!newest->has_description)
        reason = error->message;
    else if ((size_t)cJSON_GetArraySize(names) != newest->description.character.bone_count)
        reason = "expected all bones: record it without \"bones\" and \"kinds\"";
    cJSON_Delete(json);
    return reason;
}

static void finish_frame(AppReplayCharacter *newest) {
    protocol_recorded_frame_finish(&newest->frame);
    newest->frame_reading = APP_READING_NONE;
}

static void drop_statics(AppReplayEncodings *encodings) {
    for (int kind = 0; kind < APP_STATIC_KIND_COUNT; kind++) {
        net_buffer_release(encodings->statics[kind]);
        encodings->statics[kind] = NULL;
    }
    free(encodings->selection);
    encodings->selection = NULL;
}

static void drop_frame(AppReplayEncodings *encodings) {
    net_buffer_release(encodings->frame);
    encodings->frame = NULL;
}

// But for its characters.
static bool is_recorded_view(const AppReplayViews *views, const ProtocolView *view) {
    ProtocolView same = *view;
    same.characters = views->recording->view.characters;
    return protocol_view_equal(&same, &views->recording->view);
}

// Takes `view` over. Returns NULL when memory runs out, and `view` is the caller's.
static AppReplayView *create(AppReplayViews *views, ProtocolView *view, bool is_recorded) {
    AppReplayView *created = calloc(1, sizeof *created);
    AppReplayEncodings *encodings = calloc(views->recording->character_count + 1, sizeof *encodings);
    if (!created || !encodings) {
        free(encodings);
        free(created);
        return NULL;
    }
    *created = (AppReplayView){.id = is_recorded ? views->recording->view_id : ++views->last_id,
                               .view = *view,
                               .is_recorded = is_recorded,
                               .subscribers = 1,
                               .encodings = encodings};
    views->items[views->count++] = created;
    return created;
}

static void destroy(const AppReplayViews *views, AppReplayView *view) {
    for (size_t slot = 0; slot < views->recording->character_count; slot++) {
        drop_statics(&view->encodings[slot]);
        drop_frame(&view->encodings[slot]);
    }
    free(view->encodings);
    protocol_view_finish(&view->view);
    free(view);
}

// Encodes the newest frame anew.
static bool write_frame(AppReplayViews *views, AppReplayView *view, size_t slot) {
    const ProtocolDescription *description = app_replay_description(views, slot);
    const ProtocolRecordedFrame *recorded = description ? read_frame(views, slot) : NULL;
    AppReplayEncodings *encodings = &view->encodings[slot];
    if (!recorded || !select_bones(view, encodings, &description->character)) return false;
    if (!place_bones(views, &description->character, recorded, view->view.space)) {
        report(views, views->newest[slot].frame_line, "its bones cannot be placed");
        return false;
    }
    ProtocolFrame frame = recorded->frame;
    frame.view = view->id;
    frame.character = views->recording->characters[slot];
    frame.tick += views->newest[slot].shift;
    frame.tick_rate = views->recording->tick_rate;
    frame.bones = (const float(*)[16])views->bones;
    frame.selection = encodings->selection;
    frame.selection_count = encodings->selection_count;
    protocol_write_frame_head(&views->text, &frame);
    protocol_write_frame_body(&views->text, &view->view, &frame);
    return !views->text.failed;
}

static const ProtocolRecordedFrame *read_frame(AppReplayViews *views, size_t slot) {
    AppReplayCharacter *newest = &views->newest[slot];
    if (newest->frame_reading == APP_READING_NONE) {
        const AppRecordedLine *line = newest->frame_line;
        ProtocolError error = {.message = "out of memory"};
        cJSON *json = cJSON_ParseWithLength(line->bytes, line->length);
        const bool is_read =
            json &&
            protocol_read_frame(cJSON_GetObjectItemCaseSensitive(json, "params"), &views->recording->view,
                                newest->description.character.bone_count, &newest->frame, &error);
        cJSON_Delete(json);
        newest->frame_reading = is_read ? APP_READING_DONE : APP_READING_FAILED;
        if (!is_read) report(views, line, error.message);
    }
    return newest->frame_reading == APP_READING_DONE ? &newest->frame : NULL;
}

// Once: a file of such frames would fill the log.
static void report(AppReplayViews *views, const AppRecordedLine *line, const char *reason) {
    if (views->has_reported) return;
    views->has_reported = true;
    app_log_print(views->log, "tweed: line %zu: %s; other views than the recorded one do not get such frames",
                  (size_t)(line - views->recording->lines) + 1 + APP_RECORDING_HEAD_LINES, reason);
}

// Fills views->bones, in that space. False: a number is too large, or out of memory.
static bool place_bones(AppReplayViews *views, const ProtocolCharacter *character,
                        const ProtocolRecordedFrame *frame, ProtocolSpace space) {
    const bool is_parent = views->recording->view.space == PROTOCOL_SPACE_PARENT;
    const size_t count = character->bone_count;
    if (count > views->bone_capacity) {
        free(views->bones);
        views->bones = malloc(count * sizeof *views->bones);
        views->bone_capacity = views->bones ? count : 0;
        if (!views->bones) return false;
    }
    bool is_finite = true;
    for (size_t i = 0; i < count; i++) {
        const int parent = character->bones[i].parent;
        mat4 own, of_parent; // aligned, as cglm needs them
        memcpy(own, frame->bones[i], sizeof own);
        if (parent >= 0 && is_parent && space != PROTOCOL_SPACE_PARENT) {
            memcpy(of_parent, views->bones[parent], sizeof of_parent);
            glm_mat4_mul(of_parent, own, own);
        } else if (parent >= 0 && !is_parent && space == PROTOCOL_SPACE_PARENT) {
            memcpy(of_parent, frame->bones[parent], sizeof of_parent);
            glm_mat4_inv(of_parent, of_parent);
            glm_mat4_mul(of_parent, own, own);
        }
        memcpy(views->bones[i], own, sizeof own);
        for (int k = 0; k < 16; k++) is_finite &= fabsf(views->bones[i][k]) < 1e30f; // so in centimetres
    }
    return is_finite;
}

static bool select_bones(const AppReplayView *view, AppReplayEncodings *encodings,
                         const ProtocolCharacter *character) {
    if (encodings->selection) return true;
    encodings->selection = malloc((character->bone_count + 1) * sizeof *encodings->selection);
    encodings->selection_count = 0;
    for (size_t i = 0; encodings->selection && i < character->bone_count; i++)
        if (protocol_view_has_bone(&view->view, character->bones[i].name, character->bones[i].kind))
            encodings->selection[encodings->selection_count++] = i;
    return encodings->selection != NULL;
}

static bool write_static(AppReplayViews *views, AppReplayView *view, size_t slot, AppStaticKind kind) {
    const ProtocolDescription *description = app_replay_description(views, slot);
    AppReplayEncodings *encodings = &view->encodings[slot];
    if (!description || !select_bones(view, encodings, &description->character)) return false;
    TextBuffer whole = {0};
    if (kind != APP_STATIC_BARE)
        app_replay_write_description(views, description, view->view.axes, kind, &whole);
    ProtocolCharacter character = description->character;
    character.name = views->recording->characters[slot];
    protocol_write_static(&views->text, view->id, &character, encodings->selection,
                          encodings->selection_count, kind == APP_STATIC_BARE ? NULL : &whole);
    text_buffer_finish(&whole);
    return !views->text.failed;
}

// Its description, if it has one, comes last.
static void write_recorded_static(const AppRecordedLine *line, AppStaticKind kind, TextBuffer *out_text) {
    static const char key[] = ",\"description\":{";
    const char *inside = kind == APP_STATIC_BARE ? find(line->bytes, line->length, key) : NULL;
    const size_t kept = inside ? (size_t)(inside - line->bytes) - (sizeof key - 1) : line->length;
    text_buffer_append(out_text, line->bytes, kept);
    if (inside) text_buffer_append_string(out_text, "}}\n");
}

// What follows the key, which begins with a quote or has one: quotes within strings are escaped, so it is no
// part of a string. NULL: it is not there.
static const char *find(const char *bytes, size_t length, const char *key) {
    const size_t key_length = strlen(key);
    for (size_t i = 0; i + key_length <= length; i++)
        if (bytes[i] == key[0] && memcmp(bytes + i, key, key_length) == 0) return bytes + i + key_length;
    return NULL;
}
