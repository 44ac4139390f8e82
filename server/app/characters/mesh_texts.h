// The texts of render meshes, encoded on a thread of their own: once for a rig and its axes, whatever
// characters, revisions and views ask for them. On the loop a mesh of 20,000 vertices would delay ticks.
#pragma once

#include <protocol/static.h>
#include <sim/world.h>
#include <stdatomic.h>
#include <uv.h>

typedef enum AppMeshState {
    APP_MESHES_WAIT, // for the thread
    APP_MESHES_ENCODED,
    APP_MESHES_FAILED, // out of memory or without a thread
} AppMeshState;

// The meshes of one rig in one convention.
typedef struct AppMeshText {
    struct AppMeshText *next;
    SimRigId rig;
    ProtocolAxes axes;
    AppMeshState state;
    TextBuffer *texts; // [count], in the rig's order
    size_t count, bytes;
} AppMeshText;

typedef struct AppMeshTexts {
    AppMeshText *first;         // in the order of the requests
    AppMeshText *encoding;      // by the thread; NULL: none
    const SimRigInfo *rig_info; // of `encoding`
    SimWorld *world;
    uv_thread_t thread;
    uv_async_t wake;
    atomic_bool finished;           // the thread has encoded
    void (*encoded)(void *context); // called on the loop when the thread has finished, ticks or not
    void *context;
} AppMeshTexts;

// 0, or libuv's error.
int app_mesh_texts_init(AppMeshTexts *texts, uv_loop_t *loop, SimWorld *world, void (*encoded)(void *context),
                        void *context);
// Waits for the thread. Call before the loop closes its handles.
void app_mesh_texts_stop(AppMeshTexts *texts);
// Call after that, before the world ends.
void app_mesh_texts_finish(AppMeshTexts *texts);

// The texts of a rig's meshes, which are requested if they are not there; ask again after
// app_mesh_texts_update. out_text is set where they are encoded and valid until the next call. A failure is
// forgotten once it is returned. Between ticks only.
AppMeshState app_mesh_texts_get(AppMeshTexts *texts, SimRigId rig, ProtocolAxes axes,
                                const AppMeshText **out_text);

// Takes over what the thread has encoded, and begins with the next. True: some texts wait no longer. Between
// ticks only.
bool app_mesh_texts_update(AppMeshTexts *texts);
