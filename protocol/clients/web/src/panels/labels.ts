// Names over the characters' heads.
import { Vector3 } from "three";
import type { App } from "../app";
import { h } from "./dom";

const MOST = 24; // labels; with more characters, only that of the selected one

export function labels(app: App): HTMLElement {
  const layer = h("div", { class: "labels", "aria-hidden": "true" });
  const made = new Map<string, HTMLElement>();
  const place = new Vector3();

  app.drawn.on(() => {
    layer.hidden = !app.switches.labels;
    if (layer.hidden) return;
    const { cast, stage } = app, many = cast.characters.size > MOST, single = cast.characters.size === 1;
    for (const [name, element] of made) {
      if (cast.characters.has(name)) continue;
      element.remove();
      made.delete(name);
    }
    const { clientWidth: width, clientHeight: height } = stage.renderer.domElement;
    for (const [name, character] of cast.characters) {
      const side = app.comparison.names?.indexOf(name) ?? -1;
      let element = made.get(name);
      if (!element) {
        element = h("span", {});
        made.set(name, element);
        layer.append(element);
      }
      character.top(place).project(stage.camera);
      const seen = place.z < 1 && Math.abs(place.x) < 1.1 && Math.abs(place.y) < 1.1;
      element.hidden = !seen || ((many || single) && name !== app.selected) || (single && side < 0);
      if (element.hidden) continue;
      element.textContent = side >= 0 ? "AB"[side] : name;
      element.className = side >= 0 ? `mark mark-${"ab"[side]}` : name === app.selected ? "selected" : "";
      element.style.transform = `translate(-50%, -100%) translate(${((place.x + 1) / 2) * width}px, ${((1 - place.y) / 2) * height}px)`;
    }
  });
  return layer;
}
