// What went wrong: mistakes of scripts until they are mended, and refused requests and removals for a while.
import type { App, Notice } from "../app";
import { button, h } from "./dom";

const SHOWN_MS = 6000;
const ACTION_MS = 10000; // with a button to press

export function notices(app: App): HTMLElement {
  const faults = h("div", { class: "faults" });
  const refusals = h("div", { class: "refusals", role: "status" });
  const hidden = new Map<string, string>(); // closed by the user, until the message is another one

  const show = (): void => {
    for (const script of hidden.keys()) if (!app.mirror.faults.has(script)) hidden.delete(script); // it is mended
    const open = new Set([...faults.querySelectorAll<HTMLElement>("[data-script]:has(details[open])")].map((fault) => fault.dataset["script"]));
    faults.replaceChildren(...[...app.mirror.faults.values()].filter(({ script, message }) => hidden.get(script) !== message)
      .map(({ script, message, traceback }) => h("div", { class: "notice fault", role: "alert", "data-script": script },
        h("b", {}, script), h("p", {}, message),
        traceback !== "" && h("details", { open: open.has(script) }, h("summary", {}, "Traceback"), h("pre", { tabindex: 0 }, traceback)),
        button({ icon: "close", title: "Close", class: "quiet", onclick: () => { hidden.set(script, message); show(); } }))));
  };
  app.mirror.faultsChanged.on(show);

  const tell = ({ message, action, stays, closed, topic = "" }: Notice): void => {
    const remove = (): void => notice.remove();
    const notice = h("div", { class: "notice", "data-topic": topic }, h("p", {}, message),
      action !== undefined && button({ text: action.text, class: "action", onclick: () => { remove(); action.run(); } }),
      button({ icon: "close", title: "Close", class: "quiet", onclick: () => { remove(); closed?.(); } }));
    if (topic !== "") refusals.querySelector(`[data-topic="${topic}"]`)?.remove();
    refusals.append(notice);
    while (refusals.children.length > 3) refusals.firstChild?.remove();
    if (!stays) setTimeout(remove, action ? ACTION_MS : SHOWN_MS);
  };
  const refuse = (message: string): void => tell({ message });
  app.failed.on(refuse);
  app.noticed.on(tell);
  app.mirror.logged.on(({ level, message }) => level === "error" && refuse(message));
  return h("div", { class: "notices" }, faults, refusals);
}
