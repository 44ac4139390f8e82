// The bar at the top: name of the scene, switches of the view, camera, theme.
import type { App } from "../app";
import type { Switch } from "../scene/overlays/overlays";
import { button, h, setPressed, type IconName } from "./dom";

const SWITCH_BUTTONS: { name: Switch; key: string; icon: IconName; title: string }[] = [
  { name: "meshes", key: "1", icon: "meshes", title: "Body and clothes" },
  { name: "skeleton", key: "2", icon: "skeleton", title: "Skeleton" },
  { name: "axes", key: "3", icon: "axes", title: "Cloth bones with their axes" },
  { name: "particles", key: "4", icon: "particles", title: "Particles and links, columns by stretch" },
  { name: "colliders", key: "5", icon: "colliders", title: "Colliders" },
  { name: "distances", key: "6", icon: "distances", title: "Max distances" },
  { name: "wind", key: "7", icon: "wind", title: "Wind and tornadoes" },
  { name: "labels", key: "8", icon: "labels", title: "Names" },
];

export const SWITCH_KEYS = new Map(SWITCH_BUTTONS.map(({ key, name }) => [key, name]));

export function toolbar(app: App, openHelp: () => void, toggleDrawer: (side: "left" | "right") => void): HTMLElement {
  const scene = h("span", { class: "scene" });
  app.mirror.described.on(() => (scene.textContent = app.mirror.description?.scene.name ?? ""));

  const switches = SWITCH_BUTTONS.map(({ name, key, icon, title }) => {
    const made = button({ icon, title: `${title} (${key})`, onclick: () => app.setSwitch(name, !app.switches[name]) });
    const show = (): void => setPressed(made, app.switches[name]);
    app.switchesChanged.on(show);
    show();
    return made;
  });

  const follow = button({ icon: "follow", title: "Follow the selected character (O)", onclick: () => toggleFollow(app) });
  const showFollow = (): void => setPressed(follow, app.camera.follows && app.camera.awaited === null);
  app.drawn.on(showFollow);
  const frame = button({ icon: "frame", title: "Show all characters (F)", onclick: () => app.camera.frameAll() });

  const theme = button({ icon: "moon", title: "Light or dark (T)", onclick: () => toggleTheme(app) });
  const left = button({ icon: "people", title: "Characters", class: "drawer-button", onclick: () => toggleDrawer("left") });
  const right = button({ icon: "sliders", title: "Tuning and weather", class: "drawer-button", onclick: () => toggleDrawer("right") });

  for (const [drawer, made] of Object.entries({ left, right })) {
    made.dataset["drawer"] = drawer;
    made.setAttribute("aria-expanded", "false");
  }

  return h("header", { class: "toolbar" },
    left, h("h1", {}, "tweed"), scene,
    h("div", { class: "group", role: "group", "aria-label": "What is shown" }, ...switches),
    h("div", { class: "group", role: "group", "aria-label": "Camera" }, follow, frame),
    h("div", { class: "group end" }, theme, button({ icon: "help", title: "Keys and mouse (?)", onclick: openHelp }), right));
}

export function toggleTheme(app: App): void {
  app.setTheme(app.theme === "dark" ? "light" : "dark");
}

export function toggleFollow(app: App): void {
  const { camera } = app;
  camera.follows = camera.awaited !== null || !camera.follows; // instead of one that is gone, the selected one
  camera.awaited = null;
}
