// Wishes for characters: noted while scripts run or while the script they need is loaded, granted or refused
// later, in order.
#include "characters/characters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static AppRefusal check(const AppCharacters *characters, const ScriptSpawn *spawn,
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static AppWish *create(const AppCharacters *characters, const ScriptSpawn *spawn, char *file);
static void destroy(AppWish *wish);
static unsigned who_has(const AppWish *wish);
static void stem_of(const char *script, char out_stem[TEXT_NAME_BYTES + 1]);
static int length_without_end(const char *script);
static AppWish *take_out(AppCharacters *characters, AppWish **place);
static void drop(AppCharacters *characters, AppWish **place);
static void grant(AppCharacters *characters, AppWish **place, ScriptCharacter *script, AppWishDone done,
                  void *context);

AppRefusal app_characters_wish(AppCharacters *characters, const ScriptSpawn *spawn, AppAsker asker,
                               AppWish **out_wish, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    char *file;
    AppRefusal refusal = check(characters, spawn, out_message);
    if (refusal) return refusal;
    switch (script_host_find(characters->host, spawn->script, &file, out_message)) {
    case SCRIPT_FOUND:
        break;
    case SCRIPT_FOUND_NONE:
        return APP_REFUSAL_NO_SCRIPT;
    case SCRIPT_FOUND_NO_NAME:
        return APP_REFUSAL_NO_SCRIPT_NAME;
    default:
        return APP_REFUSAL_NO_MEMORY;
    }
    AppWish *wish = create(characters, spawn, file);
    if (!wish || !script_name_table_put(&characters->names, wish->name, NULL)) {
        destroy(wish);
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "out of memory");
        return APP_REFUSAL_NO_MEMORY;
    }
    wish->asker = asker;
    *characters->wishes_end = wish;
    characters->wishes_end = &wish->next;
    characters->wish_count++;
    *out_wish = wish;
    return APP_REFUSAL_NONE;
}

bool app_characters_wish_of_script(AppCharacters *characters, const ScriptSpawn *spawn,
                                   char out_name[TEXT_NAME_BYTES + 1],
                                   char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    if (characters->reloading) {
        stem_of(spawn->script, out_name);
        if (spawn->name[0]) snprintf(out_name, TEXT_NAME_BYTES + 1, "%s", spawn->name);
        return true;
    }
    AppWish *wish;
    if (app_characters_wish(characters, spawn, (AppAsker){0}, &wish, out_message)) return false;
    memcpy(out_name, wish->name, sizeof wish->name);
    return true;
}

bool app_characters_has_wish(const AppCharacters *characters, const char *file, unsigned of) {
    for (const AppWish *wish = characters->wishes; wish; wish = wish->next)
        if (who_has(wish) & of && strcmp(wish->file, file) == 0) return true;
    return false;
}

AppWish *app_characters_find_wish(const AppCharacters *characters, const char *name) {
    AppWish *wish = characters->wishes;
    while (wish && strcmp(wish->name, name) != 0) wish = wish->next;
    return wish;
}

// In place, since scripts that come to run here may look for what is wished for, and add to it.
bool app_characters_grant_wishes(AppCharacters *characters, unsigned of, AppWishDone done, void *context) {
    bool any = false;
    const AppWish *last = characters->wishes;
    while (last && last->next) last = last->next;
    bool more = last != NULL;
    for (AppWish **place = &characters->wishes; more;) {
        AppWish *wish = *place;
        more = wish != last;
        const bool meant = who_has(wish) & of && wish->leaving != APP_LEAVES;
        ScriptCharacter *script = meant ? script_character_loaded(characters->host, wish->file) : NULL;
        any |= script != NULL;
        if (script)
            grant(characters, place, script, done, context);
        else
            place = &wish->next;
    }
    return any;
}

void app_characters_refuse_wishes(AppCharacters *characters, const char *file, const ScriptError *error,
                                  AppWishDone done, void *context) {
    for (AppWish **place = &characters->wishes; *place;) {
        if (strcmp((*place)->file, file) != 0) {
            place = &(*place)->next;
            continue;
        }
        ScriptError copy;
        script_error_copy(&copy, error);
        AppWish *wish = take_out(characters, place);
        script_name_table_remove(&characters->names, wish->name);
        done(context, wish, NULL, &copy);
        script_error_finish(&copy);
        destroy(wish);
    }
}

void app_characters_drop_wish(AppCharacters *characters, AppWish *wish) {
    AppWish **place = &characters->wishes;
    while (*place != wish) place = &(*place)->next;
    drop(characters, place);
}

static AppRefusal check(const AppCharacters *characters, const ScriptSpawn *spawn,
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    const size_t entering = characters->entering != NULL; // its own on_spawn may be who asks
    if (characters->count + entering + characters->wish_count >= characters->most) {
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE,
                 "there are %zu characters already, the most there can be", characters->most);
        return APP_REFUSAL_FULL;
    }
    if (!spawn->name[0] || !script_name_table_has(&characters->names, spawn->name)) return APP_REFUSAL_NONE;
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "there is a character \"%.64s\" already", spawn->name);
    return APP_REFUSAL_NAME_TAKEN;
}

// Takes file over.
static AppWish *create(const AppCharacters *characters, const ScriptSpawn *spawn, char *file) {
    AppWish *wish = calloc(1, sizeof *wish);
    if (!wish) {
        free(file);
        return NULL;
    }
    wish->file = file;
    wish->root_world = spawn->root_world;
    wish->params = script_value_table();
    wish->script = strndup(spawn->script, (size_t)length_without_end(spawn->script));
    char stem[TEXT_NAME_BYTES + 1];
    stem_of(spawn->script, stem);
    script_name_table_free_name(&characters->names, spawn->name[0] ? spawn->name : stem, wish->name);
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
static void stem_of(const char *script, char out_stem[TEXT_NAME_BYTES + 1]) {
    const char *slash = strrchr(script, '/'), *stem = slash && slash[1] ? slash + 1 : script;
    snprintf(out_stem, TEXT_NAME_BYTES + 1, "%.*s", length_without_end(stem), stem);
}

// Scripts are called by their names without it.
static int length_without_end(const char *script) {
    const size_t length = strlen(script);
    const bool has_end = length > 4 && strcmp(script + length - 4, ".lua") == 0;
    return (int)(has_end ? length - 4 : length);
}

static AppWish *take_out(AppCharacters *characters, AppWish **place) {
    AppWish *wish = *place;
    *place = wish->next;
    if (characters->wishes_end == &wish->next) characters->wishes_end = place;
    characters->wish_count--;
    return wish;
}

static void drop(AppCharacters *characters, AppWish **place) {
    AppWish *wish = take_out(characters, place);
    script_name_table_remove(&characters->names, wish->name);
    destroy(wish);
}

static void grant(AppCharacters *characters, AppWish **place, ScriptCharacter *script, AppWishDone done,
                  void *context) {
    AppWish *wish = take_out(characters, place);
    AppWish **own = characters->wishes_end; // where what its on_spawn wishes for begins
    const ScriptSpawn wanted = {wish->script, wish->name, wish->root_world, &wish->params};
    ScriptError error;
    AppCharacter *character = app_characters_spawn(characters, script, &wanted, &error);
    if (!character) {
        script_name_table_remove(&characters->names, wish->name);
        while (*own) drop(characters, own);
    }
    done(context, wish, character, &error);
    script_error_finish(&error);
    destroy(wish);
}
