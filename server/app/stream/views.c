// The table of views, and what each has encoded of the newest tick.
#include "stream/views.h"

#include "characters/describe.h"
#include "stream/frames.h"

#include <stdlib.h>
#include <string.h>

static AppView *create(const AppCharacters *characters, ProtocolView *view);
static void destroy(AppView *view);
static bool add_characters(AppView *view, const AppCharacters *characters);
static void retire(AppEncodings *encodings);
static void drop_encodings(AppEncodings *encodings);
static size_t write_frame(AppScratch *scratch, const AppEncodings *encodings, const AppCharacters *characters,
                          const AppCharacter *character, const AppFrameRequest *request);
static NetBuffer *frame_buffer_of(AppEncodings *encodings, const TextBuffer *text);
static const AppSelection *select_bones(AppView *view, const AppCharacters *characters,
                                        const AppCharacter *character);
static NetBuffer *buffer_of(const TextBuffer *text);

void app_views_finish(AppViews *views) {
    for (size_t i = 0; i < views->count; i++) destroy(views->items[i]);
    text_buffer_finish(&views->scratch.text);
    free(views->scratch.floats);
    free(views->scratch.points);
    free(views->scratch.wrinkles);
    *views = (AppViews){0};
}

AppView *app_views_open(AppViews *views, const AppCharacters *characters, ProtocolView *view,
                        ProtocolError *out_error) {
    for (size_t i = 0; i < views->count; i++) {
        if (!protocol_view_equal(&views->items[i]->view, view)) continue;
        protocol_view_finish(view);
        views->items[i]->subscribers++;
        return views->items[i];
    }
    AppView *created = NULL;
    if (views->count == APP_MAX_VIEWS) {
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params",
                           "the server has %d different views, the most there can be", APP_MAX_VIEWS);
    } else if (!(created = create(characters, view))) {
        protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    } else {
        created->id = ++views->last_id;
        views->items[views->count++] = created;
        return created;
    }
    protocol_view_finish(view);
    return NULL;
}

void app_views_close(AppViews *views, AppView *view) {
    if (--view->subscribers > 0) return;
    size_t place = 0;
    while (views->items[place] != view) place++;
    views->items[place] = views->items[--views->count];
    destroy(view);
}

bool app_views_add_characters(AppViews *views, const AppCharacters *characters) {
    bool added = true;
    for (size_t i = 0; i < views->count; i++) added &= add_characters(views->items[i], characters);
    return added;
}

void app_views_remove_character(AppViews *views, size_t slot) {
    for (size_t i = 0; i < views->count; i++) {
        AppView *view = views->items[i];
        if (slot >= view->character_count) continue; // it was not added, out of memory
        AppEncodings *encodings = view->encodings;
        drop_encodings(&encodings[slot]);
        view->character_count--;
        memmove(encodings + slot, encodings + slot + 1, (view->character_count - slot) * sizeof *encodings);
        app_bitset_remove_slot(&view->members, slot);
    }
}

void app_views_expire(AppViews *views) {
    for (size_t i = 0; i < views->count; i++)
        for (size_t slot = 0; slot < views->items[i]->character_count; slot++)
            retire(&views->items[i]->encodings[slot]);
}

void app_views_drop_rigs(AppViews *views, const SimWorld *world) {
    for (size_t i = 0; i < views->count; i++) {
        AppView *view = views->items[i];
        for (size_t slot = 0; slot < view->character_count; slot++) drop_encodings(&view->encodings[slot]);
        const size_t count = view->selection_count;
        view->selection_count = 0;
        for (size_t j = 0; j < count; j++) {
            if (sim_rig_info(world, view->selections[j].rig))
                view->selections[view->selection_count++] = view->selections[j];
            else
                free(view->selections[j].bones);
        }
    }
}

NetBuffer *app_view_frame(AppViews *views, AppView *view, const AppCharacters *characters, size_t slot) {
    AppEncodings *encodings = &view->encodings[slot];
    if (encodings->frame) return encodings->frame;
    const AppCharacter *character = characters->items[slot];
    const AppSelection *selection = select_bones(view, characters, character);
    if (!selection) return NULL;
    const AppFrameRequest request = {view->id, &view->view, selection->bones, selection->count};
    const size_t body = write_frame(&views->scratch, encodings, characters, character, &request);
    if (body > 0) encodings->frame = frame_buffer_of(encodings, &views->scratch.text);
    if (encodings->frame) {
        encodings->frame_tick = sim_world_tick(characters->world);
        encodings->body = body;
    }
    return encodings->frame;
}

NetBuffer *app_view_static(AppViews *views, AppView *view, AppCharacters *characters, size_t slot,
                           AppStaticKind kind) {
    AppEncodings *encodings = &view->encodings[slot];
    if (encodings->statics[kind]) return encodings->statics[kind];
    AppCharacter *character = characters->items[slot];
    const AppSelection *selection = select_bones(view, characters, character);
    AppDescription description;
    if (!selection || !app_description_init(&description, characters, character)) return NULL;
    const TextBuffer *whole = NULL;
    if (kind != APP_STATIC_BARE)
        whole = app_description_text(characters, character, &description, view->view.axes,
                                     kind == APP_STATIC_MESHED);
    if (whole || kind == APP_STATIC_BARE) {
        TextBuffer *text = &views->scratch.text;
        text_buffer_clear(text);
        protocol_write_static(text, view->id, &description.character, selection->bones, selection->count,
                              whole);
        encodings->statics[kind] = buffer_of(text);
    }
    app_description_finish(&description);
    return encodings->statics[kind];
}

