// The queue and its limits.
#include "cluster/broker/mailbox.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LETTERS 16384
#define MOST_BYTES   ((size_t)64 << 20)

static bool has_room(const AppMailbox *mailbox, const AppLetter *letter);
static void append(AppMailbox *mailbox, AppLetter *letter);

AppLetter *app_letter_create(AppLetterKind kind, const char *body, size_t length) {
    AppLetter *letter = malloc(sizeof *letter + length + 1);
    if (!letter) return NULL;
    memset(letter, 0, sizeof *letter);
    letter->kind = kind;
    letter->time_ns = uv_hrtime();
    letter->length = length;
    if (length > 0) memcpy(letter->body, body, length);
    letter->body[length] = '\0';
    return letter;
}

AppLetter *app_letter_copy(const AppLetter *letter) {
    AppLetter *copy = malloc(sizeof *copy + letter->length + 1);
    if (copy) memcpy(copy, letter, sizeof *copy + letter->length + 1);
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
        AppLetter *letter = mailbox->first;
        mailbox->first = letter->next;
        free(letter);
    }
    uv_cond_destroy(&mailbox->changed);
    uv_mutex_destroy(&mailbox->mutex);
}

bool app_mailbox_put(AppMailbox *mailbox, AppLetter *letter) {
    if (!letter) return false;
    uv_mutex_lock(&mailbox->mutex);
    const bool taken = !mailbox->closed && has_room(mailbox, letter);
    if (taken) append(mailbox, letter);
    uv_mutex_unlock(&mailbox->mutex);
    if (!taken) free(letter);
    return taken;
}

bool app_mailbox_has_room(AppMailbox *mailbox, size_t bytes) {
    uv_mutex_lock(&mailbox->mutex);
    const bool has_room = mailbox->bytes + bytes + bytes / 64 + 1024 <= MOST_BYTES;
    uv_mutex_unlock(&mailbox->mutex);
    return has_room;
}

bool app_mailbox_put_waiting(AppMailbox *mailbox, AppLetter *letter) {
    if (!letter) return false;
    uv_mutex_lock(&mailbox->mutex);
    while (!mailbox->closed && !has_room(mailbox, letter)) uv_cond_wait(&mailbox->changed, &mailbox->mutex);
    const bool taken = !mailbox->closed;
    if (taken) append(mailbox, letter);
    uv_mutex_unlock(&mailbox->mutex);
    if (!taken) free(letter);
    return taken;
}

AppLetter *app_mailbox_take(AppMailbox *mailbox, uint64_t timeout_ns) {
    const uint64_t deadline_ns = uv_hrtime() + timeout_ns;
    uv_mutex_lock(&mailbox->mutex);
    for (uint64_t now_ns = 0; !mailbox->first && timeout_ns > 0;) {
        now_ns = uv_hrtime();
        if (now_ns >= deadline_ns) break;
        uv_cond_timedwait(&mailbox->changed, &mailbox->mutex, deadline_ns - now_ns);
    }
    AppLetter *letter = mailbox->first;
    if (letter) {
        mailbox->first = letter->next;
        if (!mailbox->first) mailbox->last = NULL;
        mailbox->count--;
        mailbox->bytes -= letter->length;
        uv_cond_broadcast(&mailbox->changed);
    }
    uv_mutex_unlock(&mailbox->mutex);
    return letter;
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

static bool has_room(const AppMailbox *mailbox, const AppLetter *letter) {
    return mailbox->count < MOST_LETTERS &&
           (mailbox->count == 0 || mailbox->bytes + letter->length <= MOST_BYTES);
}

// The receiver stays open while the mailbox is: it is woken under the lock.
static void append(AppMailbox *mailbox, AppLetter *letter) {
    letter->next = NULL;
    if (mailbox->last)
        mailbox->last->next = letter;
    else
        mailbox->first = letter;
    mailbox->last = letter;
    mailbox->count++;
    mailbox->bytes += letter->length;
    uv_cond_broadcast(&mailbox->changed);
    if (mailbox->receiver) uv_async_send(mailbox->receiver);
}
