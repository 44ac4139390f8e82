// A plain linear slider with a number above it. An arrow key moves it by about a hundredth of its length.
import { arrowOf, h } from "./dom";
import { numberField } from "./number-field";

const ROUND = [1, 2, 2.5, 5, 10];

/** A hundredth of a slider's length as a round number: 0.25 of 30. */
function arrowStep(length: number): number {
  const step = length / 100, power = 10 ** Math.floor(Math.log10(step));
  const distance = (factor: number): number => Math.abs(Math.log((factor * power) / step));
  const factor = ROUND.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  return Number((factor * power).toPrecision(2));
}

export interface RangeOptions {
  label: string;
  unit: string;
  minimum: number;
  maximum: number;
  value: number;
  step: number; // the smallest one: of the mouse, and of an arrow key with Shift
  oninput: (value: number) => void;
}

export interface Range {
  element: HTMLElement;
  set(value: number): void;
}

export function range(options: RangeOptions): Range {
  const { label, unit, minimum, maximum, step } = options;
  let value = options.value;
  const take = (next: number): void => {
    show(Math.min(maximum, Math.max(minimum, next)));
    options.oninput(value);
  };
  const slider = h("input", {
    type: "range", min: minimum, max: maximum, step, "aria-label": unit ? `${label} in ${unit}` : label, "data-operator": true,
    oninput: () => take(Number(slider.value)),
    onkeydown: (event: KeyboardEvent) => {
      const direction = arrowOf(event);
      if (direction === undefined) return;
      event.preventDefault();
      take(value + direction * (event.shiftKey ? step : arrowStep(maximum - minimum)));
    },
  });
  const field = numberField({ label, unit, minimum, maximum, value, onchange: take });
  const show = (next: number): void => {
    value = next;
    slider.value = String(value);
    field.show(value);
  };
  show(value);
  return {
    element: h("div", { class: "range" }, h("span", {}, label), field.input, h("span", { class: "unit" }, unit), field.complaint, slider),
    set: (next) => {
      if (!slider.matches(":active")) show(next); // or it is being dragged
    },
  };
}
