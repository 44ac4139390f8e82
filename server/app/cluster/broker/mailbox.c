// The queue and its limits.
#include "cluster/broker/mailbox.h"

#include <stdlib.h>
#include <string.h>

#define MOST_MESSAGES 16384
#define MOST_BYTES    ((size_t)64 << 20)

static bool has_room(const AppMailbox *mailbox, const AppMessage *message);
static void append(AppMailbox *mailbox, AppMessage *message);

AppMessage *app_message_create(AppMessageKind kind, const char *body, size_t length) {
    AppMessage *message = malloc(sizeof *message + length + 1);
    if (!message) return NULL;
    memset(message, 0, sizeof *message);
    message->kind = kind;
    message->time_ns = uv_hrtime();
    message->length = length;
    if (length > 0) memcpy(message->body, body, length);
    message->body[length] = '\0';
    return message;
}

AppMessage *app_message_copy(const AppMessage *message) {
    AppMessage *copy = malloc(sizeof *copy + message->length + 1);
    if (copy) memcpy(copy, message, sizeof *copy + message->length + 1);
    return copy;
}

bool app_mailbox_init(AppMailbox *mailbox) {
    *mailbox = (AppMailbox){0};
    if (uv_mutex_init(&mailbox->mutex) != 0) return false;
    if (uv_cond_init(&mailbox->changed) == 0) return true;
    uv_mutex_destroy(&mailbox->mutex);
    return false;
}

void app_mailbox_finish(AppMailbox *mailbox) {
    while (mailbox->first) {
        AppMessage *message = mailbox->first;
        mailbox->first = message->next;
        free(message);
    }
    uv_cond_destroy(&mailbox->changed);
    uv_mutex_destroy(&mailbox->mutex);
}

bool app_mailbox_put(AppMailbox *mailbox, AppMessage *message) {
    if (!message) return false;
    uv_mutex_lock(&mailbox->mutex);
    const bool taken = !mailbox->closed && has_room(mailbox, message);
    if (taken) append(mailbox, message);
    uv_mutex_unlock(&mailbox->mutex);
    if (!taken) free(message);
    return taken;
}

bool app_mailbox_has_room(AppMailbox *mailbox, size_t bytes) {
    uv_mutex_lock(&mailbox->mutex);
    const bool has_room = mailbox->bytes + bytes + bytes / 64 + 1024 <= MOST_BYTES;
    uv_mutex_unlock(&mailbox->mutex);
    return has_room;
}

bool app_mailbox_put_waiting(AppMailbox *mailbox, AppMessage *message) {
    if (!message) return false;
    uv_mutex_lock(&mailbox->mutex);
    while (!mailbox->closed && !has_room(mailbox, message)) uv_cond_wait(&mailbox->changed, &mailbox->mutex);
    const bool taken = !mailbox->closed;
    if (taken) append(mailbox, message);
    uv_mutex_unlock(&mailbox->mutex);
    if (!taken) free(message);
    return taken;
}

AppMessage *app_mailbox_take(AppMailbox *mailbox, uint64_t timeout_ns) {
    const uint64_t deadline_ns = uv_hrtime() + timeout_ns;
    uv_mutex_lock(&mailbox->mutex);
    for (uint64_t now_ns = 0; !mailbox->first && timeout_ns > 0;) {
        now_ns = uv_hrtime();
        if (now_ns >= deadline_ns) break;
        uv_cond_timedwait(&mailbox->changed, &mailbox->mutex, deadline_ns - now_ns);
    }
    AppMessage *message = mailbox->first;
    if (message) {
        mailbox->first = message->next;
        if (!mailbox->first) mailbox->last = NULL;
        mailbox->count--;
        mailbox->bytes -= message->length;
        uv_cond_broadcast(&mailbox->changed);
    }
    uv_mutex_unlock(&mailbox->mutex);
    return message;
}

void app_mailbox_set_receiver(AppMailbox *mailbox, uv_async_t *receiver) {
    uv_mutex_lock(&mailbox->mutex);
    mailbox->receiver = receiver;
    uv_mutex_unlock(&mailbox->mutex);
    uv_async_send(receiver);
}

void app_mailbox_close(AppMailbox *mailbox) {
    uv_mutex_lock(&mailbox->mutex);
    mailbox->closed = true;
    mailbox->receiver = NULL;
    uv_cond_broadcast(&mailbox->changed);
    uv_mutex_unlock(&mailbox->mutex);
}

static bool has_room(const AppMailbox *mailbox, const AppMessage *message) {
    return mailbox->count < MOST_MESSAGES &&
           (mailbox->count == 0 || mailbox->bytes + message->length <= MOST_BYTES);
}

// The receiver stays open while the mailbox is: it is woken under the lock.
static void append(AppMailbox *mailbox, AppMessage *message) {
    message->next = NULL;
    if (mailbox->last)
        mailbox->last->next = message;
    else
        mailbox->first = message;
    mailbox->last = message;
    mailbox->count++;
    mailbox->bytes += message->length;
    uv_cond_broadcast(&mailbox->changed);
    if (mailbox->receiver) uv_async_send(mailbox->receiver);
}
