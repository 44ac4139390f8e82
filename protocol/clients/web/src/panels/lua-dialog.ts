// A fabric as the text of a Lua file: copied, shown, offered as a file, and saved on the server where that allows it.
import type { App } from "../app";
import { nameOf, type Target } from "../tuning/target";
import { button, h } from "./dom";

interface Saved {
  file: string;
  kept?: string;
}

export async function luaDialog(app: App, target: Target, purpose: "copy" | "save"): Promise<void> {
  const { lua } = await app.server.request<{ lua: string }>("fabric.export", target);
  const name = /name = "([^"]+)"/.exec(lua)?.[1] ?? "fabric";
  const note = h("p", { role: "status" });
  const copyAndTell = async (): Promise<void> => {
    note.textContent = (await copy(lua)) ? "Copied." : "The browser did not allow copying: mark the text and copy it.";
  };
  const dialog = h("dialog", { class: "lua", "aria-label": `${nameOf(target)} as Lua`, onclose: () => dialog.remove() },
    h("h2", {}, `${nameOf(target)} as Lua`),
    note,
    h("pre", { tabindex: 0 }, lua),
    saving(app, target, name, note),
    h("div", { class: "row" },
      button({ icon: "copy", text: "Copy", onclick: () => void copyAndTell() }),
      button({ icon: "save", text: `Download ${name}.lua`, onclick: () => download(`${name}.lua`, lua) }),
      button({ icon: "close", text: "Close", onclick: () => dialog.close() })));
  document.body.append(dialog);
  dialog.showModal();
  if (purpose === "copy") await copyAndTell();
  else dialog.querySelector<HTMLInputElement>("input")?.select();
}

/** The name of the fabric on the server, and the button that saves it; or why there is none. */
function saving(app: App, target: Target, usual: string, note: HTMLElement): HTMLElement {
  if (!app.mirror.description?.allow_save || !app.server.isOperator) {
    const cause = app.server.isOperator ? "This server does not save: it is started without --allow-save." : "Only operators can save on the server.";
    return h("p", { class: "hint" }, `${cause} Put the downloaded file below a folder of scripts as fabrics/${usual}.lua: then it is a fabric like any other.`);
  }
  const field = h("input", { type: "text", value: usual, maxlength: 64, "aria-label": "Name of the fabric on the server" });
  const save = async (): Promise<void> => {
    try {
      const { file, kept } = await app.server.request<Saved>("fabric.save", { ...target, name: field.value });
      note.textContent = `Saved as ${file}${kept === undefined ? "" : `; what it was is in ${kept}`}.`;
    } catch (error) {
      note.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const form = h("form", { class: "row", onsubmit: (event: SubmitEvent) => {
    event.preventDefault();
    void save();
  } }, h("label", {}, "Fabric ", field), button({ icon: "save", text: "Save on the server", onclick: () => form.requestSubmit() }));
  return form;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
