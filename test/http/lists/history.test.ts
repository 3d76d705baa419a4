/** Histories of prefixes, against a plain oracle that reads every revision. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import type { History, HistoryItem } from '../../../src/api/lookup/history.ts';
import { indexHistory } from '../../../src/control/history/index-history.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { type RevisionInput, saveRevisionInputs } from '../../../src/store/revisions/revision-history.ts';
import { pruneRevisions } from '../../../src/store/revisions/revision-prune.ts';
import { insertRevision, letRevisionThrough, getRevision } from '../../../src/store/revisions/revisions.ts';
import { times } from '../../fuzz.ts';
import { type TestTenant, makeTenant, startService, type TestService } from '../service.ts';
import { expectedOf, foundOf, type Labelled, type Plain, valueOf } from './history-oracle.ts';

const COMMUNITIES = ['65000:1', '65000:2'];
const UNIVERSE = [
  ...[
    '10.0.0.0/22',
    '10.0.0.0/23',
    '10.0.2.0/23',
    '10.0.0.0/24',
    '10.0.1.0/24',
    '10.0.2.0/24',
    '10.0.0.0/25',
  ],
  ...['10.0.0.128/25', '10.0.0.129/32', '10.9.0.0/16', '2001:db8::/32', '2001:db8:1::/48', '0.0.0.0/0'],
];
const ASKED = [
  ...UNIVERSE,
  '10.0.0.1',
  '10.0.3.0/24',
  '10.0.0.0/21',
  '192.0.2.0/24',
  '2001:db8:1::1',
  '::/0',
];
const ENTRIES = ['a', 'b', 'c'].map(() => uuidv7());

let service: TestService;
let tenant: TestTenant;
let moduleIds: string[];

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(() => newTenant());

async function newTenant(): Promise<void> {
  tenant = await makeTenant(service.database);
  moduleIds = [];
  for (const name of ['m0', 'm1'])
    moduleIds.push(
      (await service.make('/v1/modules', { name, type: 'CDN_SOURCES' }, tenant.keys.operator)).id,
    );
}

function run<T>(work: (tx: TenantTx) => Promise<T>): Promise<T> {
  return service.database.db.inTenant(tenant.id, work);
}

async function store(tx: TenantTx, rows: Labelled) {
  const builder = new PrefixTableBuilder();
  for (const [text, labels] of Object.entries(rows)) {
    const { family, words, length } = valueOf(text);
    if (labels.length === 0) builder.add(family, words, length, null);
    for (const label of labels) builder.add(family, words, length, label);
  }
  const table = builder.build();
  const count = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  return { hash: await storeTable(tx, encodeTable(table), count), count };
}

function save({ routes, modules }: Plain, state: 'ready' | 'held' = 'ready'): Promise<string> {
  return run(async (tx) => {
    const { hash, count } = await store(tx, routes);
    const { id } = await insertRevision(tx, {
      ...{ state, content_hash: hash, parent_id: null, rollback_of: null, prefix_count: count },
      trigger: { kind: 'manual', module_id: null, job_id: null, actor: 'test' },
      communities: COMMUNITIES.map((community) => ({
        ...{ community_id: ENTRIES[0]!, community, title: community, prefix_count: count },
      })),
      warnings: [],
    });
    const inputs: RevisionInput[] = [];
    for (const [place, module] of modules.entries()) {
      if (module === null) continue;
      const { purpose, families, leftOut: left_out } = module;
      const { hash: content_hash } = await store(tx, module.rows);
      const own = { module_id: moduleIds[place]!, content_hash, entries_hash: null, released: [] };
      inputs.push({ ...own, purpose, families, left_out, name: null, policy_hash: null });
    }
    await saveRevisionInputs(tx, id, inputs);
    return id;
  });
}

async function historyOf(prefix: string, limit: number): Promise<History> {
  const items: HistoryItem[] = [];
  let cursor = '';
  for (;;) {
    const query = `prefix=${encodeURIComponent(prefix)}&limit=${limit}${cursor}`;
    const { text } = await service.call('GET', `/v1/history?${query}`, { key: tenant.keys.viewer });
    const page = JSON.parse(text) as History;
    expect(page.has_more).toBe(page.next_cursor !== null);
    items.push(...page.items);
    if (page.next_cursor === null) return { ...page, items };
    cursor = `&cursor=${page.next_cursor}`;
  }
}

/** Makes what is missing of the index. */
async function index(): Promise<void> {
  const onFault = (_: unknown, error: unknown): void => expect.unreachable(String(error));
  while (await indexHistory({ db: service.database.db, onFault }));
}

