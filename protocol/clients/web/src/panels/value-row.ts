// One value of a fabric: its name, a number with its unit, the way back to its default, and a slider above its range.
import type { FabricNumber } from "../net/protocol";
import { MEANINGS } from "../tuning/help";
import { scaleOf, written } from "../tuning/scale";
import { arrowOf, button, h } from "./dom";
import { numberField } from "./number-field";

const PLACES = 1000;
const STEP = 0.01; // of the slider's length, by an arrow key
const FINE_STEP = 0.001; // with Shift
const PAGES: Record<string, number> = { PageUp: 10, PageDown: -10 }; // steps

export interface ValueRow {
  readonly element: HTMLElement;
  set(value: number): void;
  /** Marks where the other one of a comparison is. */
  setOther(value: number | null): void;
}

/** `given` is the value before it was tuned: what differs from it is marked, and can be taken back. */
export function valueRow(path: string, number: FabricNumber, given: number, change: (value: number, isDragged: boolean) => void): ValueRow {
  const scale = scaleOf(number), label = path.replaceAll("_", " ").replace(/^\w+\./, ""), unit = pretty(number.unit);
  let value = number.value;

  const slider = h("input", {
    type: "range", min: 0, max: PLACES, "aria-label": `${label}${unit ? ` in ${unit}` : ""}`, "data-operator": true,
    oninput: () => apply(scale.toValue(Number(slider.value) / PLACES), true),
    onkeydown: (event: KeyboardEvent) => {
      const direction = arrowOf(event) ?? PAGES[event.key];
      if (direction === undefined) return;
      event.preventDefault();
      const step = direction * (event.shiftKey ? FINE_STEP : STEP);
      let place = scale.toPlace(value), next = value;
      while (next === value && place + step > -Math.abs(step) && place + step < 1 + Math.abs(step)) { // values are rounded
        place += step;
        next = scale.toValue(Math.min(1, Math.max(0, place)));
      }
      apply(next, true);
    },
  });
  const field = numberField({ label, unit, minimum: number.minimum, maximum: number.maximum, value, onchange: (entered) => apply(entered) });
  const reset = button({
    icon: "reset", title: `Back to ${written(given)}${unit ? ` ${unit}` : ""}`, class: "quiet tiny", operator: true,
    onclick: () => apply(given),
  });
  const other = h("i", { class: "other", hidden: true, "aria-hidden": "true" });

  const ends = h("div", { class: "ends", id: `range-${path}` },
    h("span", {}, written(number.minimum)), h("span", {}, `default ${written(number.default)}`), h("span", {}, written(number.maximum)));
  slider.setAttribute("aria-describedby", ends.id);

  const element = h("div", { class: "value", title: MEANINGS[path], "data-value": path },
    h("span", { class: "name" }, label), field.input, h("span", { class: "unit" }, unit), reset,
    field.complaint,
    h("div", { class: "track" }, slider, h("i", { class: "usual", "aria-hidden": "true" }), other), ends);
  element.style.setProperty("--usual", String(scale.toPlace(number.default)));

  function show(): void {
    slider.value = String(Math.round(scale.toPlace(value) * PLACES));
    slider.setAttribute("aria-valuetext", `${written(value)} ${unit}`);
    field.show(value);
    element.style.setProperty("--share", String(scale.toPlace(value)));
    element.classList.toggle("moved", Math.abs(value - given) > 1e-6 * (number.maximum - number.minimum));
  }

  function apply(next: number, isDragged = false): void {
    value = next;
    show();
    change(value, isDragged);
  }

  show();
  return {
    element,
    set: (next) => {
      if (slider.matches(":active")) return; // it is being dragged
      value = next;
      show();
    },
    setOther: (next) => {
      other.hidden = next === null;
      if (next !== null) element.style.setProperty("--other", String(scale.toPlace(next)));
      element.classList.toggle("differs", next !== null && Math.abs(next - value) > 1e-6 * (number.maximum - number.minimum));
    },
  };
}

/** "kg/m^2" as people write it. */
function pretty(unit: string): string {
  return unit.replaceAll("^2", "²").replaceAll("^3", "³").replaceAll(" ", "\u202f");
}
