// Keys and mouse.
import { button, h } from "./dom";

const KEYS: [string, string][] = [
  ["drag, wheel", "turn the camera, come nearer; with the right button move it"],
  ["click", "select a character"],
  ["Space", "pause or go on"],
  [".", "one tick"],
  ["← →", "look back and forth by half a second; L is live"],
  ["← → on a slider", "about a hundredth of its length, with Shift a finer step; on the time slider a thousandth"],
  ["F, O", "show all characters; follow the selected one"],
  ["Tab", "through all controls"],
  ["[ ]", "the character before, the next one"],
  ["1 … 8", "switches of the bar at the top"],
  ["Ctrl Z, Ctrl Shift Z", "undo a change of a fabric, and redo it"],
  ["N", "drop a tornado by a click on the ground; drag it by its ring"],
  ["T, H", "light or dark; hide the panels"],
  ["Esc", "close the panel, where panels are over the scene"],
  ["?", "this list"],
];

export function helpDialog(): HTMLDialogElement {
  const dialog = h("dialog", { "aria-label": "Keys and mouse" },
    h("h2", {}, "Keys and mouse"),
    h("dl", {}, ...KEYS.flatMap(([keys, meaning]) => [h("dt", {}, keys), h("dd", {}, meaning)])),
    h("div", { class: "row" }, button({ icon: "close", text: "Close", onclick: () => dialog.close() })));
  return dialog;
}

export function tokenDialog(complaint: string): Promise<string | null> {
  return new Promise((resolve) => {
    const field = h("input", { type: "password", autocomplete: "off", "aria-label": "Token", required: true });
    const form = h("form", { method: "dialog", class: "row" }, field, h("button", { type: "submit" }, "Connect"));
    const dialog = h("dialog", {
      "aria-label": "Token",
      onclose: () => {
        dialog.remove();
        resolve(field.value || null);
      },
    }, h("h2", {}, "This server asks for a token"), complaint !== "" && h("p", { role: "alert" }, `${complaint[0].toUpperCase()}${complaint.slice(1)}.`), form);
    document.body.append(dialog);
    dialog.showModal();
  });
}
