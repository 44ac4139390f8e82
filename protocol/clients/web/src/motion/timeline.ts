// Frames by simulation time: what is shown is a fixed delay behind the newest frame, and 20 s back for scrubbing.
// Time is that of the simulation, unless it is said to be that of the clock on the wall.
import type { Frame } from "../net/protocol";

const WINDOW_MS = 2000; // on the wall, in which the fastest frame is sought
const DELAY_FRAMES = 1.5; // so that a frame after the shown moment has come
const JITTER_SECONDS = 0.035; // on the wall, what the network may delay a frame
export const KEPT_SECONDS = 20;
const KEPT_BYTES = 384e6; // of all characters together; with many of them fewer seconds are kept

/** Two frames of a character, and how far between them the shown moment is. */
export interface Sample {
  earlier: Frame;
  later: Frame;
  fraction: number;
}

export class Timeline {
  /** Seconds from frame to frame. */
  interval = 1 / 60;
  /** The moment of simulation time that is looked at; null: live. */
  scrubbed: number | null = null;

  #frames = new Map<string, Frame[]>();
  #lags: { arrival: number; lag: number }[] = []; // both rising
  #speed = 1;
  #shown = -Infinity;
  #bytes = 0;

  push(frame: Frame): void {
    let frames = this.#frames.get(frame.character);
    if (!frames) this.#frames.set(frame.character, (frames = []));
    const last = frames.at(-1);
    if (last && frame.time < last.time) { // another server, or the same one started again
      this.restart();
      this.#frames.set(frame.character, (frames = []));
    } else if (last && frame.time === last.time) {
      this.#bytes -= bytesOf(last);
      frames.pop();
    }
    const lag = frame.arrival * this.#speed - frame.time * 1000;
    while (this.#lags.length > 0 && this.#lags.at(-1)!.lag >= lag) this.#lags.pop();
    this.#lags.push({ arrival: frame.arrival, lag });
    while (this.#lags[0].arrival < frame.arrival - WINDOW_MS) this.#lags.shift();
    frames.push(frame);
    this.#bytes += bytesOf(frame);
    this.#drop(frames, frame.time);
  }

  /** Sets the moment to show at `now`, in ms of performance.timeOrigin + performance.now(). */
  advance(now: number): void {
    if (this.#lags.length === 0) return;
    const live = Math.min((now * this.#speed - this.#lags[0].lag) / 1000 - this.delay, this.newest);
    this.#shown = Math.max(this.#shown, live); // never backwards, and nothing is extrapolated
  }

  sample(character: string): Sample | null {
    const frames = this.#frames.get(character);
    if (!frames || frames.length === 0) return null;
    const time = this.shown;
    let low = 0, high = frames.length - 1;
    while (low < high) { // the last frame that is not later than `time`
      const middle = (low + high + 1) >> 1;
      if (frames[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    const earlier = frames[low], later = frames[low + 1];
    if (!later || time <= earlier.time || later.revision !== earlier.revision || later.bones.length !== earlier.bones.length)
      return { earlier, later: earlier, fraction: 0 };
    return { earlier, later, fraction: (time - earlier.time) / (later.time - earlier.time) };
  }

  /** Seconds that the shown moment is behind the newest frame. Jitter lasts less of them in slow motion. */
  get delay(): number {
    return DELAY_FRAMES * this.interval + JITTER_SECONDS * this.#speed;
  }

  get shown(): number {
    return this.scrubbed ?? this.#shown;
  }

  get newest(): number {
    let newest = -Infinity;
    for (const frames of this.#frames.values()) newest = Math.max(newest, frames.at(-1)?.time ?? -Infinity);
    return newest;
  }

  get oldest(): number {
    let oldest = Infinity;
    for (const frames of this.#frames.values()) oldest = Math.min(oldest, frames[0]?.time ?? Infinity);
    return oldest;
  }

  /** Seconds of simulation per second of the clock on the wall. */
  set speed(speed: number) {
    if (speed === this.#speed) return;
    this.#speed = speed;
    this.resynchronise();
  }

  /** Estimates the offset of the clocks again from the next frame on, because simulation time stood still. */
  resynchronise(): void {
    this.#lags = [];
  }

  restart(): void {
    this.#frames.clear();
    this.#lags = [];
    this.#shown = -Infinity;
    this.#bytes = 0;
    this.scrubbed = null;
  }

  remove(character: string): void {
    for (const frame of this.#frames.get(character) ?? []) this.#bytes -= bytesOf(frame);
    this.#frames.delete(character);
  }

  #drop(frames: Frame[], newest: number): void {
    const needed = newest - this.delay - 1;
    let count = 0;
    while (count < frames.length - 2 && frames[count + 1].time < needed &&
           (frames[count + 1].time < newest - KEPT_SECONDS || this.#bytes > KEPT_BYTES)) {
      this.#bytes -= bytesOf(frames[count]);
      count++;
    }
    if (count > 0) frames.splice(0, count);
  }
}

function bytesOf(frame: Frame): number {
  return frame.bones.buffer.byteLength;
}
