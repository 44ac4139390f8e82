// What went wrong: mistakes of scripts until they are mended, and refused requests for a while.
import type { App } from "../app";
import { button, h } from "./dom";

const SHOWN_MS = 8000;

export function notices(app: App): HTMLElement {
  const faults = h("div", { class: "faults" });
  const refusals = h("div", { class: "refusals", role: "status" });
  const hidden = new Map<string, string>(); // closed by the user, until the message is another one

  const show = (): void => {
    const open = new Set([...faults.querySelectorAll<HTMLElement>("[data-script]:has(details[open])")].map((fault) => fault.dataset["script"]));
    faults.replaceChildren(...[...app.mirror.faults.values()].filter(({ script, message }) => hidden.get(script) !== message)
      .map(({ script, message, traceback }) => h("div", { class: "notice fault", role: "alert", "data-script": script },
        h("b", {}, script), h("p", {}, message),
        traceback !== "" && h("details", { open: open.has(script) }, h("summary", {}, "Traceback"), h("pre", { tabindex: 0 }, traceback)),
        button({ icon: "close", title: "Close", class: "quiet", onclick: () => { hidden.set(script, message); show(); } }))));
  };
  app.mirror.faultsChanged.on(show);

  const refuse = (message: string): void => {
    const notice = h("div", { class: "notice" }, h("p", {}, message));
    refusals.append(notice);
    while (refusals.children.length > 3) refusals.firstChild?.remove();
    setTimeout(() => notice.remove(), SHOWN_MS);
  };
  app.failed.on(refuse);
  app.mirror.logged.on(({ level, message }) => level === "error" && refuse(message));
  return h("div", { class: "notices" }, faults, refusals);
}
