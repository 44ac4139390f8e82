// The paths of the HTTP port.
#include "server/http.h"

#include "server/metrics.h"

#include <string.h>
#include <uv.h>

#define STANDSTILL_NS 2000000000ULL // without a tick: the server is not well

typedef void (*Answer)(App *app, const NetHttpRequest *request, NetHttpResponse *out_response);

typedef struct Route {
    const char *path;
    Answer answer;
} Route;

static void answer_health(App *app, const NetHttpRequest *request, NetHttpResponse *out_response);
static void answer_metrics(App *app, const NetHttpRequest *request, NetHttpResponse *out_response);

static const Route routes[] = {
    {"/healthz", answer_health},
    {"/metrics", answer_metrics},
};

void app_http_answer(NetServer *server, const NetHttpRequest *request, NetHttpResponse *out_response) {
    App *app = net_server_user(server);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(routes[i].path, request->path) != 0) continue;
        routes[i].answer(app, request, out_response);
        return;
    }
    app_web_answer(&app->web, request, out_response);
}

// A tick that does not end, or does not come, is an error of the server; a pause is none.
static void answer_health(App *app, const NetHttpRequest *request, NetHttpResponse *out_response) {
    (void)request;
    const bool stands_still = uv_hrtime() > app->stats.alive_ns + STANDSTILL_NS;
    app_web_answer_health(stands_still, app->ticks.newest, app_ticks_are_held(&app->ticks), out_response);
}

static void answer_metrics(App *app, const NetHttpRequest *request, NetHttpResponse *out_response) {
    (void)request;
    TextBuffer *text = &app->sessions.text;
    text_buffer_clear(text);
    app_metrics_write(app, text);
    *out_response = (NetHttpResponse){.status = 200,
                                      .content_type = "text/plain; version=0.0.4; charset=utf-8",
                                      .body = net_buffer_create_text(text)};
    if (!out_response->body) out_response->status = 503;
}
