/** Header fields as `Headers` has them (WHATWG Fetch, 5.1), as far as commands and the client use them. */
import { validateHeaderName, validateHeaderValue } from 'node:http';

export type HeaderFields =
  | LightHeaders
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string>>;

export class LightHeaders {
  readonly #values = new Map<string, string>();

  /** @throws {TypeError} for a name or a value that HTTP cannot carry */
  constructor(fields: HeaderFields = {}) {
    const pairs = Symbol.iterator in fields ? fields : Object.entries(fields);
    for (const [name, value] of pairs) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    const text = String(value).trim();
    validateHeaderName(name);
    validateHeaderValue(name, text);
    this.#values.set(name.toLowerCase(), text);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  /** By name. */
  entries(): ArrayIterator<[string, string]> {
    return [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)).values();
  }

  [Symbol.iterator](): ArrayIterator<[string, string]> {
    return this.entries();
  }
}
