// Plays clips: a stack of layers, each fading in over those below.
#include "motion/player.h"

#include "core/rotation.h"

#include <math.h>
#include <string.h>

// Two times of a clip and the share of the second: a loop's end fades into its beginning.
typedef struct ClipBlend {
    float time[2];
    float share; // of the second
} ClipBlend;

// A time of a clip: the frame before it, and the share of the next.
typedef struct ClipPlace {
    int frame;
    float share;
} ClipPlace;

// What is the same for all bones of a layer.
typedef struct Sampler {
    int clip; // -1: the rest pose
    ClipPlace places[2];
    float share; // of the second
} Sampler;

static bool is_still(const SimPlayerLayer *layer, const SimRig *rig);
static float weight(const SimPlayerLayer *layer);
static float duration(const SimClipDef *clip);
static Sampler sampler_of(const SimRig *rig, const SimPlayerLayer *layer);
static void sample(const SimRig *rig, const Sampler *sampler, int bone, SimTransform *out);
static ClipPlace place_in(const SimClipDef *clip, float time);
static ClipBlend moment(const SimClipDef *clip, const SimPlayerLayer *layer);
static double loop_period(const SimClipDef *clip);
static float loop_blend(const SimClipDef *clip);
static void sample_bone(const SimRig *rig, int clip, ClipPlace place, int bone, SimTransform *out);
static float share(const SimPlayerLayer *layer);
static void add_layer(const SimRig *rig, const SimPlayerLayer *layer, SimTransform *pose);
static void add_bone(const SimTransform *first, const SimTransform *now, float part, SimTransform *pose);
static void advance_added(SimPlayer *player, float dt);
static void layer_step(const SimRig *rig, const SimPlayerLayer *before, const SimPlayerLayer *after,
                       float out[3]);
static void root_between(const SimClipDef *clip, float from, float to, float out[3]);
static void root_at(const SimClipDef *clip, float time, float out[3]);
static void step_over_seam(const SimClipDef *clip, float from, float to, float out[3]);
static void append_step(const float step[3], float sum[3]);
static void add(SimPlayer *player, SimPlayerLayer layer);
static void take_away(SimPlayer *player, int clip, float fade);
static void push(SimPlayer *player, SimPlayerLayer layer);
static bool is_on_top(const SimPlayer *player, int clip);

bool sim_player_is_still(const SimPlayer *player, const SimRig *rig) {
    for (int i = 0; i < player->added_count; i++)
        if (!is_still(&player->added[i], rig)) return false;
    return player->count == 0 || (player->count == 1 && is_still(&player->layers[0], rig));
}

// Not in lanes: each character has its own clips and times, so lanes would have to gather every key.
void sim_player_sample(const SimPlayer *player, const SimRig *rig, SimTransform *out_local) {
    memcpy(out_local, rig->rest_local, (size_t)rig->posed_bone_count * sizeof *out_local);
    for (int i = 0; i < player->count; i++) {
        const Sampler sampler = sampler_of(rig, &player->layers[i]);
        const float share = weight(&player->layers[i]);
        for (int bone = 0; bone < rig->posed_bone_count; bone++) {
            SimTransform pose;
            sample(rig, &sampler, bone, &pose);
            if (share >= 1.0f)
                out_local[bone] = pose;
            else
                sim_transform_mix(&out_local[bone], &pose, share, &out_local[bone]);
        }
    }
    for (int i = 0; i < player->added_count; i++) add_layer(rig, &player->added[i], out_local);
}

