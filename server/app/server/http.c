// The paths of the HTTP port.
#include "server/http.h"

#include "base/json.h"
#include "base/paths.h"
#include "server/metrics.h"

#include <protocol/reply.h>
#include <string.h>
#include <uv.h>

#define OPENRPC_BYTES (16 << 20)    // at most
#define STANDSTILL_NS 2000000000ULL // without a tick: the server is not well

typedef void (*Answer)(App *app, const NetHttpRequest *request, NetHttpResponse *out_response);

typedef struct Route {
    const char *path;
    Answer answer;
} Route;

static void answer_openrpc(App *app, const NetHttpRequest *request, NetHttpResponse *out_response);
static void answer_health(App *app, const NetHttpRequest *request, NetHttpResponse *out_response);
static void answer_metrics(App *app, const NetHttpRequest *request, NetHttpResponse *out_response);
static void answer_without_page(NetHttpResponse *out_response);

static const Route routes[] = {
    {"/openrpc.json", answer_openrpc},
    {"/healthz", answer_health},
    {"/metrics", answer_metrics},
};

void app_http_init(App *app) {
    char path[APP_PATH_BYTES];
    app_paths_find_web(app->options, path, sizeof path);
    app_web_init(&app->web, path, &app->log);
    app_paths_find_openrpc(path, sizeof path);
    app->openrpc = app_web_read_file(path, OPENRPC_BYTES);
    if (app->openrpc) app_web_set_etag(app->openrpc, app->openrpc_etag);
}

void app_http_finish(App *app) {
    app_web_finish(&app->web);
    net_buffer_release(app->openrpc);
}

void app_http_answer(NetServer *server, const NetHttpRequest *request, NetHttpResponse *out_response) {
    App *app = net_server_user(server);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(routes[i].path, request->path) != 0) continue;
        routes[i].answer(app, request, out_response);
        return;
    }
    if (!app_web_answer(&app->web, request, out_response) && strcmp(request->path, "/") == 0)
        answer_without_page(out_response);
}

static void answer_openrpc(App *app, const NetHttpRequest *request, NetHttpResponse *out_response) {
    (void)request;
    if (!app->openrpc) return;
    *out_response = (NetHttpResponse){.status = 200,
                                      .content_type = "application/json",
                                      .body = net_buffer_retain(app->openrpc),
                                      .etag = app->openrpc_etag};
}

// A tick that does not end, or does not come, is an error of the server; a pause is none.
static void answer_health(App *app, const NetHttpRequest *request, NetHttpResponse *out_response) {
    (void)request;
    const bool stands_still = uv_hrtime() > app->stats.alive_ns + STANDSTILL_NS;
    AppJson json = {0};
    cJSON *health = app_json_root_object(&json);
    app_json_string(&json, health, "status", stands_still ? "standstill" : "ok");
    app_json_integer(&json, health, "tick", app->ticks.newest);
    app_json_bool(&json, health, "paused", app_ticks_are_paused(&app->ticks));
    TextBuffer *text = &app->sessions.text;
    text_buffer_clear(text);
    if (!json.failed) protocol_write_json(text, health);
    text_buffer_append_char(text, '\n');
    cJSON_Delete(health);
    *out_response = (NetHttpResponse){.status = stands_still ? 503 : 200,
                                      .content_type = "application/json",
                                      .body = net_buffer_create_copy(text->bytes, text->length)};
}

static void answer_metrics(App *app, const NetHttpRequest *request, NetHttpResponse *out_response) {
    (void)request;
    TextBuffer *text = &app->sessions.text;
    text_buffer_clear(text);
    app_metrics_write(app, text);
    *out_response =
        (NetHttpResponse){.status = 200,
                          .content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length)};
    if (!out_response->body) out_response->status = 503;
}

static void answer_without_page(NetHttpResponse *out_response) {
    static const char page[] =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>tweed</title>\n"
        "<h1>tweed " TWEED_VERSION " is running</h1>\n"
        "<p>The page that shows its characters is not built. In a clone of tweed, <code>./dev build</code> "
        "builds "
        "it; that takes npm.</p>\n"
        "<p>Meanwhile: WebSocket at <code>/v1</code>, <a href=\"/openrpc.json\">the protocol</a>, "
        "<a href=\"/healthz\">health</a>, "
        "<a href=\"/metrics\">metrics</a>.</p>\n</html>\n";
    *out_response = (NetHttpResponse){.status = 200,
                                      .content_type = "text/html; charset=utf-8",
                                      .body = net_buffer_create_copy(page, sizeof page - 1)};
}
