// The documents of Unreal's JSON Live Link plug-in:
// {"SUBJECT":[{"Name","Parent","Location","Rotation","Scale"},…]} in Unreal's axes, each in a datagram of its
// own.
//
// The plug-in keeps the names and parents of a subject's first document for ever and takes only transforms
// from later ones. The choice of bones for a document therefore depends on names and parents alone, not on
// numbers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/buffer.h>

// No document is longer: UDP takes 65,507 bytes.
#define PROTOCOL_LIVELINK_BYTES 60000

typedef struct ProtocolLiveLinkBone {
    const char *name;
    int parent;       // index into the bones, below this one's; -1 = a root
    float matrix[16]; // column-major, canonical axes, metres, finite: in the parent's space; of a root in the
                      // world
    int index;        // private to the writer
} ProtocolLiveLinkBone;

// Start with these four set and the rest zero.
typedef struct ProtocolLiveLink {
    const char *character;
    ProtocolLiveLinkBone *bones; // [bone_count], parents first
    size_t bone_count;
    int parts;       // documents written
    size_t next;     // the first bone that no document has
    size_t left_out; // bones whose ancestors alone fill a document
} ProtocolLiveLink;

// Replaces `text` by the next document; false when all bones have been written. A character too large for one
// document continues as the subjects "NAME[2]" and so on. Each begins with the ancestors of its bones and so
// is a whole skeleton. A document is longer than PROTOCOL_LIVELINK_BYTES where a bone is more than 100 km
// from its parent, or scaled by 100 or more.
bool protocol_livelink_write(ProtocolLiveLink *subject, TextBuffer *text);