void sim_player_advance(SimPlayer *player, const SimRig *rig, float dt, SimTransform *out_root) {
    float sum[3] = {0.0f, 0.0f, 0.0f};
    int covered = 0;
    *out_root = SIM_TRANSFORM_IDENTITY;
    if (player->held) return;
    advance_added(player, dt);
    for (int i = 0; i < player->count; i++) {
        SimPlayerLayer *layer = &player->layers[i], before = *layer;
        layer->time += (double)dt * (double)layer->speed;
        layer->age += dt;
        float step[3], share = weight(layer);
        layer_step(rig, &before, layer, step);
        for (int k = 0; k < 3; k++) sum[k] += share * (step[k] - sum[k]);
        if (share >= 1.0f) covered = i;
    }
    // Layers that are fully covered end.
    for (int i = covered; i < player->count; i++) player->layers[i - covered] = player->layers[i];
    player->count -= covered;
    *out_root =
        (SimTransform){{sum[0], 0.0f, sum[1]}, {0.0f, sim_sin(0.5f * sum[2]), 0.0f, sim_cos(0.5f * sum[2])}};
}

void sim_player_play(SimPlayer *player, int clip, const SimPlay *play) {
    const SimPlayerLayer layer = {.clip = clip,
                                  .loop = play->loop,
                                  .speed = play->speed,
                                  .time = (double)play->at,
                                  .fade = play->fade,
                                  .in_place = play->in_place,
                                  .weight = play->weight};
    if (play->additive)
        add(player, layer);
    else
        push(player, layer);
}

bool sim_player_plays(const SimPlayer *player, int clip) {
    for (int i = 0; i < player->added_count; i++)
        if (clip < 0 || player->added[i].clip == clip) return true;
    return is_on_top(player, clip);
}

void sim_player_stop(SimPlayer *player, int clip, float fade) {
    if (sim_player_plays(player, clip)) player->held = false;
    take_away(player, clip, fade);
    if (is_on_top(player, clip)) push(player, (SimPlayerLayer){.clip = -1, .speed = 1.0f, .fade = fade});
}

static bool is_still(const SimPlayerLayer *layer, const SimRig *rig) {
    if (weight(layer) < 1.0f) return false;
    if (layer->clip < 0 || layer->speed == 0.0f || rig->clip_is_still[layer->clip]) return true;
    const SimClipDef *clip = &rig->clips[layer->clip];
    if (layer->loop) return false;
    return layer->speed > 0.0f ? layer->time >= (double)duration(clip) : layer->time <= 0.0;
}

static float weight(const SimPlayerLayer *layer) {
    return layer->fade > 0.0f ? glm_smoothstep(0.0f, layer->fade, layer->age) : 1.0f;
}

static float duration(const SimClipDef *clip) {
    return (float)(clip->frame_count - 1) / clip->rate;
}

static Sampler sampler_of(const SimRig *rig, const SimPlayerLayer *layer) {
    if (layer->clip < 0) return (Sampler){.clip = -1};
    const SimClipDef *clip = &rig->clips[layer->clip];
    const ClipBlend now = moment(clip, layer);
    return (Sampler){layer->clip, {place_in(clip, now.time[0]), place_in(clip, now.time[1])}, now.share};
}

static void sample(const SimRig *rig, const Sampler *sampler, int bone, SimTransform *out) {
    if (sampler->clip < 0) {
        *out = rig->rest_local[bone];
        return;
    }
    sample_bone(rig, sampler->clip, sampler->places[0], bone, out);
    if (sampler->share <= 0.0f) return;
    SimTransform late;
    sample_bone(rig, sampler->clip, sampler->places[1], bone, &late);
    sim_transform_mix(out, &late, sampler->share, out);
}

static ClipBlend moment(const SimClipDef *clip, const SimPlayerLayer *layer) {
    float end = duration(clip);
    if (!layer->loop) return (ClipBlend){{glm_clamp((float)layer->time, 0.0f, end)}, 0.0f};
    double period = loop_period(clip);
    double cycle = floor(layer->time / period);
    float phase = (float)(layer->time - cycle * period), blend = loop_blend(clip);
    bool begins = cycle == 0.0 && layer->speed >= 0.0f; // nothing came before
    if (begins || blend <= 0.0f || phase >= blend) return (ClipBlend){{phase}, 0.0f};
    return (ClipBlend){{phase, phase + (float)period}, 1.0f - glm_smoothstep(0.0f, blend, phase)};
}

