// Views: static data before frames, no tick twice and none left out, bones in number and order, nothing after
// the end of a subscription; a hand is where the last pose has put it.
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_TABLE = 1 << 16 };

static View *find_view(Client *client, const cJSON *params, const char *what);
static Shown *find_shown(Client *client, View *view, const cJSON *params);
static void check_bones(Client *client, const View *view, const cJSON *params);
static bool matches(const char *pattern, const char *name);
static int index_of(const cJSON *names, const char *name);
static void check_tick(Client *client, const View *view, Shown *shown, uint64_t tick);
static bool is_never_removed(const char *name);
static void check_numbers(Client *client, const View *view, const Shown *shown, const cJSON *params);
static void check_hand(Client *client, const View *view, const Shown *shown, const cJSON *params);
static void check_same(Client *client, const View *view, const Shown *shown, const char *line, size_t length);
static void check_paused(Session *session, uint64_t tick);
static uint64_t number_of(const cJSON *params, const char *key);

void check_subscribed(Client *client, const Request *request, const cJSON *result) {
    Session *session = client->session;
    const int id = (int)number_of(result, "view");
    View *view = NULL;
    for (int i = 0; i < client->view_count; i++)
        if (client->views[i].id == id) view = &client->views[i];
    if (id < 0 || id >= 1024 ||
        (session->view_specs[id] != 0 && session->view_specs[id] != request->spec + 1)) {
        session_fail(session, "client %d: the view %d is another view's number", client->number, id);
        return;
    }
    for (int i = 0; i < client->view_count; i++)
        if (client->views[i].is_active && !client->views[i].is_ending &&
            client->views[i].spec == request->spec && client->views[i].id != id)
            session_fail(session, "client %d: equal views have the numbers %d and %d", client->number,
                         client->views[i].id, id);
    session->view_specs[id] = request->spec + 1;
    if (view && view->is_active) client->is_tainted = true;
    if (!view) {
        if (client->view_count == SESSION_VIEWS) return; // its lines are not followed
        view = &client->views[client->view_count++];
        *view = (View){.id = id, .spec = request->spec};
    }
    if (!view->is_active) view->shown_count = 0;
    view->is_active = true;
    view->rate = request->rate;
    view->queue = request->queue;
    view->bare = request->bare;
    view->mesh = request->mesh;
    for (int i = 0; i < view->shown_count; i++) {
        view->shown[i].has_static = false;
        view->shown[i].may_repeat = true;
    }
    const cJSON *name;
    cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(result, "characters")) {
        const char *pattern = session->setup.specs[request->spec].characters;
        if (!matches(pattern, cJSON_GetStringValue(name)))
            session_fail(session, "client %d: %s is not of the characters %s", client->number,
                         name->valuestring, pattern);
    }
}

void check_unsubscribed(Client *client, const Request *request) {
    for (int i = 0; i < client->view_count; i++)
        if (client->views[i].id == request->view) {
            client->views[i].is_active = client->views[i].is_ending = false;
            client->is_tainted = true;
        }
}

void check_static(Client *client, const cJSON *params) {
    View *view = find_view(client, params, "static data");
    Shown *shown = view ? find_shown(client, view, params) : NULL;
    if (!shown) return;
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(params, "bones");
    const cJSON *description = cJSON_GetObjectItemCaseSensitive(params, "description");
    const uint64_t revision = number_of(params, "revision");
    shown->has_static = true;
    shown->revision = revision;
    shown->bone_count = cJSON_GetArraySize(names);
    shown->hand = index_of(names, "Hand");
    if ((description == NULL) != view->bare)
        session_fail(client->session, "client %d: view %d: a description is %s", client->number, view->id,
                     view->bare ? "not asked for" : "missing");
    if (!description) return;
    if ((cJSON_GetObjectItemCaseSensitive(description, "meshes") != NULL) != view->mesh)
        session_fail(client->session, "client %d: view %d: wrongly with or without meshes", client->number,
                     view->id);
    if (number_of(description, "revision") != revision)
        session_fail(client->session, "client %d: view %d: the description is of another revision",
                     client->number, view->id);
    check_bones(client, view, params);
}

