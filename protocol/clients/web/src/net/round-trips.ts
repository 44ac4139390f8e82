// How long replies take: on their way, and behind frames that the browser has not taken yet.

const KEPT = 60;

export class RoundTrips {
  /** ms of the newest. */
  last = 0;
  #recent: number[] = [];

  push(ms: number): void {
    this.last = ms;
    this.#recent.push(ms);
    if (this.#recent.length > KEPT) this.#recent.shift();
  }

  /** How much longer than the shortest of the last minute the newest has taken, in ms: the shortest is that of the way. */
  get queued(): number {
    return this.#recent.length > 0 ? this.last - Math.min(...this.#recent) : 0;
  }

  restart(first: number): void {
    this.#recent = [];
    this.push(first);
  }
}
