// Who runs in a tick. Each script has a budget of its own; all together have one and half a tick at once,
// which grows again by a tick's time with each tick. While it is used up, those that have not run wait, so
// that however many scripts there are, a tick has an end, and a long one is not followed by others.
#include "host/host.h"

bool script_host_has_time(const ScriptHost *host) {
    return host->starting || host->unhurried ||
           (double)host->spent_ns < (double)host->script_budget_ns + 0.5e9 * host->dt;
}

void script_host_renew_time(ScriptHost *host) {
    const uint64_t tick_ns = (uint64_t)(1e9 * host->dt);
    host->spent_ns = host->spent_ns > tick_ns ? host->spent_ns - tick_ns : 0;
}

bool script_host_takes_turn(ScriptHost *host, uint64_t *pass) {
    if (*pass == host->pass) return false;
    if (!script_host_has_time(host)) {
        host->is_pass_cut = true;
        return false;
    }
    *pass = host->pass;
    return true;
}

bool script_host_begin_pass(ScriptHost *host) {
    const bool begins = !host->is_pass_cut;
    host->is_pass_cut = false;
    if (begins) host->pass++;
    return begins;
}
