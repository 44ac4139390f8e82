// Wishes for characters: noted while scripts run or while the script they need is loaded, granted or refused
// later, in order.
#include "characters/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static AppRefusal check(const AppFleet *fleet, const ScriptSpawn *spawn,
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static AppWish *create(const AppFleet *fleet, const ScriptSpawn *spawn, char *file);
static void destroy(AppWish *wish);
static unsigned who_has(const AppWish *wish);
static void stem_of(const char *script, char out_stem[PROTOCOL_NAME_BYTES + 1]);
static int length_without_end(const char *script);
static AppWish *take_out(AppFleet *fleet, AppWish **place);
static void drop(AppFleet *fleet, AppWish **place);
static void grant(AppFleet *fleet, AppWish **place, ScriptCharacter *script, AppWishDone done, void *context);

AppRefusal app_fleet_wish(AppFleet *fleet, const ScriptSpawn *spawn, AppAsker asker, AppWish **out_wish,
                          char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    char *file;
    AppRefusal refusal = check(fleet, spawn, out_message);
    if (refusal) return refusal;
    switch (script_host_find(fleet->host, spawn->script, &file, out_message)) {
    case SCRIPT_FOUND:
        break;
    case SCRIPT_FOUND_NONE:
        return APP_REFUSAL_NO_SCRIPT;
    case SCRIPT_FOUND_NO_NAME:
        return APP_REFUSAL_NO_SCRIPT_NAME;
    default:
        return APP_REFUSAL_NO_MEMORY;
    }
    AppWish *wish = create(fleet, spawn, file);
    if (!wish || !script_name_table_put(&fleet->names, wish->name, NULL)) {
        destroy(wish);
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "out of memory");
        return APP_REFUSAL_NO_MEMORY;
    }
    wish->asker = asker;
    *fleet->wishes_end = wish;
    fleet->wishes_end = &wish->next;
    fleet->wish_count++;
    *out_wish = wish;
    return APP_REFUSAL_NONE;
}

bool app_fleet_wish_of_script(AppFleet *fleet, const ScriptSpawn *spawn,
                              char out_name[PROTOCOL_NAME_BYTES + 1],
                              char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    if (fleet->reloading) {
        stem_of(spawn->script, out_name);
        if (spawn->name[0]) snprintf(out_name, PROTOCOL_NAME_BYTES + 1, "%s", spawn->name);
        return true;
    }
    AppWish *wish;
    if (app_fleet_wish(fleet, spawn, (AppAsker){0}, &wish, out_message)) return false;
    memcpy(out_name, wish->name, sizeof wish->name);
    return true;
}

bool app_fleet_has_wish(const AppFleet *fleet, const char *file, unsigned of) {
    for (const AppWish *wish = fleet->wishes; wish; wish = wish->next)
        if (who_has(wish) & of && strcmp(wish->file, file) == 0) return true;
    return false;
}

AppWish *app_fleet_find_wish(const AppFleet *fleet, const char *name) {
    AppWish *wish = fleet->wishes;
    while (wish && strcmp(wish->name, name) != 0) wish = wish->next;
    return wish;
}

// In place, since scripts that come to run here may look for what is wished for, and add to it.
bool app_fleet_grant_wishes(AppFleet *fleet, unsigned of, AppWishDone done, void *context) {
    bool any = false;
    const AppWish *last = fleet->wishes;
    while (last && last->next) last = last->next;
    bool more = last != NULL;
    for (AppWish **place = &fleet->wishes; more;) {
        AppWish *wish = *place;
        more = wish != last;
        const bool meant = who_has(wish) & of && wish->leaving != APP_LEAVES;
        ScriptCharacter *script = meant ? script_character_loaded(fleet->host, wish->file) : NULL;
        any |= script != NULL;
        if (script)
            grant(fleet, place, script, done, context);
        else
            place = &wish->next;
    }
    return any;
}