void check_frame(Client *client, const cJSON *params, const char *line, size_t length) {
    View *view = find_view(client, params, "a frame");
    Shown *shown = view ? find_shown(client, view, params) : NULL;
    if (!shown) return;
    const uint64_t tick = number_of(params, "tick");
    client->frames++;
    if (!shown->has_static || shown->revision != number_of(params, "revision"))
        session_fail(
            client->session, "client %d: view %d: a frame of %s, revision %llu, before its static data",
            client->number, view->id, shown->name, (unsigned long long)number_of(params, "revision"));
    const double time = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(params, "time"));
    if (fabs(time * client->session->setup.rate - (double)tick) > 1e-3)
        session_fail(client->session, "client %d: the time of tick %llu is %g", client->number,
                     (unsigned long long)tick, time);
    check_tick(client, view, shown, tick);
    check_numbers(client, view, shown, params);
    check_hand(client, view, shown, params);
    check_same(client, view, shown, line, length);
    if (client->slot == 0 && strcmp(shown->name, "drone") == 0) {
        if (tick < SESSION_TICKS) client->session->shown_poses[tick] = number_of(params, "sequence") + 1;
        check_paused(client->session, tick);
    }
}

bool rate_is_due(double rate, uint64_t tick, int tick_rate) {
    if (rate <= 0 || rate >= tick_rate || tick == 0) return true;
    return floor((double)tick * rate / tick_rate) > floor((double)(tick - 1) * rate / tick_rate);
}

// The requester has all frames of its ticks before the answer.
void check_stepped(Client *client, const Request *request, uint64_t tick) {
    Session *session = client->session;
    const bool is_known = request->base != UINT64_MAX && request->epoch == session->pause_epoch &&
                          request->step == session->steps_sent; // no other client's step lies between
    if (is_known && tick != request->base + request->ticks)
        session_fail(session, "client %d: %llu steps from tick %llu end at %llu", client->number,
                     (unsigned long long)request->ticks, (unsigned long long)request->base,
                     (unsigned long long)tick);
    if (session->is_paused && (session->base == UINT64_MAX || tick > session->base)) session->base = tick;
    session->pause_epoch++;
    for (int i = 0; i < client->view_count; i++) {
        const View *view = &client->views[i];
        for (int j = 0; j < view->shown_count && view->is_active && !view->is_ending && view->rate <= 0; j++)
            if (is_never_removed(view->shown[j].name) && view->shown[j].tick != tick)
                session_fail(session,
                             "client %d: view %d: after a step to tick %llu the last frame of %s is %llu",
                             client->number, view->id, (unsigned long long)tick, view->shown[j].name,
                             (unsigned long long)view->shown[j].tick);
    }
}

// Once the simulation stands, all have the newest static data, and the newest frame where they want each.
void check_newest(Client *client) {
    const Session *session = client->session;
    const View *known = &session->clients[0].views[0];
    for (int i = 0; i < client->view_count; i++) {
        const View *view = &client->views[i];
        for (int j = 0; j < view->shown_count && view->is_active && !view->is_ending; j++) {
            const Shown *shown = &view->shown[j];
            for (int k = 0; k < known->shown_count; k++) {
                if (strcmp(known->shown[k].name, shown->name) != 0 || !is_never_removed(shown->name))
                    continue;
                if (shown->revision != known->shown[k].revision ||
                    (view->rate <= 0 && shown->tick != known->shown[k].tick))
                    session_fail(client->session, "client %d: view %d: %s stays at revision %llu, tick %llu",
                                 client->number, view->id, shown->name, (unsigned long long)shown->revision,
                                 (unsigned long long)shown->tick);
            }
        }
    }
}

static View *find_view(Client *client, const cJSON *params, const char *what) {
    const int id = (int)number_of(params, "view");
    for (int i = 0; i < client->view_count; i++)
        if (client->views[i].id == id && client->views[i].is_active) return &client->views[i];
    if (client->view_count < SESSION_VIEWS)
        session_fail(client->session, "client %d: %s of the view %d, which it has not subscribed to",
                     client->number, what, id);
    return NULL;
}

