// Lines in: bytes to JSON-RPC 2.0 requests.
#include "protocol/message.h"

#include "jsonrpc/scan.h"

#include <stdlib.h>
#include <string.h>

static bool check_shape(const ProtocolMessage *message, ProtocolError *out_error);
static bool check_request(ProtocolRequest *request, ProtocolError *out_error);
static void out_of_memory(ProtocolError *out_error);

bool protocol_message_read(ProtocolMessage *message, const char *bytes, size_t length,
                           ProtocolError *out_error) {
    *message = (ProtocolMessage){0};
    if (protocol_scan(bytes, length, &message->ids, out_error)) {
        message->root = cJSON_ParseWithLengthOpts(bytes, length, NULL, false);
        message->batch = cJSON_IsArray(message->root);
        if (!message->root)
            out_of_memory(out_error); // its grammar is right
        else if (check_shape(message, out_error))
            return true;
    }
    protocol_message_finish(message);
    return false;
}

void protocol_message_finish(ProtocolMessage *message) {
    cJSON_Delete(message->root);
    text_buffer_finish(&message->ids);
    *message = (ProtocolMessage){0};
}

ProtocolNext protocol_message_next(ProtocolMessage *message, ProtocolRequest *out_request,
                                   ProtocolError *out_error) {
    cJSON *element = message->batch ? message->root->child : message->root;
    if (!element) return PROTOCOL_NEXT_NONE;
    if (message->batch)
        cJSON_DetachItemViaPointer(message->root, element);
    else
        message->root = NULL;

    const char *id = message->ids.bytes + message->next_id;
    size_t id_size = strlen(id) + 1;
    message->next_id += id_size;
    *out_request = (ProtocolRequest){.object = element};
    if (id_size > 1) {
        out_request->id = malloc(id_size);
        if (!out_request->id) {
            out_of_memory(out_error);
            return PROTOCOL_NEXT_INVALID;
        }
        memcpy(out_request->id, id, id_size);
    }
    return check_request(out_request, out_error) ? PROTOCOL_NEXT_REQUEST : PROTOCOL_NEXT_INVALID;
}

void protocol_request_finish(ProtocolRequest *request) {
    cJSON_Delete(request->object);
    free(request->id);
    *request = (ProtocolRequest){0};
}

static bool check_shape(const ProtocolMessage *message, ProtocolError *out_error) {
    if (message->batch && !message->root->child) {
        protocol_error_set(out_error, PROTOCOL_INVALID_REQUEST, NULL, "a batch must not be empty");
        return false;
    }
    if (!message->batch && !cJSON_IsObject(message->root)) {
        protocol_error_set(out_error, PROTOCOL_INVALID_REQUEST, NULL,
                           "a message must be a JSON-RPC 2.0 request (an object) or an array of them");
        return false;
    }
    return true;
}

static bool invalid(ProtocolError *out_error, const char *path, const char *message) {
    protocol_error_set(out_error, PROTOCOL_INVALID_REQUEST, path, "%s", message);
    return false;
}

static bool check_request(ProtocolRequest *request, ProtocolError *out_error) {
    const cJSON *object = request->object;
    if (!cJSON_IsObject(object)) return invalid(out_error, NULL, "each element of a batch must be an object");
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(object, "id");
    if (id && !cJSON_IsString(id) && !cJSON_IsNumber(id) && !cJSON_IsNull(id)) {
        free(request->id);
        request->id = NULL;
        return invalid(out_error, "id", "id must be a string, a number or null");
    }
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(object, "jsonrpc");
    if (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0") != 0) {
        return invalid(out_error, "jsonrpc", "jsonrpc must be \"2.0\"");
    }
    const cJSON *method = cJSON_GetObjectItemCaseSensitive(object, "method");
    if (!cJSON_IsString(method)) return invalid(out_error, "method", "method must be a string");
    request->method = method->valuestring;
    request->params = cJSON_GetObjectItemCaseSensitive(object, "params");
    request->notification = !id;
    return true;
}

static void out_of_memory(ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
}
