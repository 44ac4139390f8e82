// What the browser remembers of the page between visits.

export function load<T>(name: string): T | undefined {
  try {
    const text = localStorage.getItem(`tweed.${name}`);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined; // storage is off, or holds something else
  }
}

/** Remembers a value; undefined forgets it. */
export function save(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(`tweed.${name}`);
    else localStorage.setItem(`tweed.${name}`, JSON.stringify(value));
  } catch {
    // without storage the page forgets
  }
}
