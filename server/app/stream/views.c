// The table of views, and what each has encoded of the newest tick.
#include "stream/views.h"

#include "characters/describe.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>

// Fewer jobs are done by the loop: handing them to the workers takes longer.
enum { FEWEST_JOBS = 4 };

// Bytes at a frame's end, beside an eighth of it, for the next ones to be longer: writers reserve ahead.
enum { FRAME_SLACK = 2048 };

static AppView *create(const AppCharacters *characters, ProtocolView *view);
static void destroy(AppView *view);
static bool add_characters(AppView *view, const AppCharacters *characters);
static void retire(AppEncodings *encodings);
static void drop_encodings(AppEncodings *encodings);
static bool begin_frame(AppFrameJob *job, AppView *view, const AppCharacters *characters, size_t slot);
static void write_frame(AppFrameJob *job, AppScratch *scratch);
static NetBuffer *copy_frame(const TextBuffer *text, NetBuffer *memory);
static void end_frame(const AppFrameJob *job);
static const AppSelection *select_bones(AppView *view, const AppCharacters *characters,
                                        const AppCharacter *character);

void app_views_finish(AppViews *views) {
    for (size_t i = 0; i < views->count; i++) destroy(views->items[i]);
    for (int i = 0; i < APP_MAX_WORKERS; i++) app_scratch_finish(&views->scratches[i]);
    free(views->jobs);
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

int app_views_begin_frames(AppViews *views, const AppCharacters *characters) {
    size_t wanted = 0;
    for (size_t i = 0; i < views->count; i++) wanted += app_bitset_count(&views->items[i]->wanted);
    for (size_t i = 0; i < views->count; i++) {
        AppView *view = views->items[i];
        for (size_t slot = 0; slot < view->character_count && wanted >= FEWEST_JOBS; slot++) {
            if (!app_bitset_has(&view->wanted, slot) ||
                !TEXT_ARRAY_GROW(views->jobs, views->job_count, views->job_capacity))
                continue;
            if (!begin_frame(&views->jobs[views->job_count], view, characters, slot)) continue;
            views->job_count++;
            view->subscribers++; // until the job has ended
        }
        app_bitset_clear(&view->wanted);
    }
    return (int)views->job_count;
}

void app_views_encode(AppViews *views, int job, int worker) {
    write_frame(&views->jobs[job], &views->scratches[worker]);
}

void app_views_end_frames(AppViews *views) {
    for (size_t i = 0; i < views->job_count; i++) {
        end_frame(&views->jobs[i]);
        app_views_close(views, views->jobs[i].view);
    }
    views->job_count = 0;
}

NetBuffer *app_view_frame(AppViews *views, AppView *view, const AppCharacters *characters, size_t slot) {
    AppFrameJob job;
    if (!view->encodings[slot].frame && begin_frame(&job, view, characters, slot)) {
        write_frame(&job, &views->scratches[0]);
        end_frame(&job);
    }
    return view->encodings[slot].frame;
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
    if (kind == APP_STATIC_DESCRIBED)
        whole = app_description_text(characters, character, &description, view->view.axes);
    if (kind == APP_STATIC_MESHED)
        whole = app_meshed_description_text(characters, character, &description, view->view.axes);
    if (whole || kind == APP_STATIC_BARE) {
        TextBuffer *text = &views->scratches[0].text;
        text_buffer_clear(text);
        protocol_write_static(text, view->id, &description.character, selection->bones, selection->count,
                              whole);
        encodings->statics[kind] = net_buffer_create_text(text);
    }
    app_description_finish(&description);
    return encodings->statics[kind];
}

bool app_view_waits(const AppView *view, AppCharacters *characters, size_t slot, AppStaticKind kind) {
    return kind == APP_STATIC_MESHED && !view->encodings[slot].statics[kind] &&
           !app_meshes_are_ready(characters, characters->items[slot], view->view.axes);
}

bool app_view_has(const AppView *view, size_t slot, AppDue due, AppStaticKind kind) {
    const AppEncodings *encodings = &view->encodings[slot];
    return due == APP_DUE_STATIC ? encodings->statics[kind] != NULL : encodings->frame != NULL;
}

// Returns false when memory runs out.
static bool begin_frame(AppFrameJob *job, AppView *view, const AppCharacters *characters, size_t slot) {
    const AppEncodings *encodings = &view->encodings[slot];
    const AppCharacter *character = characters->items[slot];
    const AppSelection *selection = select_bones(view, characters, character);
    if (!selection) return false;
    *job = (AppFrameJob){.view = view, .slot = slot};
    job->source = (AppFrameSource){.characters = characters,
                                   .character = character,
                                   .view = &view->view,
                                   .view_id = view->id,
                                   .selection = *selection};
    NetBuffer *last = encodings->last_frame;
    if (last && net_buffer_length(last) > encodings->body) {
        job->source.last_body = net_buffer_data(last) + encodings->body;
        job->source.last_body_length = net_buffer_length(last) - encodings->body;
        job->source.last_tick = encodings->frame_tick;
    }
    if (last && !net_buffer_is_shared(last)) job->memory = last;
    return true;
}

// A frame is written where the one before was, since it is about as long: a running stream neither allocates
// nor copies.
static void write_frame(AppFrameJob *job, AppScratch *scratch) {
    const bool in_place = !app_frame_repeats(&job->source) && net_buffer_reuse(job->memory);
    if (in_place) net_buffer_exchange(job->memory, &scratch->text);
    job->body = app_frame_write(scratch, &job->source);
    if (!in_place) {
        if (job->body > 0) job->frame = copy_frame(&scratch->text, job->memory);
        return;
    }
    net_buffer_exchange(job->memory, &scratch->text);
    if (job->body > 0)
        job->frame = job->memory;
    else
        net_buffer_reuse(job->memory); // half a frame
}

// In the memory of an older frame, if there is any. Returns NULL when memory runs out.
static NetBuffer *copy_frame(const TextBuffer *text, NetBuffer *memory) {
    const size_t room = text->length + text->length / 8 + FRAME_SLACK;
    NetBuffer *frame = net_buffer_reuse(memory) ? memory : net_buffer_create(room);
    if (!frame || net_buffer_append(frame, text->bytes, text->length)) return frame;
    if (frame != memory) net_buffer_release(frame);
    return NULL;
}

static void end_frame(const AppFrameJob *job) {
    AppEncodings *encodings = &job->view->encodings[job->slot];
    if (!job->frame) return;
    if (job->frame == job->memory) encodings->last_frame = NULL;
    encodings->frame = job->frame;
    encodings->frame_tick = sim_world_tick(job->source.characters->world);
    encodings->body = job->body;
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
    app_bitset_finish(&view->wanted);
    app_remote_characters_finish(&view->remote);
    protocol_view_finish(&view->view);
    free(view);
}

static bool add_characters(AppView *view, const AppCharacters *characters) {
    if (view->character_count == characters->count && view->encodings) return true;
    if (!TEXT_ARRAY_EXTEND(view->encodings, characters->count) ||
        !app_bitset_reserve(&view->members, characters->count) ||
        !app_bitset_reserve(&view->wanted, characters->count))
        return false;
    for (; view->character_count < characters->count; view->character_count++) {
        const size_t slot = view->character_count;
        view->encodings[slot] = (AppEncodings){0};
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
    if (!TEXT_ARRAY_EXTEND(view->selections, view->selection_count)) return NULL;
    AppSelection *selection = &view->selections[view->selection_count];
    *selection = (AppSelection){.rig = rig, .bones = calloc((size_t)info->bone_count + 1, sizeof(size_t))};
    if (!selection->bones) return NULL;
    for (int bone = 0; bone < info->bone_count; bone++)
        if (protocol_view_has_bone(&view->view, info->bones[bone].name,
                                   (ProtocolBoneKind)info->bones[bone].kind))
            selection->bones[selection->count++] = (size_t)bone;
    view->selection_count++;
    return selection;
}
