// Asking another node for the time, and answering. Both take place beside the loop, so that a tick in
// progress makes no round trip longer.
#include "cluster/broker/broker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void app_broker_probe(AppBroker *broker, const AppMessage *message) {
    const AppBridgeDef *def = &broker->bridge->def;
    char subject[APP_SUBJECT_SIZE], reply[APP_SUBJECT_SIZE], asked[32];
    snprintf(subject, sizeof subject, "tweed.%s.clock.%.32s", def->cluster, message->name);
    snprintf(reply, sizeof reply, "tweed.%s.time.%s", def->cluster, def->node);
    snprintf(asked, sizeof asked, "%" PRIu64, uv_hrtime());
    natsConnection_PublishRequestString(broker->connection, subject, reply,
                                        asked); // the next one makes up for it
}

void app_broker_on_probe(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                         void *closure) {
    const uint64_t received_ns = uv_hrtime();
    (void)subscription;
    AppBridge *bridge = ((AppBroker *)closure)->bridge;
    char answer[256], time[sizeof bridge->time];
    uv_mutex_lock(&bridge->status_mutex);
    memcpy(time, bridge->time, sizeof time);
    uv_mutex_unlock(&bridge->status_mutex);
    const char *reply = natsMsg_GetReply(msg), *asked = natsMsg_GetData(msg);
    if (time[0] && reply && asked) {
        snprintf(answer, sizeof answer, "%s %.20s %" PRIu64 " %" PRIu64 " %s", bridge->def.node, asked,
                 received_ns, uv_hrtime(), time);
        natsConnection_PublishString(connection, reply, answer);
    }
    natsMsg_Destroy(msg);
}

void app_broker_on_time(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                        void *closure) {
    (void)connection;
    (void)subscription;
    AppBridge *bridge = ((AppBroker *)closure)->bridge;
    app_mailbox_put_waiting(&bridge->in, app_message_create(APP_MESSAGE_TIME, natsMsg_GetData(msg),
                                                            (size_t)natsMsg_GetDataLength(msg)));
    natsMsg_Destroy(msg);
}
