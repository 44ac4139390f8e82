// Small plots of the last minute: the server's ticks, the frames that come, the cloth.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { App } from "../app";
import { measureCloth } from "../motion/measures";
import { h } from "./dom";

const POINTS = 120;
const HEIGHT = 96;

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

  constructor(title: string, unit: string, lines: Line[]) {
    this.#lines = lines;
    this.#unit = unit;
    this.#data = [[], ...lines.map(() => [])];
    this.#readings = lines.map(({ color }) => h("output", { class: `reading ${color}` }, "–"));
    this.element = h("figure", { class: "plot" },
      h("figcaption", {}, h("b", {}, title), ...lines.map(({ label }, i) => h("span", {}, label, " ", this.#readings[i]))));
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
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(most * 1.15, 1e-3)] } },
      axes: [{ ...axis, show: false }, { ...axis, size: 38, space: 26 }],
      series: [{}, ...this.#lines.map((line) => ({ stroke: color(line.color), width: 1.5, points: { show: false } }))],
    }, this.#data as uPlot.AlignedData, this.element);
  }
}

export function plotsPanel(app: App): HTMLElement {
  const ticks = new Plot("Server, a tick", "ms", [{ label: "work", color: "plot-a" }, { label: "lateness", color: "plot-b" }]);
  const frames = new Plot("Frames, 95 %", "ms", [{ label: "jitter", color: "plot-a" }, { label: "picture", color: "plot-b" }]);
  const skipped = new Plot("Skipped a second", "", [{ label: "by the server", color: "plot-a" }, { label: "on the way", color: "plot-b" }]);
  const cloth = new Plot("Cloth", "", [{ label: "stretch %", color: "plot-a" }, { label: "depth mm", color: "plot-b" }]);
  const plots = [ticks, frames, skipped, cloth];
  app.themeChanged.on(() => plots.forEach((plot) => plot.restyle()));

  let pictures: number[] = [], lastSkipped: number | null = null, began = performance.now();
  app.drawn.on((ms) => pictures.push(ms));
  app.server.opened.on(() => {
    lastSkipped = null;
    began = performance.now();
  });
  app.mirror.statsTaken.on((stats) => {
    const time = (performance.now() - began) / 1000;
    const { frames: received, missed, jitter } = app.meter.take();
    pictures.sort((a, b) => a - b);
    ticks.push(time, [stats.work_ms.p95, stats.lateness_ms.p95]);
    frames.push(time, [jitter, pictures[Math.floor(pictures.length * 0.95)] ?? 0]);
    pictures = [];
    skipped.push(time, [lastSkipped === null ? 0 : stats.ticks_skipped - lastSkipped, missed]);
    lastSkipped = stats.ticks_skipped;
    const few = [...app.cast.characters.values()].slice(0, 8);
    const { stretch, depth } = measureCloth(few);
    cloth.push(time, [Math.max(0, stretch) * 100, Math.max(0, depth) * 1000]);
    app.receivedRate.value = received;
  });
  return h("section", { class: "plots", "aria-label": "Measurements" }, ...plots.map((plot) => plot.element));
}
