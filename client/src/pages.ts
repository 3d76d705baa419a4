/** A list as its pages, and as its items. */

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

export type ReadPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/** What a list answers, read a page at a time as it is iterated. */
export class Listing<Item> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Item>;

  constructor(read: ReadPage<Item>) {
    this.#read = read;
  }

  async *pages(): AsyncGenerator<Page<Item>> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor);
      yield page;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** All items, or the first `limit` of them. */
  async toArray(limit = Infinity): Promise<Item[]> {
    const found: Item[] = [];
    for await (const item of this) {
      if (found.length >= limit) break;
      found.push(item);
    }
    return found;
  }
}
