/** Files of entries as CSV, sent and read over the wire. */
import { afterAll, beforeAll, expect } from 'vitest';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

class CsvScene {
  #service: TestService | null = null;
  /** The id of the community 65000:100. */
  community = '';
  #modules = 0;

  async open(): Promise<void> {
    this.#service = await startService();
    const body = { community: '65000:100', title: 'Clouds' };
    this.community = (await this.#service.make('/v1/communities', body)).id;
  }

  async close(): Promise<void> {
    await this.#service?.close();
  }

  get service(): TestService {
    return this.#service!;
  }

  /** The path of a module of its own. */
  readonly newModule = async (type: string): Promise<string> =>
    `/v1/modules/${(await this.service.make('/v1/modules', { name: `m${this.#modules++}`, type })).id}`;

  readonly upload = (module: string, csv: string | Uint8Array, query = '', key?: string): Promise<Answered> =>
    this.service.call('POST', `${module}/entries.csv${query}`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
      ...(key === undefined ? {} : { key }),
    });

  readonly download = async (module: string): Promise<string> =>
    (await this.service.call('GET', `${module}/entries.csv`)).text;

  readonly list = async (module: string, entries: string): Promise<Body[]> =>
    (await this.service.call('GET', `${module}/${entries}?limit=500`)).body.items as Body[];
}

/** It is there from `beforeAll` on. */
export function useCsv(): CsvScene {
  const scene = new CsvScene();
  beforeAll(() => scene.open());
  afterAll(() => scene.close());
  return scene;
}

/** What an import answers that has done this, and nothing else. */
export const done = (counts: Partial<Body>) => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  dry_run: false,
  // What was deleted can be restored by it.
  batch: 'deleted' in counts && counts.dry_run !== true ? (expect.any(String) as string) : null,
  ...counts,
});