const labels = (of: readonly string[], least: number) => fc.subarray([...of], { minLength: least });
const rows = (of: readonly string[], least: number) =>
  fc.dictionary(fc.constantFrom(...UNIVERSE), labels(of, least), { maxKeys: 6 });
const moduleOf = fc.record({
  purpose: fc.constantFrom('announce' as const, 'exclude' as const),
  families: fc.constantFrom<RevisionInput['families']>(['ipv4', 'ipv6'], ['ipv4']),
  rows: rows(ENTRIES, 1),
  leftOut: fc.constantFrom<string[]>([], [ENTRIES[0]!]),
});
const plains = fc.array(
  fc.record({
    routes: rows(COMMUNITIES, 0),
    modules: fc.tuple(fc.option(moduleOf), fc.option(moduleOf)),
  }),
  { minLength: 1, maxLength: 4 },
);
/** Which of the contents each revision has: they come back, as they do after rollbacks. */
const deeds = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('save' as const), of: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('hold' as const), of: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('release', 'index') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), kept: fc.nat(7) }) },
  ),
  { minLength: 1, maxLength: 14 },
);

const questions = fc.record({
  prefixes: fc.subarray(ASKED, { minLength: 4, maxLength: 4 }),
  limit: fc.integer({ min: 1, max: 4 }),
});

interface Kept {
  readonly id: string;
  readonly number: number;
  readonly plain: Plain;
  state: 'ready' | 'held';
}

test('a history says what reading every revision says, whatever is pruned, held back, let through or not indexed', async () => {
  await fc.assert(
    fc.asyncProperty(plains, deeds, questions, async (contents, story, { prefixes, limit }) => {
      await newTenant();
      let kept: Kept[] = [];
      let number = 0;
      for (const deed of story) {
        if (deed.kind === 'save' || deed.kind === 'hold') {
          const plain = contents[deed.of % contents.length]!;
          const state = deed.kind === 'save' ? 'ready' : 'held';
          kept.push({ id: await save(plain, state), number: ++number, plain, state });
        } else if (deed.kind === 'index') await index();
        else if (deed.kind === 'release') {
          const held = kept.find(({ state }) => state === 'held');
          if (held === undefined) continue;
          await run(async (tx) => letRevisionThrough(tx, (await getRevision(tx, held.id)).resource));
          held.state = 'ready';
        } else if (deed.kind === 'prune') {
          const newest = kept.findLast(({ state }) => state === 'ready');
          const doomed = kept.filter(
            (one, place) => one.state === 'ready' && one !== newest && place % 8 !== deed.kept,
          );
          await service.database.admin(
            `UPDATE revision SET created_at = now() - interval '1 day' WHERE id = ANY ($1::uuid[])`,
            [doomed.map(({ id }) => id)],
          );
          await run((tx) => pruneRevisions(tx, 60));
          kept = kept.filter((one) => !doomed.includes(one));
        }
      }
      const chain = kept.filter(({ state }) => state === 'ready');
      for (const asked of prefixes) {
        const history = await historyOf(asked, limit);
        const expected = chain.map((one, place) => {
          const previous = chain[place - 1];
          const between = kept.filter(
            (other) => other.number < one.number && other.number > (previous?.number ?? 0),
          );
          const before: [number, Plain] | null =
            previous === undefined ? null : [previous.number, previous.plain];
          return expectedOf(one.number, one.plain, before, asked, between.length);
        });
        const wanted = expected.filter((item) => item !== null).reverse();
        expect(history.items.map(foundOf), asked).toEqual(wanted);
        const [oldest] = chain;
        const older = kept.filter((one) => one.number < (oldest?.number ?? 0)).length;
        expect(history.oldest?.pruned_before).toBe(
          oldest === undefined ? undefined : oldest.number - 1 - older,
        );
      }
    }),
    { numRuns: times(12, 6) },
  );
});

