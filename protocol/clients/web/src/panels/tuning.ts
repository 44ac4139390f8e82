// The panel on the right: every value of a fabric, live; presets; two settings side by side; undo; the way out as Lua.
import type { App } from "../app";
import { FABRIC_GROUPS, type FabricDescription, type FabricValues } from "../net/protocol";
import { isLost } from "../net/server";
import { fromParams, getFabric, nameOf, sameTarget, valuesOf, type Target, type Values } from "../tuning/target";
import { button, h, select, setOptions } from "./dom";
import { luaDialog } from "./lua-dialog";
import { valueRow, type ValueRow } from "./value-row";

const ECHO_MS = 600; // after a change here, in which the server's news of the value may be older

const GROUP_TITLES = { values: "", edge: "At the edges", spring: "Springs" } as const;

export class TuningPanel {
  readonly element: HTMLElement;

  #app: App;
  #target: Target | null = null;
  #isStale = false; // the values are those of a lost connection: the server may be another one now
  #values: Values = new Map();
  #given = new Map<string, Values>(); // by target: its values before it was tuned; a garment's are its fabric's
  #rows = new Map<string, ValueRow>();
  #touched = new Map<string, number>(); // when a value was changed here
  #sliders = h("div", { class: "values" });
  #targets: HTMLSelectElement;
  #presets: HTMLSelectElement;
  #sides = h("div", { class: "sides", role: "group", "aria-label": "Which of the two is tuned" });
  #compare = h("div", { class: "stack" });
  #ofTarget = h("div", { hidden: true }); // what can be done with the values that are tuned
  #absent = h("p", { "data-absent": "" }, "This is a recording: there are no fabrics to tune.");

