/**
 * Holds tables of bad input against a real API: each answer names the field and says what would be right, and nothing is
 * written.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRevision } from '../fixtures.ts';
import { NOBODY, startService, type TestService } from '../service.ts';

/**
 * What is sent where (`:name` stands for the id of a thing that exists), the pointer that must be named (null: the fault is of no
 * field), and words of the remedy.
 */
export type Row = readonly [request: string, body: unknown, pointer: string | null, words: RegExp];

export interface Refusal {
  readonly status: number;
  readonly code: string;
}

export const INVALID: Refusal = { status: 422, code: 'validation_failed' };
export const CONFLICT: Refusal = { status: 409, code: 'conflict' };

/** What exists before every test of a file, in order. */
const THINGS: readonly (readonly [name: string, path: string, body: object])[] = [
  ['community', '/v1/communities', { community: '65000:100', title: 'Clouds' }],
  ['used', '/v1/communities', { community: '65000:200', title: 'Used' }],
  ['cdn', '/v1/modules', { name: 'cdn', type: 'CDN_SOURCES', community_id: ':used' }],
  ['ranges', '/v1/modules', { name: 'ranges', type: 'IP_RANGES' }],
  ['asns', '/v1/modules', { name: 'asns', type: 'AS_PREFIXES' }],
  ['network', '/v1/modules/:asns/as-entries', { asn: 3333 }],
  ['off', '/v1/modules', { name: 'off', type: 'IP_RANGES', enabled: false }],
  ['source', '/v1/modules/:cdn/cdn-sources', { name: 'aws', url: 'https://a.example/l', format: 'json' }],
  ['range', '/v1/modules/:ranges/ip-range-entries', { cidr: '9.9.9.0/24' }],
  ['speaker', '/v1/speakers', { name: 'edge', local_asn: 64512 }],
  ['idle', '/v1/speakers', { name: 'idle', local_asn: 64512, enabled: false }],
  ['peer', '/v1/peers', { name: 'core', address: '192.0.2.2', remote_asn: 64500, speaker_ids: [':speaker'] }],
  ['key', '/v1/api-keys', { name: 'reader', role: 'viewer' }],
];

/** Tables whose rows a refused request could have written. */
const TABLES = [
  ...['module', 'cdn_source', 'as_entry', 'ip_range_entry', 'community', 'speaker', 'peer', 'peer_speaker'],
  ...['peer_community', 'setting', 'job', 'revision'],
];

class Refusals {
  service!: TestService;
  readonly ids: Record<string, string> = { nobody: NOBODY };

  async start(): Promise<void> {
    this.service = await startService();
    for (const [name, path, body] of THINGS)
      this.ids[name] = (await this.service.make(this.withIds(path), this.withIds(body))).id;
    const { service, ids } = this;
    ids.revision = await makeRevision(service, service.tenant, ids.community!, ['9.9.9.0/24']);
  }

  /** Replaces `:name` by its id, in a path and in every text of a body. */
  withIds<T>(value: T): T {
    const text = JSON.stringify(value).replace(
      /:(\w+)(?=["/])/g,
      (whole, name: string) => this.ids[name] ?? whole,
    );
    return JSON.parse(text) as T;
  }

  /** One test for each row, named by what it sends. */
  each(refusal: Refusal, rows: readonly Row[]): void {
    const titled = rows.map((row) => [`${row[0]} ${JSON.stringify(row[1])}`, row] as const);
    test.each(titled)(`${refusal.status}: %s`, (_, row) => this.refuses(row, refusal));
  }

  async refuses([request, body, pointer, words]: Row, refusal: Refusal): Promise<void> {
    const [method, path] = request.split(' ') as [string, string];
    const before = await this.#everything();
    const call = body === undefined ? {} : { body: this.withIds(body) };
    const answer = await this.service.call(method, this.withIds(path), call);
    expect(answer.body, answer.text).toMatchObject(refusal);
    const errors = (answer.body.errors ?? []) as { pointer: string; detail: string }[];
    if (pointer === null) {
      expect(errors).toEqual([]);
      expect(answer.body.detail).toMatch(words);
    } else {
      const reported = errors.find((error) => error.pointer === this.withIds(pointer));
      expect(reported, answer.text).toBeDefined();
      expect(reported!.detail).toMatch(words);
      // People read the whole first: it tells the first fault in full.
      expect(answer.body.detail).toContain(errors[0]!.detail.replace(/\.$/, ''));
    }
    expect(await this.#everything()).toBe(before);
  }

  async #everything(): Promise<string> {
    const rows = TABLES.map(
      (table) => `(SELECT coalesce(jsonb_agg(t ORDER BY t::text), '[]') FROM ${table} t)`,
    );
    // When a key was used changes with every request.
    const keys = `(SELECT jsonb_agg(to_jsonb(t) - 'last_used_at' ORDER BY id) FROM api_key t)`;
    const sql = `SELECT jsonb_build_array(${[...rows, keys].join()}) AS state`;
    return JSON.stringify(await this.service.database.admin(sql));
  }
}

/** Starts before the tests of the calling file and ends after them. */
export function useRefusals(): Refusals {
  const refusals = new Refusals();
  beforeAll(() => refusals.start());
  afterAll(() => refusals.service?.close());
  return refusals;
}
