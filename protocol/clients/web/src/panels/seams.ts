// The seams of the selected character as toggles: pressed is closed. Scripts open and close them, too, so they are asked for.
import type { App } from "../app";
import { button, h, setPressed } from "./dom";

interface Seam {
  name: string;
  closed: boolean;
}

export function seamsSection(app: App): HTMLElement {
  const chips = h("div", { class: "chips" });
  const section = h("section", { hidden: true }, h("h2", {}, "Seams"), chips);
  const buttons = new Map<string, HTMLButtonElement>();
  let character: string | null = null;

  const set = async (seam: string, closed: boolean): Promise<void> => {
    await app.server.together(app.addressed.map((name) => ["seam.set", { character: name, seam, closed }]));
    await update();
  };
  const make = ({ name }: Seam): HTMLButtonElement => {
    const made: HTMLButtonElement = button({ text: name, class: "chip", title: "Closes or opens this seam", operator: true,
      onclick: () => void app.attempt(() => set(name, made.getAttribute("aria-pressed") !== "true")) });
    return made;
  };
  const show = (seams: Seam[]): void => {
    section.hidden = seams.length === 0;
    if (seams.map(({ name }) => name).join("\n") !== [...buttons.keys()].join("\n")) {
      buttons.clear();
      for (const seam of seams) buttons.set(seam.name, make(seam));
      chips.replaceChildren(...buttons.values());
    }
    for (const { name, closed } of seams) setPressed(buttons.get(name)!, closed);
  };
  const update = async (): Promise<void> => {
    const asked = character;
    const seams = asked === null ? [] : await app.server.request<Seam[]>("seam.list", { character: asked });
    if (asked === character) show(seams);
  };
  const follow = (): void => {
    character = app.selected;
    void update().catch(() => show([])); // the character or the connection is gone
  };
  app.selectionChanged.on(follow);
  app.cast.changed.on(follow);
  app.mirror.statsTaken.on(() => void (!section.hidden && follow())); // what scripts have done meanwhile
  return section;
}
