// Puts the panels together; on narrow screens those at the sides are drawers.
import type { App } from "../app";
import { charactersPanel, emptyHint } from "./characters";
import { keyboard, pointer } from "./controls";
import { button, h } from "./dom";
import { helpDialog } from "./help";
import { labels } from "./labels";
import { notices } from "./notices";
import { plotsPanel } from "./plots";
import { toolbar } from "./toolbar";
import { statusLine, transport } from "./transport";
import { TuningPanel } from "./tuning";
import { WeatherPanel } from "./weather";
import { load, save } from "../settings";

export function layout(app: App, canvas: HTMLCanvasElement): void {
  const help = helpDialog();
  const openHelp = (): void => help.showModal();
  const tuning = new TuningPanel(app), weather = new WeatherPanel(app);
  const bar = toolbar(app, openHelp, (side) => open(isOpen(side) ? null : side));
  const stage = h("main", { class: "stage" }, canvas, labels(app), emptyHint(app), notices(app));
  const left = charactersPanel(app);
  const right = tabs([["Tune", tuning.element], ["Weather", weather.element], ["Measure", plotsPanel(app)]]);
  document.body.append(bar, left, stage, right, h("footer", {}, transport(app), statusLine(app)), help);

  const operator = (): void => {
    const is = app.server.isOperator;
    document.body.classList.toggle("observer", app.server.session !== null && !is);
    for (const control of document.querySelectorAll<HTMLInputElement>("[data-operator]")) control.disabled = !is || control.hasAttribute("data-empty");
  };
  app.server.opened.on(operator);
  app.server.lost.on(operator);
  for (const panel of [left, right]) // controls that come later
    new MutationObserver(operator).observe(panel, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-empty"] });
  const cover = (): void => { // a drawer or sheet is over the stage
    const covered = { left: 0, right: 0, bottom: 0 }, { width, bottom } = canvas.getBoundingClientRect();
    for (const [side, panel] of [["left", left], ["right", right]] as const) {
      if (!isOpen(side) || getComputedStyle(panel).position !== "fixed") continue;
      if (panel.offsetWidth >= width) covered.bottom = bottom - panel.offsetTop;
      else covered[side] = panel.offsetWidth;
    }
    app.stage.covered = covered;
  };
  new MutationObserver(cover).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  new ResizeObserver(cover).observe(canvas);
  window.addEventListener("keydown", (event) => {
    const side = isOpen("left") ? "left" : isOpen("right") ? "right" : null;
    if (event.key !== "Escape" || side === null || weather.placing || document.querySelector("dialog[open]")) return;
    open(null);
    bar.querySelector<HTMLElement>(`[data-drawer=${side}]`)?.focus();
  });
  keyboard(app, weather, openHelp);
  pointer(app, weather, canvas);
}

type Side = "left" | "right";

function isOpen(side: Side): boolean {
  return document.body.classList.contains(`open-${side}`);
}

/** Opens the drawer of a side, or none, where the screen is narrow. */
function open(side: Side | null): void {
  for (const each of ["left", "right"] as const) document.body.classList.toggle(`open-${each}`, each === side);
  for (const button of document.querySelectorAll<HTMLElement>("[data-drawer]"))
    button.setAttribute("aria-expanded", String(button.dataset["drawer"] === side));
}

function tabs(pages: [title: string, element: HTMLElement][]): HTMLElement {
  const show = (index: number, focus = false): void => {
    pages.forEach(([, element], i) => (element.hidden = i !== index));
    heads.forEach((head, i) => {
      head.setAttribute("aria-selected", String(i === index));
      head.tabIndex = i === index ? 0 : -1;
    });
    if (focus) heads[index].focus();
    save("tab", index);
  };
  const heads = pages.map(([title, element], i) => {
    const head = button({ text: title, onclick: () => show(i) });
    head.setAttribute("role", "tab");
    head.id = `tab-${title.toLowerCase()}`;
    element.id = `page-${title.toLowerCase()}`;
    element.setAttribute("role", "tabpanel");
    head.setAttribute("aria-controls", element.id);
    head.addEventListener("keydown", ({ key }) => {
      if (key === "ArrowRight") show((i + 1) % pages.length, true);
      if (key === "ArrowLeft") show((i + pages.length - 1) % pages.length, true);
    });
    return head;
  });
  show(Math.min(load<number>("tab") ?? 0, pages.length - 1));
  return h("aside", { class: "panel right", "aria-label": "Tuning, weather, measurements" },
    h("div", { class: "tabs", role: "tablist", "aria-label": "Panels" }, ...heads),
    ...pages.map(([, element]) => element));
}