static Shown *find_shown(Client *client, View *view, const cJSON *params) {
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(params, "character"));
    const Spec *spec = &client->session->setup.specs[view->spec];
    if (!name || !matches(spec->characters, name)) {
        session_fail(client->session, "client %d: view %d shows %s, which it has not asked for",
                     client->number, view->id, name ? name : "nobody");
        return NULL;
    }
    for (int i = 0; i < view->shown_count; i++)
        if (strcmp(view->shown[i].name, name) == 0) return &view->shown[i];
    if (view->shown_count == SESSION_SHOWN) return NULL;
    Shown *shown = &view->shown[view->shown_count++];
    *shown = (Shown){.hand = -1, .may_repeat = true};
    snprintf(shown->name, sizeof shown->name, "%s", name);
    return shown;
}

// Those of the description that the view asks for, in its order.
static void check_bones(Client *client, const View *view, const cJSON *params) {
    const Spec *spec = &client->session->setup.specs[view->spec];
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(params, "bones");
    const cJSON *description = cJSON_GetObjectItemCaseSensitive(params, "description");
    const cJSON *name = names ? names->child : NULL, *bone;
    cJSON_ArrayForEach(bone, cJSON_GetObjectItemCaseSensitive(description, "bones")) {
        const char *expected = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(bone, "name"));
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(bone, "kind"));
        if (!matches(spec->bones, expected) || (spec->kind[0] && strcmp(spec->kind, kind) != 0)) continue;
        if (!name || strcmp(name->valuestring, expected) != 0) {
            session_fail(client->session, "client %d: view %d: expected the bone %s, found %s",
                         client->number, view->id, expected, name ? name->valuestring : "none");
            return;
        }
        name = name->next;
    }
    if (name)
        session_fail(client->session, "client %d: view %d: the bone %s is not asked for", client->number,
                     view->id, name->valuestring);
}

// A star stands for the rest.
static bool matches(const char *pattern, const char *name) {
    const char *star = strchr(pattern, '*');
    return star ? strncmp(pattern, name, (size_t)(star - pattern)) == 0 : strcmp(pattern, name) == 0;
}

static int index_of(const cJSON *names, const char *name) {
    int index = 0;
    for (const cJSON *each = names ? names->child : NULL; each; each = each->next, index++)
        if (strcmp(each->valuestring, name) == 0) return index;
    return -1;
}

// In a queue, and by a reader that reads at once from a server that is never late, no frame is left out.
// Meshes are encoded beside the ticks, and frames wait for them.
static void check_tick(Client *client, const View *view, Shown *shown, uint64_t tick) {
    Session *session = client->session;
    const int rate = session->setup.rate;
    uint64_t due = 0;
    if (shown->has_frame && (shown->may_repeat ? tick < shown->tick : tick <= shown->tick))
        session_fail(session, "client %d: view %d: tick %llu of %s comes after %llu", client->number,
                     view->id, (unsigned long long)tick, shown->name, (unsigned long long)shown->tick);
    for (uint64_t each = shown->tick + 1; shown->has_frame && each <= tick; each++)
        due += rate_is_due(view->rate, each, rate);
    const bool is_stepped =
        session->is_paused || shown->tick <= session->stepped; // steps wait for one client only
    const bool is_prompt = session->setup.is_calm && !client->was_slow && !is_stepped;
    const bool is_whole = !view->mesh && (view->queue || is_prompt);
    if (shown->has_frame && !shown->may_repeat) {
        if (due == 0)
            session_fail(session, "client %d: view %d: a frame of %s at tick %llu is beyond the rate %g",
                         client->number, view->id, shown->name, (unsigned long long)tick, view->rate);
        if (due > 1 && is_whole && is_never_removed(shown->name))
            session_fail(session, "client %d: view %d: %llu frames of %s are missing before tick %llu",
                         client->number, view->id, (unsigned long long)due - 1, shown->name,
                         (unsigned long long)tick);
        if (due > 1 && is_never_removed(shown->name)) client->skipped += due - 1;
        if (due > 1 && !is_never_removed(shown->name)) client->is_tainted = true; // it may have been away
    }
    shown->has_frame = true;
    shown->may_repeat = false;
    shown->tick = tick;
}

