// Which ticks the server sends a frame of.

const LONGEST_SECONDS = 10; // from frame to frame

export class Rhythm {
  readonly tickRate: number;
  /** The longest time from frame to frame, in seconds of simulation. */
  readonly interval: number;
  #rate: number | null;
  #step: number;

  /** `rate` is that of the view, null for every tick; an overloaded server sends frames only of ticks that `step` divides. */
  constructor(tickRate: number, rate: number | null, step: number) {
    this.tickRate = tickRate;
    this.#rate = rate;
    this.#step = step;
    let longest = 1, last = 0;
    for (let tick = 1; tick <= LONGEST_SECONDS * tickRate; tick++) {
      if (!this.has(tick)) continue;
      longest = Math.max(longest, tick - last);
      last = tick;
    }
    this.interval = longest / tickRate;
  }

  has(tick: number): boolean {
    const { tickRate } = this, rate = this.#rate, before = Math.max(0, tick - this.#step);
    return tick % this.#step === 0 && (rate === null || Math.floor((tick * rate) / tickRate) > Math.floor((before * rate) / tickRate));
  }
}
