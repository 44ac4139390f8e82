// Requests: their texts, and what the protocol's document says of their answers.
#include "session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct Line {
    char *text;
    size_t length, capacity;
} Line;

enum { COMMAND = 1, OPERATOR = 2, FAILS = 4, STATS = 8 };

// A request that any client may send. COMMAND: an operator may, and the result has the tick. FAILS: there is
// no result. Parameters are in single quotes; %N is a character's name.
typedef struct Sample {
    const char *method;
    unsigned flags;
    const char *params;
    int codes[SESSION_CODES]; // of errors, beside a result; 0 ends them
} Sample;

static const Sample samples[] = {
    {"session.ping", 0, "", {0}},
    {"session.ping", 0, "{}", {0}},
    {"server.describe", 0, "", {0}},
    {"server.stats", STATS, "", {0}},
    {"character.list", 0, "", {0}},
    {"character.describe", 0, "{'character':'%N'}", {-32001}},
    {"character.describe", 0, "{'character':'%N','axes':'blender','mesh':true}", {-32001}},
    {"character.remove", COMMAND, "{'character':'d1'}", {-32001, -32003}},
    {"character.reset", COMMAND, "{'character':'alan'}", {-32001, -32004}},
    {"character.move", COMMAND, "{'character':'alan','position':[1,0,2],'teleport':true}", {0}},
    {"character.pose",
     COMMAND,
     "{'character':'alan','space':'parent','bones':{'Hips':{'position':[0,1.1,0]}}}",
     {0}},
    {"character.release", COMMAND, "{'character':'alan'}", {0}},
    {"character.play", COMMAND, "{'character':'alan','clip':'walk','loop':true}", {0}},
    {"character.stop", COMMAND, "{'character':'alan'}", {0}},
    {"character.call", COMMAND, "{'character':'alan','command':'echo','arguments':{'a':[1,2]}}", {-32004}},
    {"character.call", COMMAND | FAILS, "{'character':'alan','command':'fail'}", {-32004}},
    {"character.level", COMMAND, "{'character':'alan','level':'reduced'}", {0}},
    {"seam.list", 0, "{'character':'alan'}", {0}},
    {"seam.set", COMMAND, "{'character':'alan','seam':'front','closed':false}", {0}},
    {"seam.set", COMMAND, "{'character':'alan','seam':'front','closed':true}", {0}},
    {"fabric.list", 0, "", {0}},
    {"fabric.get", 0, "{'fabric':'plain'}", {0}},
    {"fabric.set", COMMAND, "{'fabric':'plain','values':{'damping':3}}", {0}},
    {"fabric.set",
     COMMAND,
     "{'character':'alan','garment':'cape','values':{'edge':{'max_distance':1.1}}}",
     {0}},
    {"fabric.export", 0, "{'fabric':'plain'}", {0}},
    {"world.get", 0, "", {0}},
    {"world.set", COMMAND, "{'wind':{'velocity':[3,0,1],'gust':1}}", {0}},
    {"world.set", COMMAND, "{'gravity':[0,-9.81,0],'ground':false}", {0}},
    {"world.tornado", COMMAND, "{'name':'t','position':[2,0,0],'radius':1,'strength':5,'lift':1}", {0}},
    {"world.calm", COMMAND, "{'name':'t'}", {-32001}},
    {"script.list", 0, "", {0}},
    // Mistakes.
    {"session.ping", FAILS, "{'speed':1}", {-32602}},
    {"session.ping", FAILS, "[1]", {-32602}},
    {"session.pong", FAILS, "", {-32601}},
    {"character.move", OPERATOR | FAILS, "{'character':'alan','position':[1,0]}", {-32602}},
    {"character.pose", OPERATOR | FAILS, "{'character':'alan','space':'sideways','bones':{}}", {-32602}},
    {"character.pose",
     OPERATOR | FAILS,
     "{'character':'alan','space':'parent','bones':{'Tail':{'position':[0,1,0]}}}",
     {-32001, -32602}},
    {"character.spawn", OPERATOR | FAILS, "{'script':'characters/nobody'}", {-32001, -32602, -32003}},
    {"fabric.set", OPERATOR | FAILS, "{'fabric':'plain','values':{'damping':-3}}", {-32602}},
    {"world.set", OPERATOR | FAILS, "{'wind':{'gust':99}}", {-32602}},
    {"simulation.step", OPERATOR | FAILS, "{'ticks':0}", {-32602}},
    {"stream.subscribe", FAILS, "{'precision':9}", {-32602}},
    {"stream.unsubscribe", FAILS, "{'view':4000}", {-32001}},
    {"session.look", 0, "{'position':[0,1,3]}", {0}},
    {"cluster.drain", OPERATOR | FAILS, "{'node':'a'}", {-32003, -32002, -32601, -32602, -32001}},
};

