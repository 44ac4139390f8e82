/** A list of listeners that are called in the order in which they were added. */
export class Signal<T = void> {
  #listeners = new Set<(value: T) => void>();

  /** Returns a function that removes the listener again. */
  on(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
}
