// Wind, gravity and tornadoes.
import type { App } from "../app";
import type { Tornado, Vector } from "../net/protocol";
import { button, h, select } from "./dom";
import { range, type Range } from "./range";
import { Sender } from "./sender";

const GRAVITIES: Record<string, number> = { earth: 9.81, moon: 1.62, mars: 3.71, none: 0 };

interface WindValues { speed: number; heading: number; rise: number; turbulence: number; gust: number } // speed: along the ground
interface Storm { radius: number; strength: number; lift: number }

export class WeatherPanel {
  readonly element: HTMLElement;
  /** A click on the ground drops a tornado. */
  placing = false;
  storm: Storm = { radius: 0.5, strength: 12, lift: 5 };

  #app: App;
  #speed: Range;
  #heading: Range;
  #turbulence: Range;
  #gust: Range;
  #gravity: Range;
  #wind: WindValues = { speed: 0, heading: 0, rise: 0, turbulence: 0, gust: 0 };
  #storm: Record<keyof Storm, Range>;
  #place: HTMLButtonElement;
  #list = h("ul", { class: "list" });
  #windSender: Sender<WindValues>;
  #gravitySender: Sender<number>;
  #stormSender: Sender<Storm>;

  constructor(app: App) {
    this.#app = app;
    this.#windSender = new Sender((wind) => app.ask("world.set", { wind: toWind(wind) }));
    this.#gravitySender = new Sender((gravity) => app.ask("world.set", { gravity: [0, -gravity, 0] }));
    this.#stormSender = new Sender(async (storm) => {
      const last = app.mirror.world?.tornados.at(-1); // the sliders change the newest
      if (last) await app.ask("world.tornado", { ...last, ...storm, position: this.#present(last) });
    });
    this.#storm = {
      radius: this.#stormRange("radius", "Radius", "m", 0.1, 3, 0.005),
      strength: this.#stormRange("strength", "Swirl", "m/s", -40, 40, 0.1),
      lift: this.#stormRange("lift", "Updraft", "m/s", -10, 30, 0.1),
    };
    const wind = (key: keyof WindValues, label: string, unit: string, maximum: number, step: number): Range =>
      range({ label, unit, minimum: 0, maximum, step, value: 0, oninput: (value) => this.#setWind({ ...this.#wind, [key]: value }) });
    this.#speed = wind("speed", "Wind", "m/s", 30, 0.05);
    this.#heading = wind("heading", "Blows towards", "°", 360, 1);
    this.#turbulence = wind("turbulence", "Turbulence", "", 2, 0.005);
    this.#gust = wind("gust", "Gusts", "", 2, 0.005);
    const setGravity = (value: number): void => this.#gravitySender.set(value);
    this.#gravity = range({ label: "Gravity", unit: "m/s²", minimum: 0, maximum: 25, step: 0.01, value: 9.81, oninput: setGravity });
    const gravities = select("Gravity of", ["gravity of…", ...Object.keys(GRAVITIES)], (name) => {
      if (name in GRAVITIES) {
        this.#gravity.set(GRAVITIES[name]);
        setGravity(GRAVITIES[name]);
      }
      gravities.selectedIndex = 0;
    });
    gravities.dataset["operator"] = "";
    this.#place = button({
      icon: "tornado", text: "Drop a tornado", title: "Then click on the ground; drag it by its ring", operator: true,
      onclick: () => this.setPlacing(!this.placing),
    });
    this.element = h("section", { class: "weather", "aria-label": "Weather" },
      h("h2", {}, "Wind"), this.#speed.element, this.#heading.element, this.#turbulence.element, this.#gust.element,
      button({ icon: "close", text: "Still air", operator: true, onclick: () => this.#calm() }),
      h("h2", {}, "Gravity"), this.#gravity.element, gravities,
      h("h2", {}, "Tornadoes"), this.#place, this.#storm.radius.element, this.#storm.strength.element, this.#storm.lift.element,
      this.#list);
    const senders = [this.#windSender, this.#gravitySender, this.#stormSender];
    for (const signal of [app.mirror.worldChanged, ...senders.map(({ settled }) => settled)]) signal.on(() => this.#show());
    app.server.lost.on(() => senders.forEach((sender) => sender.drop()));
  }

  setPlacing(placing: boolean): void {
    this.placing = placing;
    this.#place.setAttribute("aria-pressed", String(placing));
    document.body.classList.toggle("placing", placing);
  }

  /** A new tornado with the values of the sliders. */
  drop(position: Vector): void {
    this.setPlacing(false);
    const taken = new Set(this.#app.mirror.world?.tornados.map(({ name }) => name));
    let number = 1;
    while (taken.has(`twister ${number}`)) number++;
    void this.#app.ask("world.tornado", { name: `twister ${number}`, position, ...this.storm });
  }

  #stormRange(key: keyof Storm, label: string, unit: string, minimum: number, maximum: number, step: number): Range {
    return range({ label, unit, minimum, maximum, step, value: this.storm[key],
      oninput: (value) => {
        this.storm = { ...this.storm, [key]: value };
        this.#stormSender.set(this.storm);
      } });
  }

  /** Where it is at the newest frame, whatever moment is shown. */
  #present({ position, velocity }: Tornado): Vector {
    const seconds = Math.max(0, this.#app.timeline.newest - this.#app.mirror.worldTime);
    return position.map((place, axis) => place + velocity[axis] * (Number.isFinite(seconds) ? seconds : 0)) as Vector;
  }

  #setWind(wind: WindValues): void {
    this.#wind = wind;
    this.#windSender.set(wind);
  }

  #calm(): void {
    this.#setWind({ speed: 0, heading: this.#wind.heading, rise: 0, turbulence: 0, gust: 0 });
    this.#showWind();
  }

  /** Shows the server's world, without what the user has changed since. */
  #show(): void {
    const { world } = this.#app.mirror;
    if (!world) return;
    if (!this.#windSender.isAhead) {
      const { velocity: [x, rise, z], turbulence, gust } = world.wind, speed = Math.hypot(x, z);
      const heading = speed > 0.01 ? ((Math.atan2(x, z) * 180) / Math.PI + 360) % 360 : this.#wind.heading;
      this.#wind = { speed, heading, rise, turbulence, gust };
      this.#showWind();
    }
    if (!this.#gravitySender.isAhead) this.#gravity.set(-world.gravity[1]);
    const last = world.tornados.at(-1);
    if (last && !this.#stormSender.isAhead) {
      this.storm = { radius: last.radius, strength: last.strength, lift: last.lift };
      for (const key of ["radius", "strength", "lift"] as const) this.#storm[key].set(last[key]);
    }
    this.#list.replaceChildren(...world.tornados.map(({ name, strength }) => h("li", {},
      h("span", { class: "name" }, `${name}, ${Number(strength.toFixed(1))} m/s`),
      button({ icon: "close", title: `End ${name}`, class: "quiet", operator: true, onclick: () => void this.#app.ask("world.calm", { name }) }))));
  }

  #showWind(): void {
    const { speed, heading, turbulence, gust } = this.#wind;
    this.#speed.set(speed);
    this.#heading.set(heading);
    this.#turbulence.set(turbulence);
    this.#gust.set(gust);
  }
}

function toWind({ speed, heading, rise, turbulence, gust }: WindValues): object {
  const angle = (heading * Math.PI) / 180;
  return { velocity: [speed * Math.sin(angle), rise, speed * Math.cos(angle)], turbulence, gust };
}
