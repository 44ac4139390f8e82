// Small helpers that make elements.

type Child = Node | string | null | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** Makes an element. Attributes that begin with "on" are listeners; true sets an attribute without a value. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== false) element.append(child);
  return element;
}

const ICONS = {
  pause: "M7 5v14M17 5v14",
  play: "M7 4.5v15l12-7.5z",
  step: "M6 5v14l8-7zM18 5v14",
  live: "M12 12h.01M8 8a5.6 5.6 0 0 0 0 8M16 8a5.6 5.6 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14",
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  redo: "m15 7 5 5-5 5M20 12H10a6 6 0 0 0-6 6",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  save: "M12 4v11m-5-4 5 5 5-5M5 20h14",
  reset: "M5 12a7 7 0 1 0 2-5M5 4v4h4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  plus: "M12 5v14M5 12h14",
  frame: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5M9 12h6M12 9v6",
  follow: "M12 3v4M12 17v4M3 12h4M17 12h4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5",
  people: "M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M3 20c0-4 2.5-6 6-6s6 2 6 6M16 5.5a3 3 0 0 1 0 5.5M17 14.5c2.5.6 4 2.4 4 5.5",
  sliders: "M5 4v7M5 15v5M12 4v3M12 11v9M19 4v9M19 17v3M3 11h4M10 7h4M17 13h4",
  tornado: "M4 5h16M6 9h12M9 13h8M11 17h4M12 20h1",
  close: "m6 6 12 12M18 6 6 18",
  skeleton: "M12 3a2 2 0 1 0 0 4 2 2 0 0 0 0-4M12 7v8M7 10h10M12 15l-4 6M12 15l4 6",
  axes: "M6 18V5M6 18h13M6 18l6-6",
  particles: "M5 5h.01M12 5h.01M19 5h.01M5 12h.01M12 12h.01M19 12h.01M5 19h.01M12 19h.01M19 19h.01M5 5h14M5 12h14M5 5v14M12 5v14M19 5v14M5 19h14",
  colliders: "M12 3c4 0 6 4 6 9s-2 9-6 9-6-4-6-9 2-9 6-9M6 12h12",
  distances: "M12 12h.01M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14M12 12l5-5",
  wind: "M3 9h11a3 3 0 1 0-3-3M3 13h15a3 3 0 1 1-3 3M3 17h7a2 2 0 1 1-2 2",
  meshes: "M8 4 4 7l2 4 2-1v10h8V10l2 1 2-4-4-3c-1 2-7 2-8 0",
  labels: "M4 6h16v9H9l-4 4v-4H4z",
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export interface ButtonOptions {
  icon?: IconName;
  text?: string;
  title?: string;
  class?: string;
  operator?: boolean; // disabled for observers
  onclick: () => void;
}

export function button(options: ButtonOptions): HTMLButtonElement {
  const { icon: name, text, title, onclick } = options;
  const made = h("button", { type: "button", class: options.class, title, onclick, "data-operator": options.operator });
  if (name) made.append(icon(name));
  if (text !== undefined) made.append(h("span", {}, text));
  if (title !== undefined && text === undefined) made.setAttribute("aria-label", title);
  return made;
}

export function setPressed(element: HTMLButtonElement, pressed: boolean): void {
  element.setAttribute("aria-pressed", String(pressed));
}

export function select(label: string, options: string[], onchange: (value: string) => void): HTMLSelectElement {
  const made = h("select", { "aria-label": label, onchange: () => onchange(made.value) });
  setOptions(made, options);
  return made;
}

export function setOptions(element: HTMLSelectElement, options: (string | { value: string; text: string })[], value?: string): void {
  const kept = value ?? element.value;
  element.replaceChildren(...options.map((option) =>
    typeof option === "string" ? h("option", { value: option }, option) : h("option", { value: option.value }, option.text)));
  element.value = kept;
  if (element.selectedIndex < 0 && options.length > 0) element.selectedIndex = 0;
}

/** Arrow keys on a slider, by the direction in which they move it. */
const ARROWS: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

/** The direction of an arrow key; undefined: another key, or one of the browser's shortcuts. */
export function arrowOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): number | undefined {
  return ctrlKey || metaKey || altKey ? undefined : ARROWS[key];
}

/** Calls a function at most once in `ms`, with the newest arguments. */
export function throttled<A extends unknown[]>(ms: number, call: (...args: A) => void): (...args: A) => void {
  let waiting: A | null = null, running = false;
  const run = (): void => {
    if (!waiting) {
      running = false;
      return;
    }
    const args = waiting;
    waiting = null;
    call(...args);
    setTimeout(run, ms);
  };
  return (...args) => {
    waiting = args;
    if (running) return;
    running = true;
    run();
  };
}
