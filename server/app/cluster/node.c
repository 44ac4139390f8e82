// What the other files of this room share: messages to the bridge, and the claims of the node's characters.
#include "cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool app_cluster_publish(AppCluster *cluster, const char *subject, uint64_t number, const TextBuffer *body) {
    if (body->failed || !cluster->is_connected) return false;
    AppMessage *message = app_message_create(APP_MESSAGE_PUBLISH, body->bytes, body->length);
    if (!message) return false;
    snprintf(message->subject, sizeof message->subject, "%s", subject);
    message->number = number;
    if (number > 0)
        snprintf(message->reply, sizeof message->reply, "tweed.%s.reply.%s.%llu", cluster->name,
                 cluster->node, (unsigned long long)number);
    return app_mailbox_put(&cluster->bridge.out, message);
}

bool app_cluster_publish_event(AppCluster *cluster, uint64_t epoch, const TextBuffer *body) {
    if (body->failed || !cluster->is_connected) return false;
    AppMessage *message = app_message_create(APP_MESSAGE_PUBLISH, body->bytes, body->length);
    if (!message) return false;
    snprintf(message->subject, sizeof message->subject, "tweed.%s.events", cluster->name);
    snprintf(message->reply, sizeof message->reply, "%s.%llu", cluster->node, (unsigned long long)epoch);
    return app_mailbox_put(&cluster->bridge.out, message);
}

void app_cluster_set_unreachable(ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_NOT_NOW, "method", "the broker of the cluster cannot be reached");
}

AppClaim *app_cluster_find_claim(const AppCluster *cluster, const char *name) {
    return script_name_table_owner(&cluster->claims, name);
}

// The entry begins with the node: the bridge knows its own by that.
bool app_cluster_request_claim(AppCluster *cluster, AppClaim *claim, const char *script) {
    TextBuffer body;
    text_buffer_init(&body);
    text_buffer_append_string(&body, "{\"node\":");
    text_buffer_append_quoted(&body, cluster->node);
    text_buffer_append_string(&body, ",\"script\":");
    text_buffer_append_quoted(&body, script);
    if (claim->from[0]) {
        text_buffer_append_string(&body, ",\"from\":");
        text_buffer_append_quoted(&body, claim->from);
    }
    text_buffer_append_char(&body, '}');
    AppMessage *message = body.failed ? NULL : app_message_create(APP_MESSAGE_CLAIM, body.bytes, body.length);
    text_buffer_finish(&body);
    if (message) {
        memcpy(message->name, claim->name, sizeof message->name);
        message->revision = claim->replaces;
    }
    claim->replaces = 0;
    const bool is_requested = app_mailbox_put(&cluster->bridge.out, message);
    claim->state = is_requested ? APP_CLAIM_REQUESTED : APP_CLAIM_DUE;
    return is_requested;
}

AppClaim *app_cluster_claim(AppCluster *cluster, const char *name, const char *script) {
    return app_cluster_claim_from(cluster, name, script, "", 0);
}

AppClaim *app_cluster_claim_from(AppCluster *cluster, const char *name, const char *script, const char *from,
                                 uint64_t epoch) {
    AppClaim *claim = calloc(1, sizeof *claim);
    if (!claim) return NULL;
    snprintf(claim->name, sizeof claim->name, "%s", name);
    snprintf(claim->from, sizeof claim->from, "%s", from);
    claim->replaces = epoch;
    if (!script_name_table_put(&cluster->claims, claim->name, claim)) {
        free(claim);
        return NULL;
    }
    app_cluster_request_claim(cluster, claim, script);
    return claim;
}

void app_cluster_release(AppCluster *cluster, AppClaim *claim) {
    AppMessage *message =
        app_message_create(claim->revision > 0 ? APP_MESSAGE_RELEASE : APP_MESSAGE_YIELD, NULL, 0);
    if (message) {
        memcpy(message->name, claim->name, sizeof message->name);
        message->revision = claim->revision;
        app_mailbox_put(&cluster->bridge.out, message);
    }
    script_name_table_remove(&cluster->claims, claim->name);
    cJSON_Delete(claim->restored);
    cJSON_Delete(claim->saved);
    free(claim);
}

uint64_t app_cluster_new_number(AppCluster *cluster) {
    return ++cluster->last_number & ~(UINT64_C(1) << 63); // those are of notifications
}

double app_directory_node_load(const AppDirectoryNode *member) {
    const cJSON *load = cJSON_GetObjectItemCaseSensitive(member->status, "load");
    return (cJSON_IsNumber(load) ? load->valuedouble : 0) + member->placed;
}
