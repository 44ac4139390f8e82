// Keyboard and pointer on the scene: selection, tornadoes, time.
import type { Vector3 } from "three";
import type { App } from "../app";
import type { Tornado, Vector } from "../net/protocol";
import { throttled } from "./dom";
import { SWITCH_KEYS, toggleFollow, toggleTheme } from "./toolbar";
import type { WeatherPanel } from "./weather";

const CLICK_PIXELS = 4; // a press that moves less is a click
const PICK_REACH = 0.09; // of half the canvas' height
const DRAG_MS = 50;

const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);
const PRESSES = new Set([" ", "Enter"]);

/** Keys that are not shortcuts while a control has focus, as it uses them itself; null: all keys. */
const OWN_KEYS: [controls: string, keys: Set<string> | null][] = [
  ["input:not([type=range], [type=checkbox]), textarea, select", null],
  ["input[type=range], [role=tab], pre", MOVES],
  ["input[type=checkbox], button, summary, pre", PRESSES],
];

export function keyboard(app: App, weather: WeatherPanel, openHelp: () => void): void {
  const actions: Record<string, () => void> = {
    " ": () => void app.attempt(() => app.playback.toggle()),
    ".": () => void app.attempt(() => app.playback.step()),
    ArrowLeft: () => look(app, -0.5),
    ArrowRight: () => look(app, 0.5),
    l: () => (app.timeline.scrubbed = null),
    f: () => app.camera.frameAll(),
    o: () => toggleFollow(app),
    t: () => toggleTheme(app),
    h: () => document.body.classList.toggle("bare"),
    n: () => weather.setPlacing(!weather.placing),
    "[": () => selectNext(app, -1),
    "]": () => selectNext(app, 1),
    "?": openHelp,
    Escape: () => weather.setPlacing(false),
  };
  const forOperators = new Set([" ", ".", "n"]), once = new Set([" ", "n"]); // not again while the key is held
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !(target as HTMLInputElement).matches("input[data-typed]")) {
      event.preventDefault();
      if (app.server.isOperator) (event.shiftKey ? app.tuner.redo() : app.tuner.undo());
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || OWN_KEYS.some(([controls, keys]) => target.matches(controls) && (!keys || keys.has(event.key)))) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, name = SWITCH_KEYS.get(key), action = actions[key];
    if (name) app.setSwitch(name, !app.switches[name]);
    else if (!action || (!app.server.isOperator && forOperators.has(key))) return;
    else if (!event.repeat || !once.has(key)) action();
    event.preventDefault();
  });
}

function look(app: App, seconds: number): void {
  const { timeline } = app, { newest, oldest } = timeline;
  if (!Number.isFinite(newest)) return;
  const time = (timeline.scrubbed ?? newest) + seconds;
  timeline.scrubbed = time >= newest ? null : Math.max(oldest, time);
}

function selectNext(app: App, by: number): void {
  const names = [...app.cast.characters.keys()];
  if (names.length > 0) app.select(names[(names.indexOf(app.selected ?? "") + by + names.length) % names.length]);
}

/** A click selects or drops; a press on a tornado that moves on drags it instead of turning the camera. */
export function pointer(app: App, weather: WeatherPanel, canvas: HTMLCanvasElement): void {
  let pressed: { x: number; y: number; moved: boolean } | null = null;
  let dragged: { tornado: Tornado; grip: Vector3 } | null = null; // grip: from the pointer to its foot
  const put = (tornado: Tornado, position: Vector): void =>
    void app.ask("world.tornado", { ...tornado, velocity: [0, 0, 0], position });
  const move = throttled(DRAG_MS, (position: Vector) => dragged && put(dragged.tornado, position));
  const release = (): void => {
    pressed = dragged = null;
    app.stage.controls.enabled = true;
  };
  const place = (event: PointerEvent, grip: Vector3): Vector | null =>
    app.camera.groundAt(event.clientX, event.clientY)?.add(grip).toArray() ?? null;

  canvas.addEventListener("pointerdown", (event) => {
    pressed = { x: event.clientX, y: event.clientY, moved: false };
    const ground = app.camera.groundAt(event.clientX, event.clientY);
    const hit = ground && app.server.isOperator && app.switches.wind ? app.tornadoes.at(ground) : null;
    if (!ground || !hit || event.button !== 0) return;
    dragged = { tornado: hit.tornado, grip: hit.foot.clone().sub(ground) };
    app.stage.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
  }, { capture: true });

  canvas.addEventListener("pointermove", (event) => {
    if (pressed) pressed.moved ||= Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) >= CLICK_PIXELS;
    const position = dragged && pressed?.moved ? place(event, dragged.grip) : null;
    if (position) move(position);
    if (!pressed) canvas.classList.toggle("grab", Boolean(app.server.isOperator && over(app, event)));
  });

  canvas.addEventListener("pointerup", (event) => {
    const isClick = pressed?.moved === false && event.button === 0, drag = dragged;
    const position = drag && !isClick ? place(event, drag.grip) : null;
    release();
    if (drag && position) put(drag.tornado, position);
    else if (isClick) click(app, weather, event, canvas);
  });
  canvas.addEventListener("pointercancel", release);
}

function over(app: App, event: PointerEvent): boolean {
  const ground = app.camera.groundAt(event.clientX, event.clientY);
  return ground !== null && app.tornadoes.at(ground) !== null;
}

function click(app: App, weather: WeatherPanel, event: PointerEvent, canvas: HTMLCanvasElement): void {
  if (weather.placing) {
    const ground = app.camera.groundAt(event.clientX, event.clientY);
    if (ground) weather.drop(ground.toArray());
    return;
  }
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const name = app.cast.pick(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2, PICK_REACH);
  if (name !== null) app.select(name);
}