static void put(Line *line, const char *format, ...);
static Request *put_request(Client *client, Line *line, Random *random, const Sample *sample,
                            bool is_notification);
static const Sample *find_sample(const char *method);
static void allow(Client *client, Request *request, const Sample *sample);
static Request *begin(Client *client, Line *line, const char *method, RequestKind kind, bool needs_operator);
static void send_line(Client *client, Line *line);
static const char *some_name(Random *random);

void request_send_some(Client *client, Random *random) {
    Line line = {0};
    const unsigned count = random_chance(random, 70) ? 1 : 1 + random_below(random, 8); // pipelined
    for (unsigned i = 0; i < count; i++) {
        put_request(client, &line, random, &samples[random_below(random, sizeof samples / sizeof *samples)],
                    random_chance(random, 15));
        put(&line, random_chance(random, 10) ? "\r\n\n" : "\n");
    }
    send_line(client, &line);
}

void request_send_batch(Client *client, Random *random) {
    Line line = {0};
    const unsigned count = 1 + random_below(random, 6);
    const int batch = ++client->batch_count;
    put(&line, "[");
    for (unsigned i = 0; i < count; i++) {
        if (i > 0) put(&line, ",");
        Request *request = put_request(client, &line, random,
                                       &samples[random_below(random, sizeof samples / sizeof *samples)],
                                       random_chance(random, 20));
        if (request) request->batch = batch;
    }
    put(&line, "]\n");
    send_line(client, &line);
}

// What is no request, or not one line.
void request_send_wrong(Client *client, Random *random) {
    Line line = {0};
    Request *request;
    switch (random_below(random, 7)) {
    case 0:
        put(&line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\"\n");
        client->null_errors++;
        break;
    case 1:
        put(&line, "\x01\xff\xfe what?\n");
        client->null_errors++;
        break;
    case 2:
        put(&line, "[]\n");
        client->null_errors++;
        break;
    case 3:
        request = client_expect(client, "nothing", REQUEST_OTHER);
        request->is_early = true;
        request_allow(request, -32600);
        put(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":5}\n", request->id);
        break;
    case 4: // over the limit
        put(&line, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"session.ping\",\"params\":{\"a\":\"%0*d\"}}\n",
            70000 + (int)random_below(random, 30000), 0);
        client->null_errors++;
        break;
    case 5: // a line without its end; what follows is part of it, unless nothing does
        put(&line, "   ");
        send_line(client, &line);
        client->has_sent_half = true;
        return;
    default:
        if (client->has_sent) return;
        put(&line, random_chance(random, 50) ? "GET /v1 HTTP/1.1\r\n" : "\x16\x03\x01\x02\x05\x01\n");
        client->reasons |= 1u << (line.text[0] == 'G' ? REASON_HTTP : REASON_TLS);
        client->reasons |= 1u << REASON_RESET;
    }
    send_line(client, &line);
}

void request_subscribe(Client *client, Random *random, int spec) {
    Line line = {0};
    static const double rates[] = {1, 7, 10, 24, 1000};
    Request *request = begin(client, &line, "stream.subscribe", REQUEST_SUBSCRIBE, false);
    if (request->code_count > 0 && request->codes[0] == 0) request_allow(request, -32003);
    request->spec = spec;
    put(&line, "{%s", client->session->setup.specs[spec].params);
    if (client->slot == 0 || random_chance(random, 25)) {
        request->queue = true;
        put(&line, ",\"policy\":\"queue\"");
    }
    if (client->slot > 0 && random_chance(random, 35))
        put(&line, ",\"rate\":%g", request->rate = rates[random_below(random, 5)]);
    if (client->slot > 0 && random_chance(random, 30)) {
        request->bare = true;
        put(&line, ",\"static\":false");
    } else if (random_chance(random, 15)) {
        request->mesh = true;
        put(&line, ",\"mesh\":true");
    }
    put(&line, "}}\n");
    send_line(client, &line);
}