bool app_view_has(const AppView *view, size_t slot, AppDue due, AppStaticKind kind) {
    const AppEncodings *encodings = &view->encodings[slot];
    return due == APP_DUE_STATIC ? encodings->statics[kind] != NULL : encodings->frame != NULL;
}

// Returns the offset of the body; 0: out of memory. The last body is reused where the character has not moved
// since, as when it sleeps.
static size_t write_frame(AppScratch *scratch, const AppEncodings *encodings, const AppCharacters *characters,
                          const AppCharacter *character, const AppFrameRequest *request) {
    TextBuffer *text = &scratch->text;
    const NetBuffer *last = encodings->last_frame;
    const size_t last_length = last ? net_buffer_length(last) : 0;
    text_buffer_clear(text);
    if (!app_frame_write_head(scratch, characters, character, request)) return 0;
    const size_t body = text->length;
    if (last_length <= encodings->body ||
        sim_character_still_since(characters->world, character->id) > encodings->frame_tick)
        return app_frame_write_body(scratch, characters, character, request) ? body : 0;
    text_buffer_append(text, net_buffer_data(last) + encodings->body, last_length - encodings->body);
    return text->failed ? 0 : body;
}

static AppView *create(const AppCharacters *characters, ProtocolView *view) {
    AppView *created = calloc(1, sizeof *created);
    if (!created) return NULL;
    created->subscribers = 1;
    created->view = *view;
    if (add_characters(created, characters)) return created;
    *view = created->view; // stays the caller's
    created->view = (ProtocolView){0};
    destroy(created);
    return NULL;
}

static void destroy(AppView *view) {
    for (size_t slot = 0; slot < view->character_count; slot++) drop_encodings(&view->encodings[slot]);
    for (size_t i = 0; i < view->selection_count; i++) free(view->selections[i].bones);
    free(view->selections);
    free(view->encodings);
    app_bitset_finish(&view->members);
    protocol_view_finish(&view->view);
    free(view);
}

static bool add_characters(AppView *view, const AppCharacters *characters) {
    if (view->character_count == characters->count && view->encodings) return true;
    AppEncodings *encodings = realloc(view->encodings, (characters->count + 1) * sizeof *encodings);
    if (!encodings) return false;
    view->encodings = encodings;
    if (!app_bitset_reserve(&view->members, characters->count)) return false;
    for (; view->character_count < characters->count; view->character_count++) {
        const size_t slot = view->character_count;
        encodings[slot] = (AppEncodings){0};
        if (protocol_view_has_character(&view->view, characters->items[slot]->name))
            app_bitset_add(&view->members, slot);
    }
    return true;
}

static void retire(AppEncodings *encodings) {
    if (encodings->frame) {
        net_buffer_release(encodings->last_frame);
        encodings->last_frame = encodings->frame;
    }
    encodings->frame = NULL;
    for (int kind = 0; kind < APP_STATIC_KIND_COUNT; kind++) {
        net_buffer_release(encodings->statics[kind]);
        encodings->statics[kind] = NULL;
    }
}

static void drop_encodings(AppEncodings *encodings) {
    retire(encodings);
    net_buffer_release(encodings->last_frame);
    encodings->last_frame = NULL;
}

static const AppSelection *select_bones(AppView *view, const AppCharacters *characters,
                                        const AppCharacter *character) {
    const SimRigId rig = sim_character_rig(characters->world, character->id);
    for (size_t i = 0; i < view->selection_count; i++)
        if (view->selections[i].rig.index == rig.index &&
            view->selections[i].rig.generation == rig.generation)
            return &view->selections[i];
    const SimRigInfo *info = sim_rig_info(characters->world, rig);
    AppSelection *grown = realloc(view->selections, (view->selection_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    view->selections = grown;
    AppSelection *selection = &grown[view->selection_count];
    *selection = (AppSelection){.rig = rig, .bones = calloc((size_t)info->bone_count + 1, sizeof(size_t))};
    if (!selection->bones) return NULL;
    for (int bone = 0; bone < info->bone_count; bone++)
        if (protocol_view_has_bone(&view->view, info->bones[bone].name,
                                   (ProtocolBoneKind)info->bones[bone].kind))
            selection->bones[selection->count++] = (size_t)bone;
    view->selection_count++;
    return selection;
}

// Reuses the memory of the frame before, which is about as long: a running stream allocates nothing.
static NetBuffer *frame_buffer_of(AppEncodings *encodings, const TextBuffer *text) {
    NetBuffer *last = encodings->last_frame;
    if (text->failed || !net_buffer_reuse(last)) return buffer_of(text);
    if (!net_buffer_append(last, text->bytes, text->length)) return NULL;
    encodings->last_frame = NULL;
    return last;
}

static NetBuffer *buffer_of(const TextBuffer *text) {
    return text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length);
}
