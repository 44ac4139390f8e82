// Names over the characters' heads.
import { Vector3 } from "three";
import type { App } from "../app";
import { h } from "./dom";

const GAP = 3; // CSS pixels between labels
const MOST = 24; // labels; with more characters, only that of the selected one

interface Shown {
  element: HTMLElement;
  x: number; // of its middle, in CSS pixels
  y: number; // of its lower edge
}

/** Moves labels up that would hide others: the highest and later ones give way. */
function part(shown: Shown[]): void {
  const sizes = new Map(shown.map(({ element }) => [element, [element.offsetWidth, element.offsetHeight]]));
  const done: Shown[] = [];
  for (const label of shown.sort((a, b) => b.y - a.y)) {
    const [width, height] = sizes.get(label.element)!;
    for (const other of done) { // which go upward
      const [otherWidth, otherHeight] = sizes.get(other.element)!;
      const isBeside = Math.abs(label.x - other.x) >= (width + otherWidth) / 2 + GAP;
      if (!isBeside && label.y > other.y - otherHeight - GAP && label.y - height < other.y + GAP) label.y = other.y - otherHeight - GAP;
    }
    done.push(label);
    done.sort((a, b) => b.y - a.y);
  }
}

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
    const shown: Shown[] = [];
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
      shown.push({ element, x: ((place.x + 1) / 2) * width, y: ((1 - place.y) / 2) * height });
    }
    part(shown);
    for (const { element, x, y } of shown) element.style.transform = `translate(-50%, -100%) translate(${x}px, ${y}px)`;
  });
  return layer;
}