void request_unsubscribe(Client *client, Random *random) {
    if (client->view_count == 0) return;
    View *view = &client->views[random_below(random, (unsigned)client->view_count)];
    Line line = {0};
    Request *request = begin(client, &line, "stream.unsubscribe", REQUEST_UNSUBSCRIBE, false);
    if (request->code_count > 0 && request->codes[0] == 0) request_allow(request, -32001);
    request->view = view->id;
    view->is_ending = true;
    put(&line, "{\"view\":%d}}\n", view->id);
    send_line(client, &line);
}

void request_open(Client *client, Random *random) {
    const bool with_tokens = client->session->setup.with_tokens;
    const unsigned how = client->slot == 0 ? 0 : random_below(random, 10); // 0…5 operator, 6, 7 observer
    Line line = {0};
    Request *request = client_expect(client, "session.open", REQUEST_OPEN);
    request->has_events = client->slot == 0 || random_chance(random, 70);
    put(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"session.open\",\"params\":{\"events\":%s",
        request->id, request->has_events ? "true" : "false");
    if (random_chance(random, 50)) put(&line, ",\"client\":\"c\\u00e4\\n%d\"", client->number);
    if (how == 8) {
        put(&line, ",\"protocol\":2}}\n");
        request_allow(request, -32010);
    } else if (how == 9 && with_tokens) {
        put(&line, ",\"token\":\"%s\"}}\n", "nobody-has-this-one");
        request_allow(request, -32002);
        client->reasons |= 1u << REASON_WRONG_TOKEN;
        client->role = 0; // in what it gets until it is closed
    } else {
        if (with_tokens)
            put(&line, ",\"token\":\"%s\"", how < 6 ? "operator-0123456789" : "observer-0123456789");
        if (how == 7 || how == 6) put(&line, ",\"role\":\"observer\"");
        put(&line, "}}\n");
        request_allow(request, 0);
        if (with_tokens) client->granted = how < 6 || how == 9 ? 2 : 1;
        client->role = how == 6 || how == 7 ? 1 : client->granted;
    }
    send_line(client, &line);
}

// The number of the pose says where it puts the hand.
void request_pose_hand(Client *client, Random *random) {
    Line line = {0};
    const uint64_t sequence = ++client->session->sequence;
    if (random_chance(random, 60)) { // as a notification; it fails silently without the role
        put(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"character.pose\",\"params\":");
    } else {
        Request *request = begin(client, &line, "character.pose", REQUEST_POSE, true);
        request->sequence = sequence;
    }
    put(&line,
        "{\"character\":\"drone\",\"space\":\"parent\",\"sequence\":%llu,\"bones\":{\"Hand\":{\"position\":[%"
        ".2f,0,0]}}}}\n",
        (unsigned long long)sequence, (double)(sequence % 1000) * .01);
    send_line(client, &line);
}

void request_step(Client *client, Random *random) {
    Session *session = client->session;
    Line line = {0};
    Request *request = begin(client, &line, "simulation.step", REQUEST_STEP, true);
    if (request->codes[0] == 0) request_allow(request, -32003);
    request->ticks = 1 + random_below(random, 20);
    request->base =
        session->is_paused && session->steps_sent == session->steps_answered ? session->base : UINT64_MAX;
    request->step = ++session->steps_sent;
    request->epoch = session->pause_epoch;
    session->steps_asked += request->ticks;
    put(&line, "{\"ticks\":%llu}}\n", (unsigned long long)request->ticks);
    send_line(client, &line);
}

void request_spawn(Client *client, Random *random) {
    Line line = {0};
    Request *request = begin(client, &line, "character.spawn", REQUEST_COMMAND, true);
    if (request->codes[0] == 0) {
        request_allow(request, -32003);
        request_allow(request, -32602);
        request_allow(request, -32004);
    }
    put(&line, "{\"script\":\"characters/%s\",\"name\":\"d%u\"}}\n",
        random_chance(random, 60) ? "doll" : "drone", random_below(random, 4));
    send_line(client, &line);
}

