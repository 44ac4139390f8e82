// Acts: what a client does next. An act depends on the seed and its own number alone, so the others stay the
// same where one is left out.
#include "session.h"

#include <string.h>

typedef enum ActKind {
    ACT_ASK,
    ACT_BATCH,
    ACT_MISTAKE,
    ACT_SUBSCRIBE,
    ACT_UNSUBSCRIBE,
    ACT_OPEN,
    ACT_POSE,
    ACT_PAUSE,
    ACT_RESUME,
    ACT_STEP,
    ACT_SPAWN,
    ACT_RELOAD,
    ACT_EDIT,
    ACT_STALL,
    ACT_READ_ON,
    ACT_FLOOD,
    ACT_SHUT_DOWN,
    ACT_VANISH,
    ACT_KINDS
} ActKind;

static const struct {
    const char *name;
    unsigned weight;
} kinds[ACT_KINDS] = {
    [ACT_ASK] = {"asks", 26},
    [ACT_BATCH] = {"sends a batch", 7},
    [ACT_MISTAKE] = {"sends what is no request", 5},
    [ACT_SUBSCRIBE] = {"subscribes", 14},
    [ACT_UNSUBSCRIBE] = {"unsubscribes", 5},
    [ACT_OPEN] = {"opens", 6},
    [ACT_POSE] = {"poses the hand", 14},
    [ACT_PAUSE] = {"pauses", 3},
    [ACT_RESUME] = {"resumes", 4},
    [ACT_STEP] = {"steps", 4},
    [ACT_SPAWN] = {"spawns", 5},
    [ACT_RELOAD] = {"reloads", 2},
    [ACT_EDIT] = {"edits a script", 2},
    [ACT_STALL] = {"stops reading", 3},
    [ACT_READ_ON] = {"reads on", 3},
    [ACT_FLOOD] = {"asks very often", 1},
    [ACT_SHUT_DOWN] = {"sends nothing more", 2},
    [ACT_VANISH] = {"vanishes", 2},
};

static Random random_of(const Session *session, int act);
static ActKind choose_kind(Random *random);
static bool reconnect(Session *session, int slot, Random *random);
static void do_act(Client *client, ActKind kind, Random *random);
static void do_to_connection(Client *client, ActKind kind, Random *random);
static void vanish(void *peer);

uint64_t act_due_ms(const Session *session, int act) {
    uint64_t due_ms = 20;
    for (int i = 0; i <= act; i++) {
        Random random = random_of(session, i);
        random.state ^= 1;
        const unsigned kind = random_below(&random, 100);
        due_ms += kind < 1 ? 6500 : kind < 4 ? 700 : kind < 40 ? 0 : random_below(&random, 70);
    }
    return due_ms;
}

void act_run(Session *session, int act) {
    Random random = random_of(session, act);
    const int slot = 1 + (int)random_below(&random, SESSION_CLIENTS - 1);
    ActKind kind = choose_kind(&random);
    if (session->trace)
        fprintf(session->trace, "%4d at %llu ms: ", act, (unsigned long long)act_due_ms(session, act));
    if (!client_may_act(session->slots[slot])) {
        if (!reconnect(session, slot, &random) && session->trace) fprintf(session->trace, "nothing\n");
        return;
    }
    if (kind == ACT_POSE && slot != 1) kind = ACT_ASK; // one client moves the hand
    if (session->trace)
        fprintf(session->trace, "client %d %s\n", session->slots[slot]->number, kinds[kind].name);
    do_act(session->slots[slot], kind, &random);
}

static Random random_of(const Session *session, int act) {
    Random random = {session->seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)act * 2};
    random.state = random_next(&random);
    return random;
}

static ActKind choose_kind(Random *random) {
    unsigned sum = 0;
    for (ActKind kind = 0; kind < ACT_KINDS; kind++) sum += kinds[kind].weight;
    unsigned place = random_below(random, sum);
    ActKind kind = 0;
    while (place >= kinds[kind].weight) place -= kinds[kind++].weight;
    return kind;
}

// The poses of the one client that moves the hand stay in order: its next connection waits for the end of the
// last.
static bool reconnect(Session *session, int slot, Random *random) {
    const Client *last = session->slots[slot];
    if (last && slot == 1 && !last->has_ended && !last->has_vanished) return false;
    Client *client = client_connect(session, slot, random);
    if (client && session->setup.with_tokens && random_chance(random, 80)) request_open(client, random);
    return client != NULL;
}

static void do_act(Client *client, ActKind kind, Random *random) {
    switch (kind) {
    case ACT_ASK:
        request_send_some(client, random);
        break;
    case ACT_BATCH:
        request_send_batch(client, random);
        break;
    case ACT_MISTAKE:
        request_send_wrong(client, random);
        break;
    case ACT_SUBSCRIBE:
        request_subscribe(client, random, (int)random_below(random, SESSION_SPECS));
        break;
    case ACT_UNSUBSCRIBE:
        request_unsubscribe(client, random);
        break;
    case ACT_OPEN:
        request_open(client, random);
        break;
    case ACT_POSE:
        for (unsigned i = 0, count = 1 + random_below(random, 5); i < count; i++)
            request_pose_hand(client, random);
        break;
    case ACT_PAUSE:
        request_simple(client, "simulation.pause", REQUEST_PAUSE);
        break;
    case ACT_RESUME:
        request_simple(client, "simulation.resume", REQUEST_RESUME);
        break;
    case ACT_STEP:
        if (random_chance(random, 70)) request_simple(client, "simulation.pause", REQUEST_PAUSE);
        request_step(client, random);
        break;
    case ACT_SPAWN:
        request_spawn(client, random);
        break;
    case ACT_RELOAD:
        request_reload(client, random);
        break;
    case ACT_EDIT:
        session_edit_script(client->session, random);
        break;
    case ACT_FLOOD:
        request_flood(client, random,
                      200 + (int)random_below(random, random_chance(random, 30) ? 9000 : 2000));
        break;
    default:
        do_to_connection(client, kind, random);
    }
}

static void do_to_connection(Client *client, ActKind kind, Random *random) {
    switch (kind) {
    case ACT_STALL:
        client->is_stalled = client->was_slow = true;
        break;
    case ACT_READ_ON:
        client->is_stalled = false;
        client_read(client);
        break;
    case ACT_SHUT_DOWN:
        if (client->has_sent_half) client->null_errors++; // its end makes it a line, which is no JSON
        client->has_shut_down = true;
        client->reasons |= 1u << REASON_BY_PEER;
        peer_shut_down(client->peer);
        break;
    default: // in the middle of a message, and of what the server sends
        if (random_chance(random, 50)) client_send(client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"meth", 28);
        client->has_vanished = true;
        if (random_chance(random, 70)) {
            peer_vanish(client->peer);
        } else { // close(2): the server hears of the end, and of the rest when it sends something
            peer_shut_down(client->peer);
            machine_at(machine_now_ns() + random_below(random, 40) * MACHINE_MS, vanish, client->peer);
        }
    }
}

static void vanish(void *peer) {
    peer_vanish(peer);
}
