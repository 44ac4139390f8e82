// The handlers of session.*, cluster.*, stream.*, seam.*, fabric.*, world.* and character.*, except
// character.spawn and character.remove.
#pragma once

#include "rpc/requests.h"

void app_handle_session_open(AppCall *call);
void app_handle_session_ping(AppCall *call);
void app_handle_session_look(AppCall *call);
void app_handle_stream_subscribe(AppCall *call);
void app_handle_stream_unsubscribe(AppCall *call);
void app_handle_cluster(AppCall *call); // cluster.* of a server that is in none
void app_handle_character_list(AppCall *call);
void app_handle_character_describe(AppCall *call);
void app_handle_character_reset(AppCall *call);
void app_handle_character_move(AppCall *call);
void app_handle_character_level(AppCall *call);
void app_handle_character_play(AppCall *call);
void app_handle_character_stop(AppCall *call);
void app_handle_character_call(AppCall *call);
void app_handle_seam_list(AppCall *call);
void app_handle_seam_set(AppCall *call);
void app_handle_character_pose(AppCall *call);
void app_handle_character_release(AppCall *call);
void app_handle_fabric_list(AppCall *call);
void app_handle_fabric_get(AppCall *call);
void app_handle_fabric_set(AppCall *call);
void app_handle_fabric_export(AppCall *call);
void app_handle_fabric_save(AppCall *call); // context: AppOptions
void app_handle_world_get(AppCall *call);
void app_handle_world_set(AppCall *call);
void app_handle_world_tornado(AppCall *call);
void app_handle_world_calm(AppCall *call);
