// A number to type beside a slider. It counts when Enter is pressed or the field is left; out of range it becomes the end
// that is nearest, which is said.
import { written } from "../tuning/scale";
import { h } from "./dom";

export interface NumberFieldOptions {
  label: string;
  unit: string; // as people write it; "" without
  minimum: number;
  maximum: number;
  value: number;
  onchange: (value: number) => void;
}

export interface NumberField {
  readonly input: HTMLInputElement;
  /** Says what is wrong with a number, until another value is shown. */
  readonly complaint: HTMLElement;
  /** Shows a value, unless the user is typing another one. */
  show(value: number): void;
}

let made = 0;

export function numberField({ label, unit, minimum, maximum, value: first, onchange }: NumberFieldOptions): NumberField {
  let value = first;
  const withUnit = (text: string): string => (unit ? `${text} ${unit}` : text);
  const complaint = h("p", { class: "complaint", id: `complaint-${made++}`, role: "status" });

  const show = (next: number): void => {
    if (next !== value) complaint.textContent = "";
    value = next;
    if (!input.hasAttribute("data-typed")) input.value = written(value);
  };
  const take = (): void => {
    input.removeAttribute("data-typed");
    const entered = input.valueAsNumber; // NaN: it is empty, or no number
    if (Number.isNaN(entered)) {
      input.value = written(value);
      return;
    }
    const possible = Math.min(maximum, Math.max(minimum, entered));
    onchange(possible);
    show(possible);
    complaint.textContent = possible === entered ? ""
      : `${entered} is out of range, which is ${withUnit(`${written(minimum)} to ${written(maximum)}`)}. Set to ${written(possible)}.`;
  };
  const input = h("input", {
    type: "number", min: minimum, max: maximum, step: "any", "aria-label": `${label}, as a number`, "data-operator": true,
    "aria-describedby": complaint.id,
    oninput: () => input.toggleAttribute("data-typed", true), // a number that is not taken over yet
    onblur: () => input.removeAttribute("data-typed"),
    onchange: take,
  });
  show(first);
  return { input, complaint, show };
}
