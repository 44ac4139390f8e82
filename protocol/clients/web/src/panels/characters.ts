// The panel on the left: characters, what the selected one can do, and new ones.
import { Vector3 } from "three";
import type { App } from "../app";
import type { Bones } from "../scene/bones";
import { requestsOf, tunedGarments, type Change } from "../tuning/target";
import { button, h, select, setOptions } from "./dom";
import { nodesSection } from "./nodes";
import { seamsSection } from "./seams";

const APART = 1.2; // m between characters that are spawned here

export function charactersPanel(app: App): HTMLElement {
  const list = h("ul", { class: "list" });
  const actions = h("div", { class: "stack" });
  const scripts = select("Script of the new character", [], () => undefined);
  scripts.dataset["operator"] = "";
  app.mirror.described.on(() =>
    setOptions(scripts, app.mirror.characterScripts.map((value) => ({ value, text: value.replace(/^.*?characters\//, "") }))));

  let listed = "";
  const show = (): void => {
    const names = [...app.cast.characters.keys()];
    const key = JSON.stringify([names, app.selected, app.comparison.names, names.map((name) => app.cast.characters.get(name)?.description.revision === 0)]);
    if (key === listed) return;
    listed = key;
    list.replaceChildren(...names.map((name) => entry(app, name)));
  };
  let described = "";
  const showActions = (): void => {
    const description = app.selected === null ? undefined : app.cast.characters.get(app.selected)?.description;
    const key = JSON.stringify([app.selected, description?.clips, description?.commands, app.comparison.names]);
    if (key === described) return;
    described = key;
    actions.replaceChildren(...selectedActions(app));
  };
  for (const signal of [app.cast.changed, app.selectionChanged, app.comparison.changed]) {
    signal.on(() => {
      show();
      showActions();
    });
  }

  return h("aside", { class: "panel left", "aria-label": "Characters" },
    h("section", {},
      h("h2", {}, "Characters"),
      list,
      h("div", { class: "row" }, scripts,
        button({ icon: "plus", text: "Spawn", operator: true, onclick: () => void app.attempt(() => spawn(app, scripts.value)) }))),
    actions,
    seamsSection(app),
    nodesSection(app));
}

/** What the stage says while nobody is on it, or the server is gone. */
export function emptyHint(app: App): HTMLElement {
  const hint = h("p", { class: "empty", role: "status", hidden: true });
  let isLost = false, isSilent = false;
  const show = (): void => {
    const isEmpty = app.cast.characters.size === 0;
    hint.hidden = !isLost && !isSilent && !(isEmpty && app.mirror.stats?.characters === 0);
    hint.classList.toggle("above", !isEmpty); // of the characters, who stand still
    if (isLost) hint.textContent = "The server is gone. Reconnecting…";
    else if (isSilent) hint.textContent = "The server does not answer. Waiting…";
    else hint.textContent = app.server.isOperator ? "No characters: spawn one in the panel Characters" : "No characters";
  };
  app.server.lost.on(() => {
    isLost = true;
    isSilent = false;
    show();
  });
  app.server.silence.on((seconds) => {
    isSilent = seconds > 0;
    show();
  });
  app.server.refused.on(() => {
    isLost = false; // the status line says why
    show();
  });
  app.server.opened.on(() => {
    isLost = false;
    show();
  });
  app.cast.changed.on(show);
  app.mirror.statsTaken.on(show);
  return hint;
}

function entry(app: App, name: string): HTMLLIElement {
  const mark = app.comparison.names?.indexOf(name) ?? -1;
  const pick = button({ text: name, class: "name", onclick: () => app.select(name) });
  pick.setAttribute("aria-pressed", String(app.selected === name));
  if (mark >= 0) pick.append(h("b", { class: `mark mark-${"ab"[mark]}` }, "AB"[mark]));
  return h("li", {}, pick,
    button({ icon: "reset", title: `Start ${name} anew`, class: "quiet", operator: true, onclick: () => void app.ask("character.reset", { character: name }) }),
    button({ icon: "trash", title: `Remove ${name}`, class: "quiet", operator: true, onclick: () => void app.attempt(() => remove(app, name)) }));
}

function selectedActions(app: App): HTMLElement[] {
  const description = app.selected === null ? undefined : app.cast.characters.get(app.selected)?.description;
  if (!description) return [];
  const everyone = (method: string, params: object): void => {
    app.comparison.motion = [method, params];
    void app.attempt(() => app.server.together(app.addressed.map((character) => [method, { ...params, character }])));
  };
  const sections: HTMLElement[] = [];
  if (description.commands.length > 0) {
    sections.push(h("section", {}, h("h2", {}, "Commands"), h("div", { class: "chips" }, ...description.commands.map(({ name, help }) =>
      button({ text: name, title: help, class: "chip", operator: true, onclick: () => everyone("character.call", { command: name }) })))));
  }
  if (description.clips.length > 0) {
    const loop = h("input", { type: "checkbox", checked: true });
    sections.push(h("section", {}, h("h2", {}, "Clips"),
      h("div", { class: "chips" }, ...description.clips.map(({ name, duration }) =>
        button({ text: name, title: `${name}, ${duration.toFixed(1)} s`, class: "chip", operator: true,
          onclick: () => everyone("character.play", { clip: name, loop: loop.checked }) }))),
      h("label", { class: "check" }, loop, "repeat")));
  }
  return sections;
}

/** Adds a character to the right of the others, beside the last of them. */
async function spawn(app: App, script: string): Promise<void> {
  let last: Bones | undefined;
  for (const { bones } of app.cast.characters.values()) if (!last || bones.world[12] > last.world[12]) last = bones;
  const [x, z] = last ? [last.world[12] + APART, last.world[14]] : [0, 0];
  await add(app, { script, position: [x, app.stage.ground.mesh.position.y, z] });
}

/** Spawns a character, tunes its garments, selects it and brings it into view. */
async function add(app: App, request: object, tuned: Change[] = []): Promise<void> {
  const { name } = await app.server.request<{ name: string }>("character.spawn", request);
  await app.attempt(() => app.server.together(requestsOf(tuned)));
  if (app.playback.isPaused) await app.playback.step(); // its first frame is that of the next tick
  for (let tries = 0; tries < 100; tries++) {
    if (app.cast.characters.get(name)?.sample) {
      app.select(name);
      app.camera.include(name);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Removes a character; for some seconds a notice offers to spawn it again, where it stands now, in clothes that are tuned as now. */
async function remove(app: App, name: string): Promise<void> {
  const character = app.cast.characters.get(name);
  const isTunable = character && app.mirror.answers("fabric.get");
  const tuned = isTunable ? await tunedGarments(app.server, name, character.description.garments).catch(() => []) : []; // another node's fabric
  await app.server.request("character.remove", { character: name });
  if (!character || !app.mirror.answers("character.spawn")) return;
  const { description: { script, params }, bones } = character;
  const root = bones.position(0, new Vector3()), front = bones.front(new Vector3()), turn = Math.atan2(front.x, front.z) / 2;
  const again = {
    script, name, ...(params && { params }),
    position: [root.x, app.stage.ground.mesh.position.y, root.z], rotation: [0, Math.sin(turn), 0, Math.cos(turn)],
  };
  app.noticed.emit({ message: `${name} is removed.`, action: { text: "Undo", run: () => void app.attempt(() => add(app, again, tuned)) } });
}
