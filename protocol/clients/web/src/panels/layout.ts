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
  const bar = toolbar(app, openHelp, (side) => {
    document.body.classList.toggle(`open-${side}`);
    document.body.classList.remove(side === "left" ? "open-right" : "open-left");
  });
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
  const cover = (): void => { // a drawer is over the stage
    const width = (side: string, panel: HTMLElement): number =>
      document.body.classList.contains(`open-${side}`) && getComputedStyle(panel).position === "fixed" ? panel.offsetWidth : 0;
    app.stage.covered = { left: width("left", left), right: width("right", right) };
  };
  new MutationObserver(cover).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  new ResizeObserver(cover).observe(canvas);
  keyboard(app, weather, openHelp);
  pointer(app, weather, canvas);
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
