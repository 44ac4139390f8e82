// A fabric as the text of a Lua file: copied, shown, and offered as a file.
import type { App } from "../app";
import { nameOf, type Target } from "../tuning/target";
import { button, h } from "./dom";

export async function luaDialog(app: App, target: Target): Promise<void> {
  const { lua } = await app.server.request<{ lua: string }>("fabric.export", target);
  const name = /name = "([^"]+)"/.exec(lua)?.[1] ?? "fabric";
  const copied = await copy(lua);
  const note = h("p", { role: "status" }, copied ? "Copied." : "The browser did not allow copying: mark the text and copy it.");
  const dialog = h("dialog", { class: "lua", "aria-label": `${nameOf(target)} as Lua`, onclose: () => dialog.remove() },
    h("h2", {}, `${nameOf(target)} as Lua`),
    note,
    h("pre", { tabindex: 0 }, lua),
    h("p", { class: "hint" }, `Saved as fabrics/${name}.lua below a folder of scripts, it is a fabric like any other.`),
    h("div", { class: "row" },
      button({ icon: "copy", text: "Copy", onclick: () => void copy(lua).then((done) => (note.textContent = done ? "Copied." : "Not allowed.")) }),
      button({ icon: "save", text: `Save ${name}.lua`, onclick: () => download(`${name}.lua`, lua) }),
      button({ icon: "close", text: "Close", onclick: () => dialog.close() })));
  document.body.append(dialog);
  dialog.showModal();
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
