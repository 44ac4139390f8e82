// The documents of Unreal's JSON Live Link plug-in:
// {"SUBJECT":[{"Name","Parent","Location","Rotation","Scale"},…]} in Unreal's axes, each in a datagram of its
// own.
//
// The plug-in keeps the names and parents of a subject's first document for good and takes only transforms
// from then on, so what goes into which document depends on the names and parents alone, never on a frame's
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
    int place;        // the writer's own
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

// Replaces `text` by the next document; false when all bones have been written. The second and further ones,
// of a character too large for one, are subjects of their own, "NAME[2]" and so on, and each begins with the
// ancestors that its bones need, so that each is a whole skeleton. A document may still turn out longer than
// PROTOCOL_LIVELINK_BYTES where a bone is more than 100 km from its parent, or scaled by 100 or more.
bool protocol_livelink_write(ProtocolLiveLink *subject, TextBuffer *text);
