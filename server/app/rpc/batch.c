#include "rpc/batch.h"

#include <net/server.h>
#include <protocol/reply.h>
#include <stdlib.h>

struct AppBatch {
    size_t unanswered;
    bool is_dropped; // not all of it will be answered
    TextBuffer answers;
};

AppBatch *app_batch_create(AppClient *client) {
    AppBatch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    batch->unanswered = 1; // until the whole message is read
    client->open_batches++;
    return batch;
}

void app_batch_expect(AppBatch *batch) {
    if (batch) batch->unanswered++;
}

void app_batch_add(AppBatch *batch, AppClient *client, const TextBuffer *answer) {
    if (!batch) {
        app_client_send(client, answer);
    } else if (batch->answers.length + answer->length <= NET_MOST_UNREAD_BYTES) {
        protocol_batch_add(&batch->answers, answer);
    } else {
        net_connection_close(client->connection, NET_CLOSE_LONG_BATCH);
        text_buffer_finish(&batch->answers);
        batch->answers.failed = true;
    }
}

void app_batch_drop(AppBatch *batch) {
    if (batch) batch->is_dropped = true;
}

// Of a dropped one nothing is sent, though a connection that makes room for another one can still take a
// message.
bool app_batch_end_one(AppBatch *batch, AppClient *client) {
    if (!batch || --batch->unanswered > 0) return false;
    protocol_batch_end(&batch->answers);
    const bool has_answers = batch->answers.length > 0 || batch->answers.failed;
    if (has_answers && !batch->is_dropped) app_client_send(client, &batch->answers);
    text_buffer_finish(&batch->answers);
    free(batch);
    client->open_batches--;
    return true;
}
