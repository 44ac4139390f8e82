// Messages into the bridge's outbox.
#include "cluster/node/publish.h"

#include <stdio.h>

static bool put(AppCluster *cluster, const char *subject, const char *reply, uint64_t number,
                const TextBuffer *body);

bool app_cluster_publish(AppCluster *cluster, const char *subject, uint64_t number, const TextBuffer *body) {
    char reply[APP_SUBJECT_SIZE] = "";
    if (number > 0)
        snprintf(reply, sizeof reply, "tweed.%s.reply.%s.%llu", cluster->name, cluster->node,
                 (unsigned long long)number);
    return put(cluster, subject, reply, number, body);
}

bool app_cluster_publish_event(AppCluster *cluster, uint64_t epoch, const TextBuffer *body) {
    char subject[APP_SUBJECT_SIZE], origin[APP_SUBJECT_SIZE];
    snprintf(subject, sizeof subject, "tweed.%s.events", cluster->name);
    snprintf(origin, sizeof origin, "%s.%llu", cluster->node, (unsigned long long)epoch);
    return put(cluster, subject, origin, 0, body);
}

uint64_t app_cluster_new_number(AppCluster *cluster) {
    return ++cluster->last_number & ~(UINT64_C(1) << 63); // those are of notifications
}

void app_cluster_set_unreachable(ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_NOT_NOW, "method", "the broker of the cluster cannot be reached");
}

static bool put(AppCluster *cluster, const char *subject, const char *reply, uint64_t number,
                const TextBuffer *body) {
    AppMessage *message = body->failed || !cluster->is_connected
                              ? NULL
                              : app_message_create(APP_MESSAGE_PUBLISH, body->bytes, body->length);
    if (!message) return false;
    snprintf(message->subject, sizeof message->subject, "%s", subject);
    snprintf(message->reply, sizeof message->reply, "%s", reply);
    message->number = number;
    return app_mailbox_put(&cluster->bridge.out, message);
}