void app_fleet_refuse_wishes(AppFleet *fleet, const char *file, const ScriptError *error, AppWishDone done,
                             void *context) {
    for (AppWish **place = &fleet->wishes; *place;) {
        if (strcmp((*place)->file, file) != 0) {
            place = &(*place)->next;
            continue;
        }
        ScriptError copy;
        script_error_copy(&copy, error);
        AppWish *wish = take_out(fleet, place);
        script_name_table_remove(&fleet->names, wish->name);
        done(context, wish, NULL, &copy);
        script_error_finish(&copy);
        destroy(wish);
    }
}

void app_fleet_drop_wish(AppFleet *fleet, AppWish *wish) {
    AppWish **place = &fleet->wishes;
    while (*place != wish) place = &(*place)->next;
    drop(fleet, place);
}

static AppRefusal check(const AppFleet *fleet, const ScriptSpawn *spawn,
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    const size_t entering = fleet->entering != NULL; // its own on_spawn may be who asks
    if (fleet->count + entering + fleet->wish_count >= fleet->most) {
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE,
                 "there are %zu characters already, the most there can be", fleet->most);
        return APP_REFUSAL_FULL;
    }
    if (!spawn->name[0] || !script_name_table_has(&fleet->names, spawn->name)) return APP_REFUSAL_NONE;
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "there is a character \"%.64s\" already", spawn->name);
    return APP_REFUSAL_NAME_TAKEN;
}

// Takes file over.
static AppWish *create(const AppFleet *fleet, const ScriptSpawn *spawn, char *file) {
    AppWish *wish = calloc(1, sizeof *wish);
    if (!wish) {
        free(file);
        return NULL;
    }
    wish->file = file;
    wish->root_world = spawn->root_world;
    wish->params = script_value_table();
    wish->script = strndup(spawn->script, (size_t)length_without_end(spawn->script));
    char stem[PROTOCOL_NAME_BYTES + 1];
    stem_of(spawn->script, stem);
    script_name_table_free_name(&fleet->names, spawn->name[0] ? spawn->name : stem, wish->name);
    if (wish->script && (!spawn->params || script_value_copy(&wish->params, spawn->params))) return wish;
    destroy(wish);
    return NULL;
}

static void destroy(AppWish *wish) {
    if (!wish) return;
    script_value_finish(&wish->params);
    free(wish->script);
    free(wish->file);
    free(wish);
}

static unsigned who_has(const AppWish *wish) {
    if (wish->asker.request) return APP_WISHES_OF_REQUESTS;
    return wish->asker.errand ? APP_WISHES_OF_ERRANDS : APP_WISHES_OF_SCRIPTS;
}

// "characters/wake", or with .lua → "wake", cut to the length of a name.
static void stem_of(const char *script, char out_stem[PROTOCOL_NAME_BYTES + 1]) {
    const char *slash = strrchr(script, '/'), *stem = slash && slash[1] ? slash + 1 : script;
    snprintf(out_stem, PROTOCOL_NAME_BYTES + 1, "%.*s", length_without_end(stem), stem);
}

// Scripts are called by their names without it.
static int length_without_end(const char *script) {
    const size_t length = strlen(script);
    const bool has_end = length > 4 && strcmp(script + length - 4, ".lua") == 0;
    return (int)(has_end ? length - 4 : length);
}

static AppWish *take_out(AppFleet *fleet, AppWish **place) {
    AppWish *wish = *place;
    *place = wish->next;
    if (fleet->wishes_end == &wish->next) fleet->wishes_end = place;
    fleet->wish_count--;
    return wish;
}

static void drop(AppFleet *fleet, AppWish **place) {
    AppWish *wish = take_out(fleet, place);
    script_name_table_remove(&fleet->names, wish->name);
    destroy(wish);
}

static void grant(AppFleet *fleet, AppWish **place, ScriptCharacter *script, AppWishDone done,
                  void *context) {
    AppWish *wish = take_out(fleet, place);
    AppWish **own = fleet->wishes_end; // where what its on_spawn wishes for begins
    const ScriptSpawn wanted = {wish->script, wish->name, wish->root_world, &wish->params};
    ScriptError error;
    AppCharacter *character = app_fleet_spawn(fleet, script, &wanted, &error);
    if (!character) {
        script_name_table_remove(&fleet->names, wish->name);
        while (*own) drop(fleet, own);
    }
    done(context, wish, character, &error);
    script_error_finish(&error);
    destroy(wish);
}
