// Sends what a control is set to, a few times a second at most, and tells when the server's news is newer than the control.
import { Signal } from "../net/signal";

const SEND_MS = 80;
const ECHO_MS = 250; // after the last reply, in which older news of the server may still come

export class Sender<T> {
  /** Everything is sent and answered: from now on the server's values are newer than the control's. */
  readonly settled = new Signal();

  #send: (value: T) => Promise<unknown>;
  #waiting: { value: T } | null = null;
  #sending = false;
  #settling: number | undefined; // the timer that runs after the last reply

  /** `send` resolves when the server has answered, also where it refuses. */
  constructor(send: (value: T) => Promise<unknown>) {
    this.#send = send;
  }

  /** Whether the control is newer than what the server tells. */
  get isAhead(): boolean {
    return this.#sending || this.#settling !== undefined;
  }

  set(value: T): void {
    this.#waiting = { value };
    window.clearTimeout(this.#settling);
    this.#settling = undefined;
    if (!this.#sending) void this.#drain();
  }

  /** Forgets what is not sent yet. */
  drop(): void {
    this.#waiting = null;
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    while (this.#waiting) {
      const { value } = this.#waiting;
      this.#waiting = null;
      await this.#send(value);
      await new Promise((resolve) => setTimeout(resolve, SEND_MS));
    }
    this.#sending = false;
    this.#settling = window.setTimeout(() => {
      this.#settling = undefined;
      this.settled.emit();
    }, ECHO_MS);
  }
}