const NONE: Plain = { routes: {}, modules: [null, null] };
const OF_A: Plain = { ...NONE, routes: { '10.0.0.0/24': [COMMUNITIES[0]!] } };

describe('of a few revisions', () => {
  test('the index has as many rows as there are changes, and goes with its revisions', async () => {
    for (const plain of [OF_A, OF_A, NONE, OF_A]) await save(plain);
    await index();
    const counts = () =>
      service.database.admin(
        `SELECT (SELECT count(*)::int FROM revision_step WHERE tenant_id = $1) AS steps,
                (SELECT count(*)::int FROM step_piece WHERE tenant_id = $1) AS pieces,
                (SELECT count(*)::int FROM due_step WHERE tenant_id = $1) AS due`,
        [tenant.id],
      );
    expect(await counts()).toEqual([{ steps: 3, pieces: 2, due: 0 }]);
    await service.database.admin('DELETE FROM revision WHERE tenant_id = $1 AND number <= 3', [tenant.id]);
    expect(await counts()).toEqual([{ steps: 0, pieces: 0, due: 3 }]);
    await index();
    expect(await counts()).toEqual([{ steps: 0, pieces: 0, due: 0 }]);
  });

  test('an item says since when which speakers have announced it, by whichever revision brought it', async () => {
    const ids: string[] = [];
    for (const plain of [OF_A, OF_A, NONE]) ids.push(await save(plain));
    const { id: speakerId } = await service.make(
      '/v1/speakers',
      { name: 'edge', local_asn: 64512, daemon: 'builtin' },
      tenant.keys.operator,
    );
    const at = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
    // The second time that the announced one runs, nothing of the list is new.
    for (const [turn, place] of [1, 2, 1].entries())
      await service.database.admin(
        `INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, sequence, state, finished_at)
         VALUES ($1, $2, $3, $4, $5, 'succeeded', $6)`,
        [tenant.id, uuidv7(), speakerId, ids[place], turn + 1, at(turn + 2)],
      );
    const { items } = await historyOf('10.0.0.7', 10);
    const by = (place: number) => ({
      ...{ speaker_id: speakerId, speaker: 'edge', revision_id: ids[place], revision: place + 1 },
    });
    expect(items.map(({ change, applied }) => ({ change, applied }))).toEqual([
      {
        change: 'withdrawn',
        applied: [{ ...by(2), applied_at: at(3), until: at(4), until_revision: 2 }],
      },
      {
        change: 'announced',
        applied: [
          { ...by(1), applied_at: at(4), until: null, until_revision: null },
          { ...by(1), applied_at: at(2), until: at(3), until_revision: 3 },
        ],
      },
    ]);
    // Of a page that has one of them alone as well.
    expect((await historyOf('10.0.0.7', 1)).items).toEqual(items);
  });

  test('a prefix with more in it than anybody reads is refused, and so is what is none', async () => {
    const many = Array.from({ length: 5_000 }, (_, i) => [`10.${i >> 8}.${i & 255}.0/24`, []] as const);
    await save({ ...NONE, routes: Object.fromEntries(many) });
    for (const [asked, reason] of [
      ['10.0.0.0/8', /more than 4096 prefixes/],
      ['10.0.0.1/8', /has host bits set/],
      ['example.com', /./],
    ] as const) {
      const answer = await service.call('GET', `/v1/history?prefix=${asked}`, { key: tenant.keys.viewer });
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(reason);
    }
    expect((await historyOf('10.3.0.0/16', 5)).items[0]).toMatchObject({
      announced: 'part',
      route_count: 256,
    });
  });
});
