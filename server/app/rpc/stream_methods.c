// stream.*
#include "rpc/methods.h"
#include "stream/streams.h"

void app_handle_stream_subscribe(AppCall *call) {
    ProtocolView view;
    ProtocolSubscription wish;
    const cJSON *params = call->request->request.params;
    if (!protocol_view_read(params, &view, &wish, &call->error)) return;
    const AppSubscription *subscription =
        app_streams_subscribe(call->rpc->streams, call->client, &view, &wish, &call->error);
    if (!subscription) return;
    const AppCharacters *characters = call->rpc->characters;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "view", (uint64_t)subscription->view->id);
    cJSON *names = app_json_list(&call->json, call->result, "characters");
    for (size_t slot = 0; slot < characters->count; slot++)
        if (app_bitset_has(&subscription->view->members, slot))
            app_json_string(&call->json, names, NULL, characters->items[slot]->name);
}

void app_handle_stream_unsubscribe(AppCall *call) {
    const int view = (int)protocol_param_integer(call->params, "view");
    if (!app_streams_unsubscribe(call->client, view))
        protocol_error_set(&call->error, PROTOCOL_NOT_FOUND, "params.view", "this connection has no view %d",
                           view);
}