  constructor(app: App) {
    this.#app = app;
    this.#targets = select("What is tuned", [], (value) => value !== "" && void this.#open(JSON.parse(value) as Target));
    this.#presets = select("Take the values of a fabric", [], (value) => void app.attempt(() => this.#take(value)));
    this.#presets.dataset["operator"] = "";
    this.#presets.title = "All of its numbers, which move cloth; the weave that is drawn stays";
    const undo = button({ icon: "undo", title: "Undo (Ctrl Z)", operator: true, onclick: () => app.tuner.undo() });
    const redo = button({ icon: "redo", title: "Redo (Ctrl Shift Z)", operator: true, onclick: () => app.tuner.redo() });
    const openLua = (purpose: "copy" | "save") => (): void => {
      if (this.#target) void app.attempt(() => luaDialog(app, this.#target!, purpose));
    };
    const copy = button({ icon: "copy", text: "Copy as Lua", onclick: openLua("copy") });
    const save = button({ icon: "save", text: "Save…", onclick: openLua("save") });
    const showHistory = (): void => {
      undo.toggleAttribute("data-empty", !app.tuner.canUndo);
      redo.toggleAttribute("data-empty", !app.tuner.canRedo);
    };
    app.tuner.historyChanged.on(showHistory);
    showHistory();
    this.element = h("section", { class: "tuning", "aria-label": "Tuning" },
      h("div", { class: "row" }, this.#targets, undo, redo),
      this.#sides,
      this.#ofTarget,
      this.#sliders, this.#absent);
    this.#ofTarget.append(h("div", { class: "row" }, this.#presets), h("div", { class: "row even" }, copy, save), this.#compare);
    this.#listen();
  }

  #listen(): void {
    const app = this.#app;
    app.cast.changed.on(() => {
      for (const key of this.#given.keys()) if (this.#isGone(JSON.parse(key) as Target)) this.#given.delete(key);
      if (this.#target && this.#isGone(this.#target)) this.#close();
      this.#listTargets();
    });
    app.server.lost.on(() => this.#becomeStale());
    app.mirror.described.on(() => {
      if (this.#isStale) void this.#reopen();
      const isRecording = !app.mirror.answers("fabric.get");
      for (const part of this.element.children) part.toggleAttribute("data-absent", isRecording !== (part === this.#absent));
      this.#listTargets();
    });
    app.selectionChanged.on(() => this.#followSelection());
    app.comparison.changed.on(() => {
      this.#showComparison();
      this.#followSelection();
    });
    app.tuner.changed.on(({ target, values }) => {
      if (!this.#target || !sameTarget(target, this.#target)) {
        void this.#open(target);
        return;
      }
      for (const path of values.keys()) this.#touched.set(path, performance.now());
      this.#accept(values);
    });
    app.server.event.on(({ method, params }) => {
      if (method === "character.changed" || method === "script.loaded" || method === "fabric.changed") this.#hear(method, params);
    });
    this.#showComparison();
  }

  /** Nothing can be changed until the values of the server that answers next are here. */
  #becomeStale(): void {
    this.#isStale = true;
    this.#given.clear();
    this.#touched.clear();
    this.#sliders.inert = this.#ofTarget.inert = true;
  }

  /** Shows the values of the server that has answered; or another target, where that server does not have this one. */
  async #reopen(): Promise<void> {
    const target = this.#target;
    if (target) await this.#open(target);
    if (!this.#isStale || !this.#app.server.session) return; // or the connection is lost again
    this.#close();
    this.#followSelection();
  }

  #hear(method: string, params: Record<string, unknown>): void {
    if (method === "script.loaded") this.#given.clear();
    if (!this.#target) return;
    if (method === "script.loaded") {
      if (this.#isMadeBy(this.#target, String(params["script"]))) void this.#open(this.#target);
      return;
    }
    if (method === "character.changed") { // it may have been reset
      if ("character" in this.#target && params["character"] === this.#target.character) void this.#renew(this.#target);
      return;
    }
    const own = "fabric" in this.#target ? params["fabric"] === this.#target.fabric
      : params["character"] === this.#target.character && params["garment"] === this.#target.garment;
    if (method === "fabric.changed" && own)
      this.#acceptNews(fromParams(params["values"] as FabricValues));
    else if (method === "fabric.changed") this.#showOther();
  }

  /** Whether a script gives the values of a target. */
  #isMadeBy(target: Target, script: string): boolean {
    if ("fabric" in target) return script === `fabrics/${target.fabric}`;
    const description = this.#app.cast.characters.get(target.character)?.description;
    const fabric = description?.garments.find(({ name }) => name === target.garment)?.fabric;
    return script === description?.script || script === `fabrics/${fabric}`;
  }

  async #renew(target: Target): Promise<void> {
    try {
      const values = valuesOf(await getFabric(this.#app.server, target));
      if (this.#target === target) this.#acceptNews(values);
    } catch (error) {
      if (!isLost(error) && !this.#isGone(target)) console.warn(String(error));
    }
  }

  /** Shows the server's values, but for those that are newer here. */
  #acceptNews(values: Values): void {
    this.#accept(new Map([...values].filter(([path]) => !this.#isAhead(path))));
  }

  /** Whether a value is newer here than what the server tells. */
  #isAhead(path: string): boolean {
    if (performance.now() - (this.#touched.get(path) ?? -Infinity) < ECHO_MS) return true;
    return this.#target !== null && this.#app.tuner.isUnanswered(this.#target, path);
  }

  #listTargets(): void {
    const { cast, mirror, selected } = this.#app;
    const description = selected === null ? undefined : cast.characters.get(selected)?.description;
    const targets: Target[] = [
      ...(description?.garments ?? []).map(({ name }) => ({ character: description!.name, garment: name })),
      ...(mirror.description?.fabrics ?? []).map((fabric) => ({ fabric })),
    ];
    if (this.#target && !targets.some((target) => sameTarget(target, this.#target!))) targets.unshift(this.#target); // of another character
    const options = targets.map((target) => ({
      value: JSON.stringify(target), text: "fabric" in target ? `${target.fabric}, wherever it is worn` : nameOf(target),
    }));
    if (!this.#target) options.unshift({ value: "", text: "Choose a fabric…" });
    setOptions(this.#targets, options, this.#target ? JSON.stringify(this.#target) : "");
    setOptions(this.#presets, [{ value: "", text: "Take values of…" }, ...(mirror.description?.fabrics ?? [])], "");
    if (!this.#target && targets.length > 0) this.#followSelection();
  }

  #followSelection(): void {
    const { cast, selected } = this.#app;
    const description = selected === null ? undefined : cast.characters.get(selected)?.description;
    if (this.#target) this.#listTargets();
    if (!description || description.garments.length === 0) return;
    const kept = this.#target && "character" in this.#target ? this.#target.garment : "";
    const garment = description.garments.find(({ name }) => name === kept) ?? description.garments[0];
    void this.#open({ character: description.name, garment: garment.name });
  }

  async #open(target: Target): Promise<void> {
    if (!this.#app.mirror.answers("fabric.get")) return; // or it is not known yet: then the panel hears when it is
    try {
      const key = JSON.stringify(target), description = await getFabric(this.#app.server, target);
      const given = this.#given.get(key) ?? (await this.#untuned(target, description));
      if (this.#isGone(target)) return;
      this.#target = target;
      this.#isStale = this.#sliders.inert = this.#ofTarget.inert = false;
      this.#values = valuesOf(description);
      this.#given.set(key, given);
      this.#build(description, given);
      this.#listTargets();
      this.#showComparison();
      this.#showOther();
    } catch (error) {
      if (!isLost(error) && !this.#isGone(target)) console.warn(String(error));
    }
  }

  async #untuned(target: Target, description: FabricDescription): Promise<Values> {
    const { cast, server } = this.#app;
    const garment = "fabric" in target ? undefined
      : cast.characters.get(target.character)?.description.garments.find(({ name }) => name === target.garment);
    return valuesOf(garment ? await getFabric(server, { fabric: garment.fabric }) : description);
  }

  #isGone(target: Target): boolean {
    return "character" in target && !this.#app.cast.characters.has(target.character);
  }

  /** Nothing is tuned: the fabric, or the character whose garment it was, is gone. */
  #close(): void {
    this.#target = null;
    this.#values.clear();
    this.#rows.clear();
    this.#sliders.replaceChildren();
    this.#ofTarget.hidden = true;
  }

  #build(description: FabricDescription, given: Values): void {
    this.#ofTarget.hidden = false;
    this.#rows.clear();
    this.#sliders.replaceChildren(...FABRIC_GROUPS.map((group) => {
      const rows = Object.entries(description[group]).map(([key, number]) => {
        const path = group === "values" ? key : `${group}.${key}`;
        const row = valueRow(path, number, given.get(path) ?? number.default, (value, isDragged) => this.#set(path, value, isDragged));
        this.#rows.set(path, row);
        return row.element;
      });
      if (group === "values") return h("div", {}, ...rows);
      return h("details", { open: group === "edge" }, h("summary", {}, GROUP_TITLES[group]), ...rows);
    }));
  }

  #set(path: string, value: number, isDragged: boolean): void {
    if (!this.#target) return;
    this.#touched.set(path, performance.now());
    this.#app.tuner.set(this.#target, new Map([[path, value]]), this.#values, isDragged);
    this.#values.set(path, value);
    this.#showOther();
  }

  #accept(values: Values): void {
    for (const [path, value] of values) {
      this.#values.set(path, value);
      this.#rows.get(path)?.set(value);
    }
    this.#showOther();
  }

  /** Takes over all values of a fabric; one step to undo. */
  async #take(fabric: string): Promise<void> {
    this.#presets.value = "";
    if (!this.#target || fabric === "") return;
    const values = valuesOf(await getFabric(this.#app.server, { fabric }));
    const changed: Values = new Map([...values].filter(([path, value]) => this.#values.get(path) !== value));
    if (changed.size === 0) return;
    this.#app.tuner.set(this.#target, changed, this.#values);
    this.#accept(changed);
  }

  #showComparison(): void {
    const { comparison, selected } = this.#app;
    const { names } = comparison;
    this.#sides.hidden = names === null;
    this.#compare.hidden = selected === null;
    this.#sides.replaceChildren(...(names ?? []).map((name, i) => {
      const made = button({ text: `${"AB"[i]} · ${name}`, class: `side mark-${"ab"[i]}`, onclick: () => this.#app.select(name) });
      made.setAttribute("aria-pressed", String(this.#target !== null && "character" in this.#target && this.#target.character === name));
      return made;
    }));
    const attempt = (work: () => Promise<unknown>) => () => void this.#app.attempt(work);
    this.#compare.replaceChildren(names
      ? h("div", { class: "row" },
        button({ icon: "reset", text: "Restart", title: "Both begin their motion anew", operator: true, onclick: attempt(() => comparison.restart()) }),
        button({ text: selected === names[0] ? "A → B" : "B → A", title: "Give the other one these values", operator: true, onclick: attempt(() => this.#copyToOther()) }),
        button({ icon: "close", text: "End", operator: true, onclick: attempt(() => comparison.end()) }))
      : button({
        icon: "people", text: "Compare A and B", title: "A twin beside the character, in the same motion, with values of its own", operator: true,
        onclick: attempt(async () => { if (selected !== null) await comparison.begin(selected); }),
      }));
  }

  async #copyToOther(): Promise<void> {
    const other = this.#target && this.#app.comparison.other(this.#target);
    if (!other) return;
    const before = valuesOf(await getFabric(this.#app.server, other));
    const changed: Values = new Map([...this.#values].filter(([path, value]) => before.get(path) !== value));
    if (changed.size > 0) this.#app.tuner.set(other, changed, before);
    this.#showOther();
  }

  async #showOther(): Promise<void> {
    const other = this.#target && this.#app.comparison.other(this.#target);
    let values: Values | null = null;
    try {
      if (other) values = valuesOf(await getFabric(this.#app.server, other));
    } catch {
      // the other one has gone
    }
    for (const [path, row] of this.#rows) row.setOther(values?.get(path) ?? null);
  }
}