// Acts remove others.
static bool is_never_removed(const char *name) {
    return strcmp(name, "alan") == 0 || strcmp(name, "drone") == 0;
}

static void check_numbers(Client *client, const View *view, const Shown *shown, const cJSON *params) {
    const Spec *spec = &client->session->setup.specs[view->spec];
    const cJSON *bones = cJSON_GetObjectItemCaseSensitive(params, "bones"), *bone;
    bool is_right = cJSON_GetArraySize(bones) == shown->bone_count;
    cJSON_ArrayForEach(bone, bones) is_right &= cJSON_GetArraySize(bone) == (spec->is_matrix ? 16 : 10);
    is_right &= (cJSON_GetObjectItemCaseSensitive(params, "particles") != NULL) == spec->has_particles;
    is_right &= (cJSON_GetObjectItemCaseSensitive(params, "references") != NULL) == spec->has_references;
    is_right &= (cJSON_GetObjectItemCaseSensitive(params, "wrinkles") != NULL) == spec->has_wrinkles;
    if (!is_right)
        session_fail(client->session, "client %d: view %d: a frame of %s has not what was asked for: %s",
                     client->number, view->id, shown->name, spec->params);
}

// Only poses with a number move the hand, and the number says where it is.
static void check_hand(Client *client, const View *view, const Shown *shown, const cJSON *params) {
    const Setup *setup = &client->session->setup;
    const Spec *spec = &setup->specs[view->spec];
    const cJSON *sequence = cJSON_GetObjectItemCaseSensitive(params, "sequence");
    if (strcmp(shown->name, "drone") != 0 || !sequence || shown->hand < 0 || !spec->is_gltf ||
        setup->pose_timeout > 0)
        return;
    const cJSON *bone = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(params, "bones"), shown->hand);
    const double expected = (double)((uint64_t)sequence->valuedouble % 1000) * .01;
    const double found = cJSON_GetNumberValue(cJSON_GetArrayItem(bone, spec->is_matrix ? 12 : 0));
    if (fabs(expected - found) > pow(10, -spec->precision) + 1e-5)
        session_fail(client->session,
                     "client %d: pose %.0f puts the hand at %g, the frame at tick %llu shows %g",
                     client->number, sequence->valuedouble, expected, (unsigned long long)shown->tick, found);
}

// Whoever has the view gets the same bytes.
static void check_same(Client *client, const View *view, const Shown *shown, const char *line,
                       size_t length) {
    Session *session = client->session;
    char key_text[160];
    const int key_length = snprintf(key_text, sizeof key_text, "%d %s %llu %llu", view->id, shown->name,
                                    (unsigned long long)shown->revision, (unsigned long long)shown->tick);
    const uint64_t key = hash_bytes(key_text, (size_t)key_length), hash = hash_bytes(line, length);
    uint64_t *place = &session->frames[2 * (key % FRAME_TABLE)];
    if (place[0] == key && place[1] != hash)
        session_fail(session,
                     "client %d: view %d: the frame of %s at tick %llu is another client's with other bytes",
                     client->number, view->id, shown->name, (unsigned long long)shown->tick);
    place[0] = key;
    place[1] = hash;
}

// While paused there are as many ticks as steps were asked for, at most.
static void check_paused(Session *session, uint64_t tick) {
    if (tick > session->newest && session->is_paused && tick > session->paused_tick &&
        ++session->ticks_paused > session->steps_asked)
        session_fail(session, "tick %llu comes though the simulation was paused at %llu",
                     (unsigned long long)tick, (unsigned long long)session->paused_tick);
    if (tick > session->newest && session->is_paused) session->stepped = tick;
    if (tick > session->newest) session->newest = tick;
}

static uint64_t number_of(const cJSON *params, const char *key) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(params, key);
    return cJSON_IsNumber(number) ? (uint64_t)number->valuedouble : 0;
}