// A loop's period is shorter than the clip: its last loop_blend seconds are laid over its first ones.
static double loop_period(const SimClipDef *clip) {
    double period = (double)duration(clip) - (double)loop_blend(clip);
    return period > 1e-6 ? period : 1e-6;
}

static float loop_blend(const SimClipDef *clip) {
    return fminf(clip->loop_blend, 0.5f * duration(clip));
}

static void sample_bone(const SimRig *rig, int index, ClipPlace place, int bone, SimTransform *out) {
    const SimClipDef *clip = &rig->clips[index];
    const size_t bones = (size_t)rig->posed_bone_count, key = (size_t)place.frame * bones + (size_t)bone;
    if (clip->frame_count == 1) {
        glm_vec4_copy((float *)clip->rotations[key], out->rotation);
        glm_quat_normalize(out->rotation);
    } else {
        const SimKeyArc *measured = &rig->key_arcs[index][key];
        const SimArc arc = {clip->rotations[key], clip->rotations[key + bones], 1.0f, measured->angle,
                            measured->sine};
        sim_arc_at(&arc, place.share, out->rotation);
    }
    const size_t next = clip->frame_count > 1 ? key + bones : key;
    if (clip->positions)
        glm_vec3_lerp((float *)clip->positions[key], (float *)clip->positions[next], place.share,
                      out->position);
    else
        glm_vec3_copy(rig->rest_local[bone].position, out->position);
}

// The share of an additive layer.
static float share(const SimPlayerLayer *layer) {
    return layer->from + (layer->weight - layer->from) * weight(layer);
}

static ClipPlace place_in(const SimClipDef *clip, float time) {
    float at = glm_clamp(time * clip->rate, 0.0f, (float)(clip->frame_count - 1));
    int frame = (int)at;
    if (frame > clip->frame_count - 2) frame = clip->frame_count > 1 ? clip->frame_count - 2 : 0;
    return (ClipPlace){frame, clip->frame_count > 1 ? at - (float)frame : 0.0f};
}

static void add_layer(const SimRig *rig, const SimPlayerLayer *layer, SimTransform *pose) {
    const Sampler sampler = sampler_of(rig, layer);
    const float part = share(layer);
    for (int bone = 0; bone < rig->posed_bone_count; bone++) {
        SimTransform first, now;
        sample_bone(rig, layer->clip, (ClipPlace){0, 0.0f}, bone, &first);
        sample(rig, &sampler, bone, &now);
        add_bone(&first, &now, part, &pose[bone]);
    }
}

// A bone's change since the clip's first frame: rotation and offset in its parent's space.
static void add_bone(const SimTransform *first, const SimTransform *now, float part, SimTransform *pose) {
    versor back, turn, turned, before;
    vec3 way;
    sim_quat_inverse(first->rotation, back);
    glm_quat_mul((float *)now->rotation, back, turn);
    sim_quat_slerp((versor){0.0f, 0.0f, 0.0f, 1.0f}, turn, part, turned);
    glm_vec4_copy(pose->rotation, before);
    glm_quat_mul(turned, before, pose->rotation);
    glm_vec3_sub((float *)now->position, (float *)first->position, way);
    glm_vec3_muladds(way, part, pose->position);
}

static void advance_added(SimPlayer *player, float dt) {
    int count = 0;
    for (int i = 0; i < player->added_count; i++) {
        SimPlayerLayer layer = player->added[i];
        layer.time += (double)dt * (double)layer.speed;
        layer.age += dt;
        if (layer.weight > 0.0f || weight(&layer) < 1.0f) player->added[count++] = layer;
    }
    player->added_count = count;
}

