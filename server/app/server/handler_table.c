// Maps each method to its handler; roles, timing and parameters stand in protocol/methods/table.c.
#include "server/handler_table.h"

#include "reload/spawn_loading.h"
#include "rpc/handlers.h"
#include "server/pause.h"
#include "server/simulation.h"

#include <string.h>

void app_methods_init(App *app) {
    const AppMethod methods[PROTOCOL_METHOD_COUNT] = {
        [PROTOCOL_SESSION_OPEN] = {app_handle_session_open, NULL},
        [PROTOCOL_SESSION_PING] = {app_handle_session_ping, NULL},
        [PROTOCOL_SESSION_LOOK] = {app_handle_session_look, NULL},
        [PROTOCOL_SERVER_DESCRIBE] = {app_handle_server_describe, app},
        [PROTOCOL_SERVER_STATS] = {app_handle_server_stats, app},
        [PROTOCOL_CHARACTER_LIST] = {app_handle_character_list, NULL},
        [PROTOCOL_CHARACTER_DESCRIBE] = {app_handle_character_describe, NULL},
        [PROTOCOL_CHARACTER_SPAWN] = {app_handle_character_spawn, &app->reload},
        [PROTOCOL_CHARACTER_REMOVE] = {app_handle_character_remove, &app->reload},
        [PROTOCOL_CHARACTER_RESET] = {app_handle_character_reset, NULL},
        [PROTOCOL_CHARACTER_MOVE] = {app_handle_character_move, NULL},
        [PROTOCOL_CHARACTER_POSE] = {app_handle_character_pose, NULL},
        [PROTOCOL_CHARACTER_RELEASE] = {app_handle_character_release, NULL},
        [PROTOCOL_CHARACTER_LEVEL] = {app_handle_character_level, NULL},
        [PROTOCOL_CHARACTER_PLAY] = {app_handle_character_play, NULL},
        [PROTOCOL_CHARACTER_STOP] = {app_handle_character_stop, NULL},
        [PROTOCOL_CHARACTER_CALL] = {app_handle_character_call, NULL},
        [PROTOCOL_SEAM_LIST] = {app_handle_seam_list, NULL},
        [PROTOCOL_SEAM_SET] = {app_handle_seam_set, NULL},
        [PROTOCOL_FABRIC_LIST] = {app_handle_fabric_list, NULL},
        [PROTOCOL_FABRIC_GET] = {app_handle_fabric_get, NULL},
        [PROTOCOL_FABRIC_SET] = {app_handle_fabric_set, NULL},
        [PROTOCOL_FABRIC_EXPORT] = {app_handle_fabric_export, NULL},
        [PROTOCOL_FABRIC_SAVE] = {app_handle_fabric_save, (void *)app->options},
        [PROTOCOL_WORLD_GET] = {app_handle_world_get, NULL},
        [PROTOCOL_WORLD_SET] = {app_handle_world_set, NULL},
        [PROTOCOL_WORLD_TORNADO] = {app_handle_world_tornado, NULL},
        [PROTOCOL_WORLD_CALM] = {app_handle_world_calm, NULL},
        [PROTOCOL_SIMULATION_PAUSE] = {app_handle_simulation_pause, app},
        [PROTOCOL_SIMULATION_RESUME] = {app_handle_simulation_resume, app},
        [PROTOCOL_SIMULATION_STEP] = {app_handle_simulation_step, app},
        [PROTOCOL_SCRIPT_LIST] = {app_handle_script_list, &app->reload},
        [PROTOCOL_SCRIPT_RELOAD] = {app_handle_script_reload, &app->reload},
        [PROTOCOL_CLUSTER_MOVE] = {app_handle_cluster, NULL}, // a node's router takes them before
        [PROTOCOL_CLUSTER_DRAIN] = {app_handle_cluster, NULL},
        [PROTOCOL_STREAM_SUBSCRIBE] = {app_handle_stream_subscribe, NULL},
        [PROTOCOL_STREAM_UNSUBSCRIBE] = {app_handle_stream_unsubscribe, NULL},
    };
    memcpy(app->rpc.methods, methods, sizeof methods);
}
