// Messages into the bridge's outbox.
#include "cluster/publish.h"

#include <stdio.h>

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

uint64_t app_cluster_new_number(AppCluster *cluster) {
    return ++cluster->last_number & ~(UINT64_C(1) << 63); // those are of notifications
}

void app_cluster_set_unreachable(ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_NOT_NOW, "method", "the broker of the cluster cannot be reached");
}
