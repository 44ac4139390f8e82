// The answers to a batch, which wait for each other: they go out as one array.
#pragma once

#include "session/sessions.h"

typedef struct AppBatch AppBatch;

// Returns a batch without answers, to end by app_batch_end_one when its message is read, or NULL without
// memory.
AppBatch *app_batch_create(AppClient *client);

// The functions below do nothing where `batch` is NULL, unless they say otherwise.

// One answer more is to come.
void app_batch_expect(AppBatch *batch);
// Sends an answer at once where `batch` is NULL. Together answers may have NET_MOST_UNREAD_BYTES: else the
// connection ends.
void app_batch_add(AppBatch *batch, AppClient *client, const TextBuffer *answer);
// An answer will not come: nothing of the batch is sent.
void app_batch_drop(AppBatch *batch);
// One answer less is to come; with the last one the batch is sent and freed. Returns true if so.
bool app_batch_end_one(AppBatch *batch, AppClient *client);
