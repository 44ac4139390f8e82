// The sample transcripts and the README's lines against this layer, without a server: it refuses with
// exactly the error in them, and accepts the rest.
#include "protocol/message.h"
#include "protocol/methods.h"
#include "protocol/reply.h"
#include "unit_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES PROJECT_DIRECTORY "/protocol/samples"

enum { LINE_BYTES = 32768 };

static const cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

// The error reply of this layer, "" where it accepts the line. Skips batches.
static void refuse(const char *line, TextBuffer *out_reply) {
    ProtocolMessage message;
    ProtocolRequest request = {0};
    ProtocolError error = {0};
    bool refused = !protocol_message_read(&message, line, strlen(line), &error);
    if (!refused && !message.batch) {
        refused = protocol_message_next(&message, &request, &error) == PROTOCOL_NEXT_INVALID;
        const ProtocolMethod *method = refused ? NULL : protocol_find_method(request.method, &error);
        if (!request.notification) {
            refused = !method || !protocol_validate_params(method, request.params, &error);
        }
    }
    text_buffer_clear(out_reply);
    if (refused) protocol_write_error(out_reply, request.id, &error);
    text_buffer_append_char(out_reply, '\0');
    protocol_request_finish(&request);
    protocol_message_finish(&message);
}

// The line that a step sends; NULL: none. The caller frees it.
static char *sent_line(const cJSON *step) {
    const cJSON *send = get(step, "send");
    if (!send) return NULL;
    if (cJSON_IsString(send)) {
        char *copy = malloc(strlen(send->valuestring) + 1);
        return strcpy(copy, send->valuestring);
    }
    return cJSON_PrintUnformatted(send);
}

// "$=view" and similar stand for numbers that only the server knows.
static void put_numbers_for_names(char *line) {
    for (char *name; (name = strstr(line, "\"$="));) {
        char *end = strchr(name + 1, '"') + 1;
        *name = '1';
        memmove(name + 1, end, strlen(end) + 1);
    }
}

static bool has_params_error(const cJSON *receive) {
    const cJSON *code = get(get(receive, "error"), "code");
    return code && code->valuedouble <= PROTOCOL_INVALID_REQUEST;
}

static void check_exchange(const char *where, const char *line, const cJSON *receive) {
    TextBuffer reply = {0};
    refuse(line, &reply);
    cJSON *written = cJSON_Parse(reply.bytes);
    if (written && !cJSON_Compare(written, receive, true)) {
        fail_msg("%s: %s is refused with %s", where, line, reply.bytes);
    }
    // fabric.set's keys and their ranges are the fabric's to know; what may be a script's name is for
    // scripts.
    bool others_know = strstr(line, "fabric.set") || strstr(line, "character.spawn");
    if (!written && has_params_error(receive) && !others_know) {
        fail_msg("%s: %s is taken", where, line);
    }
    cJSON_Delete(written);
    text_buffer_finish(&reply);
}

static int check_file(const char *name) {
    char path[512], where[600];
    static char text[LINE_BYTES];
    snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *sent = NULL;
    int exchanges = 0;
    for (int number = 1; fgets(text, sizeof text, file); number++) {
        snprintf(where, sizeof where, "%s:%d", name, number);
        cJSON *step = cJSON_Parse(text);
        if (!cJSON_IsObject(step) || cJSON_GetArraySize(step) != 1) fail_msg("%s is no step", where);
        if (sent && get(step, "receive")) {
            check_exchange(where, sent, get(step, "receive"));
            exchanges++;
        }
        if (!get(step, "comment")) free(sent), sent = sent_line(step);
        if (sent) put_numbers_for_names(sent);
        cJSON_Delete(step);
    }
    free(sent);
    fclose(file);
    return exchanges;
}

static void test_transcripts_have_this_layers_errors(void **state) {
    (void)state;
    DIR *directory = opendir(SAMPLES);
    assert_non_null(directory);
    int files = 0, exchanges = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".jsonl")) continue;
        exchanges += check_file(entry->d_name);
        files++;
    }
    closedir(directory);
    assert_true(files >= 7 && exchanges >= 80);
}

static void test_the_readmes_lines_are_right(void **state) {
    (void)state;
    FILE *file = fopen(PROJECT_DIRECTORY "/protocol/README.md", "rb");
    assert_non_null(file);
    static char line[LINE_BYTES];
    int requests = 0, others = 0;
    TextBuffer reply = {0};
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "{\"jsonrpc\"", 10) != 0) continue;
        cJSON *message = cJSON_Parse(line);
        if (!message) fail_msg("not JSON: %s", line);
        bool is_request = get(message, "id") && get(message, "method");
        if (is_request) refuse(line, &reply);
        if (is_request && reply.length > 1) fail_msg("%s is refused: %s", line, reply.bytes);
        requests += is_request;
        others += !is_request;
        cJSON_Delete(message);
    }
    text_buffer_finish(&reply);
    fclose(file);
    assert_true(requests >= 3 && others >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transcripts_have_this_layers_errors),
        cmocka_unit_test(test_the_readmes_lines_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