void request_reload(Client *client, Random *random) {
    Line line = {0};
    Request *request = begin(client, &line, "script.reload", REQUEST_OTHER, true);
    static const char *const scripts[] = {"characters/doll", "characters/drone", "fabrics/plain",
                                          "scenes/stage"};
    if (request->codes[0] == 0) {
        request_allow(request, -32004);
        request_allow(request, -32001);
    }
    if (random_chance(random, 40))
        put(&line, "{}}\n");
    else
        put(&line, "{\"script\":\"%s\"}}\n", scripts[random_below(random, 4)]);
    send_line(client, &line);
}

void request_flood(Client *client, Random *random, int count) {
    Line line = {0};
    for (int i = 0; i < count; i++) {
        put_request(client, &line, random,
                    find_sample(random_chance(random, 80) ? "world.get" : "session.ping"), false);
        put(&line, "\n");
    }
    send_line(client, &line);
}

void request_simple(Client *client, const char *method, RequestKind kind) {
    Line line = {0};
    client->session->has_resumed |= kind == REQUEST_RESUME;
    begin(client, &line, method, kind, strncmp(method, "simulation", 10) == 0);
    put(&line, "{}}\n");
    send_line(client, &line);
}

static void put(Line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (line->length + (size_t)length + 1 > line->capacity) {
        line->capacity = 2 * (line->length + (size_t)length + 1);
        line->text = realloc(line->text, line->capacity);
        if (!line->text) abort();
    }
    va_start(arguments, format);
    line->length +=
        (size_t)vsnprintf(line->text + line->length, line->capacity - line->length, format, arguments);
    va_end(arguments);
}

static Request *put_request(Client *client, Line *line, Random *random, const Sample *sample,
                            bool is_notification) {
    Request *request = NULL;
    const size_t begins = line->length;
    if (strcmp(sample->method, "character.remove") == 0) client->session->has_removed = true;
    put(line, "{\"jsonrpc\":\"2.0\",");
    if (!is_notification) {
        request = client_expect(client, sample->method,
                                sample->flags & COMMAND ? REQUEST_COMMAND
                                : sample->flags & STATS ? REQUEST_STATS
                                                        : REQUEST_OTHER);
        allow(client, request, sample);
        put(line, "\"id\":%s,", request->id);
    }
    put(line, "\"method\":\"%s\"", sample->method);
    const char *name = sample->params[0] ? strstr(sample->params, "%N") : NULL;
    if (name)
        put(line, ",\"params\":%.*s%s%s", (int)(name - sample->params), sample->params, some_name(random),
            name + 2);
    else if (sample->params[0])
        put(line, ",\"params\":%s", sample->params);
    put(line, "}");
    for (char *quote = line->text + begins; (quote = strchr(quote, '\''));) *quote = '"';
    return request;
}

static const Sample *find_sample(const char *method) {
    const Sample *sample = samples;
    while (strcmp(sample->method, method) != 0) sample++;
    return sample;
}

// Who has no role is told so first; whose role does not suffice, before the parameters are looked at.
static void allow(Client *client, Request *request, const Sample *sample) {
    if (client->role == 0 || (client->role == 1 && sample->flags & (COMMAND | OPERATOR))) {
        request_allow(request, -32002);
        return;
    }
    if (!(sample->flags & FAILS)) request_allow(request, 0);
    for (int i = 0; i < SESSION_CODES && sample->codes[i] != 0; i++) request_allow(request, sample->codes[i]);
}

// Up to its params.
static Request *begin(Client *client, Line *line, const char *method, RequestKind kind, bool needs_operator) {
    Request *request = client_expect(client, method, kind);
    request_allow(request, client->role == 0 || (client->role == 1 && needs_operator) ? -32002 : 0);
    put(line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":", request->id, method);
    return request;
}

static void send_line(Client *client, Line *line) {
    client_send(client, line->text, line->length);
    free(line->text);
}

static const char *some_name(Random *random) {
    static const char *const names[] = {"alan", "drone", "d0", "d1", "nobody"};
    return names[random_below(random, 5)];
}