// Blends the root's steps at both ends of a loop like the poses. When the loop restarts, the step is the one
// that leads up to the clip's end.
static void layer_step(const SimRig *rig, const SimPlayerLayer *before, const SimPlayerLayer *after,
                       float out[3]) {
    out[0] = out[1] = out[2] = 0.0f;
    if (after->clip < 0 || after->in_place || !rig->clips[after->clip].root) return;
    const SimClipDef *clip = &rig->clips[after->clip];
    ClipBlend from = moment(clip, before), to = moment(clip, after);
    float step = (float)(after->time - before->time);
    float first[3], second[3];
    if (!after->loop)
        root_between(clip, from.time[0], to.time[0], first);
    else if (loop_blend(clip) <= 0.0f && (to.time[0] < from.time[0]) != (step < 0.0f))
        step_over_seam(clip, from.time[0], to.time[0], first);
    else
        root_between(clip, fmaxf(to.time[0] - step, 0.0f), to.time[0], first);
    root_between(clip, to.time[1] - step, to.time[1], second);
    for (int i = 0; i < 3; i++)
        out[i] = first[i] + (to.share > 0.0f ? to.share * (second[i] - first[i]) : 0.0f);
}

// x, z and heading of the root at one time, relative to the root at another time.
static void root_between(const SimClipDef *clip, float from, float to, float out[3]) {
    float a[3], b[3];
    root_at(clip, from, a);
    root_at(clip, to, b);
    float x = b[0] - a[0], z = b[1] - a[1], cosine = sim_cos(a[2]), sine = sim_sin(a[2]);
    out[0] = cosine * x - sine * z;
    out[1] = sine * x + cosine * z;
    out[2] = b[2] - a[2];
}

static void root_at(const SimClipDef *clip, float time, float out[3]) {
    const ClipPlace at = place_in(clip, time);
    const float *key = clip->root[at.frame];
    const float *next = clip->root[clip->frame_count > 1 ? at.frame + 1 : at.frame];
    for (int i = 0; i < 3; i++) out[i] = key[i] + at.share * (next[i] - key[i]);
}

// The step across the seam of a loop without blend.
static void step_over_seam(const SimClipDef *clip, float from, float to, float out[3]) {
    float end = (float)loop_period(clip), rest[3];
    bool forwards = to < from;
    root_between(clip, from, forwards ? end : 0.0f, out);
    root_between(clip, forwards ? 0.0f : end, to, rest);
    append_step(rest, out);
}

// Concatenates two steps, the second relative to the end of the first.
static void append_step(const float step[3], float sum[3]) {
    float cosine = sim_cos(sum[2]), sine = sim_sin(sum[2]);
    sum[0] += cosine * step[0] + sine * step[1];
    sum[1] += cosine * step[1] - sine * step[0];
    sum[2] += step[2];
}

static void add(SimPlayer *player, SimPlayerLayer layer) {
    player->held = false;
    take_away(player, layer.clip, layer.fade);
    if (player->added_count == SIM_PLAYER_ADDED) {
        for (int i = 1; i < player->added_count; i++) player->added[i - 1] = player->added[i];
        player->added_count--;
    }
    player->added[player->added_count++] = layer;
}

// Fades out the additive layers of a clip, or all for -1.
static void take_away(SimPlayer *player, int clip, float fade) {
    for (int i = 0; i < player->added_count; i++) {
        SimPlayerLayer *layer = &player->added[i];
        if (layer->weight <= 0.0f || (clip >= 0 && layer->clip != clip)) continue;
        layer->from = share(layer);
        layer->weight = layer->age = 0.0f;
        layer->fade = fade;
    }
}

static void push(SimPlayer *player, SimPlayerLayer layer) {
    player->held = false;
    if (layer.fade <= 0.0f) player->count = 0;
    if (player->count == SIM_PLAYER_LAYERS) {
        // The oldest fade is cut short; it is the most covered one.
        for (int i = 1; i < player->count; i++) player->layers[i - 1] = player->layers[i];
        player->count--;
    }
    player->layers[player->count++] = layer;
}

static bool is_on_top(const SimPlayer *player, int clip) {
    int top = player->count > 0 ? player->layers[player->count - 1].clip : -1;
    return top >= 0 && (clip < 0 || clip == top);
}
