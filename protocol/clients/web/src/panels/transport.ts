// The bar at the bottom: time, and a line of how it goes.
import type { App } from "../app";
import { KEPT_SECONDS } from "../motion/timeline";
import type { Session } from "../net/server";
import { button, h, select } from "./dom";

const SPEEDS: Record<string, number> = { "full speed": 1, "½ speed": 0.5, "¼ speed": 0.25, "⅒ speed": 0.1 };

export function transport(app: App): HTMLElement {
  const play = button({ icon: "pause", title: "Pause or go on (Space)", operator: true, onclick: () => void app.attempt(() => app.playback.toggle()) });
  const go = button({ icon: "play", title: "Pause or go on (Space)", operator: true, onclick: () => void app.attempt(() => app.playback.toggle()) });
  const step = button({ icon: "step", title: "One tick (.)", operator: true, onclick: () => void app.attempt(() => app.playback.step()) });
  const speeds = select("Speed", Object.keys(SPEEDS), (name) => void app.attempt(() => app.playback.setSpeed(SPEEDS[name])));
  speeds.dataset["operator"] = "";

  const scrub = h("input", {
    type: "range", min: 0, max: 1000, value: 1000, class: "scrub", "aria-label": "Look back over the last 20 seconds",
    oninput: () => lookBack(app, Number(scrub.value) / 1000),
  });
  const live = button({ icon: "live", text: "Live", title: "Back to now (L)", onclick: () => (app.timeline.scrubbed = null) });
  const clock = h("output", { class: "clock", "aria-label": "Simulation time" });

  const show = (): void => {
    play.hidden = app.playback.isPaused;
    go.hidden = !play.hidden;
    const name = Object.keys(SPEEDS).find((key) => SPEEDS[key] === app.playback.speed);
    if (name !== undefined) speeds.value = name;
  };
  app.playback.changed.on(show);
  show();

  app.drawn.on(() => {
    const { timeline } = app, { oldest, newest, scrubbed } = timeline, isEmpty = !Number.isFinite(newest);
    const shown = isEmpty ? serverTime(app) : timeline.shown;
    scrub.disabled = isEmpty;
    if (scrubbed !== null && scrubbed < oldest) timeline.scrubbed = isEmpty ? null : oldest; // it has left the buffer
    const begin = Math.max(oldest, newest - KEPT_SECONDS);
    if (!scrub.matches(":active")) scrub.value = scrubbed === null || isEmpty ? "1000" : String(((scrubbed - begin) / Math.max(0.01, newest - begin)) * 1000);
    live.setAttribute("aria-pressed", String(scrubbed === null));
    const back = scrubbed === null || isEmpty ? "" : ` −${(newest - scrubbed).toFixed(1)} s`;
    const text = Number.isFinite(shown) ? `${shown.toFixed(2)} s${back}` : "–";
    if (clock.textContent !== text) clock.textContent = text;
  });
  return h("div", { class: "transport", role: "group", "aria-label": "Time" }, play, go, step, speeds, scrub, clock, live);
}

/** Simulation time by the server's statistics, which come once a second: without characters there are no frames. */
function serverTime(app: App): number {
  const { mirror, playback } = app;
  const since = playback.isPaused ? 0 : Math.min(2, (performance.now() - mirror.statsAt) / 1000) * playback.speed;
  return mirror.stats === null ? NaN : mirror.stats.tick / mirror.stats.tick_rate + since;
}

export function lookBack(app: App, share: number): void {
  const { timeline } = app, { newest } = timeline;
  const begin = Math.max(timeline.oldest, newest - KEPT_SECONDS);
  timeline.scrubbed = share > 0.9995 || !Number.isFinite(newest) ? null : begin + (newest - begin) * share;
}

export function statusLine(app: App): HTMLElement {
  const connection = h("span", { class: "connection", role: "status" }, "connecting…");
  const rate = h("span", {}), latency = h("span", {}), characters = h("span", {}), tick = h("span", { class: "tick" }), note = h("span", { class: "note" });
  const followed = h("span", { class: "followed", role: "status" });
  const showOpen = ({ role, hello }: Session): void => {
    connection.textContent = role === "observer" ? `tweed ${hello.version}, as an observer` : `tweed ${hello.version}`;
    connection.dataset["state"] = "open";
  };
  app.server.opened.on(showOpen);
  app.server.silence.on((seconds) => {
    if (seconds > 0) {
      connection.textContent = `no answer for ${seconds} s`;
      connection.dataset["state"] = "silent";
    } else if (app.server.session) {
      showOpen(app.server.session);
    }
  });
  app.server.refused.on((reason) => {
    connection.textContent = `refused: ${reason}`;
    connection.dataset["state"] = "lost";
  });
  app.drawn.on(() => {
    const { awaited, follows } = app.camera, text = follows && awaited !== null ? `${awaited} is gone: the camera waits for it` : "";
    if (followed.textContent !== text) followed.textContent = text;
  });
  app.server.lost.on(() => {
    connection.textContent = "connection lost, trying again…";
    connection.dataset["state"] = "lost";
    for (const stale of [rate, latency, characters, tick]) stale.textContent = "";
  });
  app.view.rateChanged.on(() => {
    const { rate: asked, tickRate } = app.view;
    note.textContent = asked === null ? "" : `${asked} of ${tickRate} frames a second, so that this browser keeps up`;
  });
  app.mirror.statsTaken.on((stats) => {
    rate.textContent = `${app.receivedRate.value} frames/s`;
    const { last } = app.mirror.roundTrips;
    latency.textContent = `latency ${last.toFixed(last < 10 ? 1 : 0)} ms`;
    const simplified = stats.characters - (stats.levels?.full ?? stats.characters);
    characters.textContent = `${stats.characters} ${stats.characters === 1 ? "character" : "characters"}` +
      (simplified > 0 ? `, ${simplified} with less detail` : "");
    tick.textContent = `tick ${stats.tick}`;
  });
  return h("div", { class: "status" }, connection, rate, latency, characters, tick, followed, note);
}
