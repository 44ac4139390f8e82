// Small plots of the last minute: the server's ticks, the frames that come, the cloth.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { App } from "../app";
import { measureCloth } from "../motion/measures";
import type { Worst } from "../motion/stretch";
import { h } from "./dom";

const POINTS = 120;
const HEIGHT = 96;
const MEASURED = 8; // characters whose cloth is measured: the selected one and the first others

const STRETCH_HELP = "By how much the longest link of a column is longer than at rest. The columns lead down the cloth, and the solver holds " +
  "their lengths: they stretch only where the fabric has a limit, as rubber has, or where the cloth is made of springs. A few " +
  "hundredths of a percent are the rounding of frames. Rows are not measured: they may give in wind and fast motion.";
const DEPTH_HELP = "How deep the deepest particle is in a collider of its garment.";

interface Line {
  label: string;
  color: string; // a custom property of the page's style
}

class Plot {
  readonly element: HTMLElement;
  #plot: uPlot | null = null;
  #lines: Line[];
  #unit: string;
  #data: number[][];
  #readings: HTMLElement[];
  #note = h("p", { class: "note" });

  #least: number; // of the scale's upper end

  constructor(title: string, unit: string, lines: Line[], help?: string, least = 1) {
    this.#least = least;
    this.#lines = lines;
    this.#unit = unit;
    this.#data = [[], ...lines.map(() => [])];
    this.#readings = lines.map(({ color }) => h("output", { class: `reading ${color}` }, "–"));
    this.element = h("figure", { class: "plot" },
      h("figcaption", {}, h("b", {}, title), ...lines.map(({ label }, i) => h("span", {}, label, " ", this.#readings[i]))));
    if (help === undefined) return;
    this.element.append(this.#note, h("details", {}, h("summary", {}, "What is measured"), h("p", {}, help)));
  }

  push(time: number, values: number[]): void {
    [time, ...values].forEach((value, i) => {
      this.#data[i].push(value);
      if (this.#data[i].length > POINTS) this.#data[i].shift();
    });
    values.forEach((value, i) => (this.#readings[i].textContent = `${Number(value.toPrecision(3))} ${this.#unit}`));
    if (this.element.clientWidth === 0) return; // not shown
    this.#plot ??= this.#make();
    if (this.#plot.width !== this.element.clientWidth) this.#plot.setSize({ width: this.element.clientWidth, height: HEIGHT });
    this.#plot.setData(this.#data as uPlot.AlignedData);
  }

  /** Says below the title what the values are of. */
  note(...lines: string[]): void {
    const text = lines.filter(Boolean).join("\n");
    if (this.#note.textContent !== text) this.#note.textContent = text;
  }

  /** Draws in the colours of another theme. */
  restyle(): void {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #make(): uPlot {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const axis = { stroke: color("ink-soft"), grid: { stroke: color("line"), width: 1 }, ticks: { show: false }, font: "10px system-ui" };
    return new uPlot({
      width: this.element.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { show: false }, padding: [6, 4, 6, 0],
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(most * 1.15, this.#least)] } },
      axes: [{ ...axis, show: false }, { ...axis, size: 38, space: 26 }],
      series: [{}, ...this.#lines.map((line) => ({ stroke: color(line.color), width: 1.5, points: { show: false } }))],
    }, this.#data as uPlot.AlignedData, this.element);
  }
}

export function plotsPanel(app: App): HTMLElement {
  const ticks = new Plot("Server, a tick", "ms", [{ label: "work", color: "plot-a" }, { label: "lateness", color: "plot-b" }]);
  const frames = new Plot("Frames, 95 %", "ms", [{ label: "jitter", color: "plot-a" }, { label: "picture", color: "plot-b" }]);
  const skipped = new Plot("Skipped a second", "", [{ label: "by the server", color: "plot-a" }, { label: "on the way", color: "plot-b" }]);
  const cloth = clothPlots(app);
  const plots = [ticks, frames, skipped, ...cloth.plots];
  app.themeChanged.on(() => plots.forEach((plot) => plot.restyle()));

  let pictures: number[] = [], lastSkipped: number | null = null, began = performance.now(), taken = began;
  let drawn = began; // the newest picture
  app.drawn.on(() => {
    const now = performance.now();
    pictures.push(now - drawn);
    drawn = now;
  });
  app.server.opened.on(() => {
    lastSkipped = null;
    began = performance.now();
  });
  app.mirror.statsTaken.on((stats) => {
    const now = performance.now(), time = (now - began) / 1000;
    const { frames: received, missed, jitter } = app.meter.take();
    pictures.sort((a, b) => a - b);
    ticks.push(time, [stats.work_ms.p95, stats.lateness_ms.p95]);
    frames.push(time, [jitter, pictures[Math.floor(pictures.length * 0.95)] ?? 0]);
    pictures = [];
    skipped.push(time, [lastSkipped === null ? 0 : stats.ticks_skipped - lastSkipped, missed]);
    lastSkipped = stats.ticks_skipped;
    cloth.push(time);
    app.receivedRate.value = Math.round((received * 1000) / (now - taken)); // after a stall frames come all at once
    taken = now;
  });
  return h("section", { class: "plots", "aria-label": "Measurements" }, ...plots.map((plot) => plot.element));
}

/** How far the cloth is stretched and how deep it is in bodies, with the places of the greatest values. */
function clothPlots(app: App): { plots: Plot[]; push(time: number): void } {
  const stretch = new Plot("Greatest stretch along columns", "%", [{ label: "stretch", color: "plot-a" }], STRETCH_HELP, 0.1);
  const depth = new Plot("Greatest depth in a body", "mm", [{ label: "depth", color: "plot-a" }], DEPTH_HELP);
  const placeOf = ({ place }: Worst): string => (place === "" ? "" : `at ${place}`);
  const push = (time: number): void => {
    const { skinned } = app.mirror, selected = app.cast.characters.get(app.selected ?? "");
    const all = new Set([...(selected ? [selected] : []), ...app.cast.characters.values()]);
    const simulated = [...all].filter(({ name }) => !skinned.has(name));
    const measured = measureCloth(simulated.slice(0, MEASURED));
    stretch.push(time, [measured.stretch.value * 100]);
    depth.push(time, [measured.depth.value * 1000]);
    const left = all.size - Math.min(simulated.length, MEASURED);
    const without = left === 0 ? "" : simulated.length <= MEASURED
      ? `Without ${left === 1 ? "one character" : `${left} characters`} whose cloth is not simulated now.` : `Of ${MEASURED} of ${all.size} characters.`;
    stretch.note(placeOf(measured.stretch), without);
    depth.note(placeOf(measured.depth));
  };
  return { plots: [stretch, depth], push };
}
