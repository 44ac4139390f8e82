// Lists all bones that cannot be posed, so that the sender of a pose for another character sees them at once.
#include "script/unknown_bones.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <text/nearest.h>

#define MAX_NAMED 8

typedef struct Message {
    char *text; // [SCRIPT_UNKNOWN_BONES_SIZE]
    size_t length;
} Message;

static void append(Message *message, const char *format, ...);
static void append_name(Message *message, const SimRigInfo *rig, const char *name);
static const char *garment_of(const SimRigInfo *rig, const char *name);

void script_describe_unknown_bones(const SimRigInfo *rig, const char *const *names, size_t count,
                                   char out_message[SCRIPT_UNKNOWN_BONES_SIZE]) {
    Message message = {.text = out_message};
    append(&message, "no %s ", count == 1 ? "bone" : "bones");
    for (size_t i = 0; i < count && i < MAX_NAMED; i++) {
        if (i > 0) append(&message, ", ");
        append_name(&message, rig, names[i]);
    }
    if (count > MAX_NAMED) append(&message, " and %zu more", count - MAX_NAMED);
}

int script_posable_bone_count(const SimRigInfo *rig) {
    int count = 0;
    while (count < rig->bone_count && rig->bones[count].kind <= SIM_BONE_DRIVEN) count++;
    return count;
}

static void append(Message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t room = SCRIPT_UNKNOWN_BONES_SIZE - message->length;
    const int written = vsnprintf(message->text + message->length, room, format, arguments);
    va_end(arguments);
    if (written > 0) message->length += (size_t)written < room ? (size_t)written : room - 1;
}

static void append_name(Message *message, const SimRigInfo *rig, const char *name) {
    const char *garment = garment_of(rig, name);
    append(message, "\"%.64s\"", name);
    if (garment) {
        append(message, " that can be posed (it is of the garment \"%s\")", garment);
        return;
    }
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < script_posable_bone_count(rig); i++) text_nearest_offer(&nearest, rig->bones[i].name);
    if (nearest.best) append(message, " (did you mean \"%s\"?)", nearest.best);
}

// The garment that has a bone of that name, or NULL.
static const char *garment_of(const SimRigInfo *rig, const char *name) {
    for (int i = 0; i < rig->garment_count; i++)
        for (int k = 0; k < rig->garments[i].bone_count; k++)
            if (strcmp(rig->bones[rig->garments[i].bones[k].bone].name, name) == 0)
                return rig->garments[i].name;
    return NULL;
}
