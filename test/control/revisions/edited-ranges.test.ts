import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { EntriesRestore } from '../../../src/api/lists/removed.ts';
import { importEntries } from '../../../src/control/entries/import-entries.ts';
import { changeIpRangeEntry, createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { restoreEntries } from '../../../src/control/entries/restore-entries.ts';
import { restoreModule } from '../../../src/control/entries/restore-module.ts';
import { changeModule, createModule } from '../../../src/control/lists/modules.ts';
import { storeWrittenSnapshots } from '../../../src/control/revisions/written-snapshots.ts';
import { idTables } from '../../../src/control/tables/id-tables.ts';
import { makeSnapshot } from '../../../src/control/tables/table-work.ts';
import { decodeStoredTable } from '../../../src/core/stored/stored-table.ts';
import { cutTable } from '../../../src/core/stored/table-cut.ts';
import { loadStored } from '../../../src/store/contents/contents.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { deleteIpRangeEntry, readAllIpRanges } from '../../../src/store/entries/ip-range-entries.ts';
import { compactRangeEdits, readRangeEdits } from '../../../src/store/entries/range-edits.ts';
import { listRemovedEntries } from '../../../src/store/entries/removed-lists.ts';
import { findSnapshotTable } from '../../../src/store/modules/snapshots.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { times } from '../../fuzz.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();
const SIZE = 300;
let module = '';
let modules = 0;

const cidrOf = (at: number): string =>
  at % 7 === 0 ? `2a00:${(at + 1).toString(16)}::/32` : `45.${at >> 8}.${at & 255}.0/24`;

beforeEach(async () => {
  idTables.clear();
  module = await newModule();
});

async function newModule(): Promise<string> {
  const body = { name: `list-${++modules}`, type: 'IP_RANGES' } as const;
  const { id } = (await tenant.run((tx) => createModule(tx, body))).resource;
  await tenant.run((tx) =>
    importRanges(
      tx,
      id,
      Array.from({ length: SIZE }, (_, at) => cidrOf(at)),
    ),
  );
  return id;
}

async function importRanges(
  tx: TenantTx,
  id: string,
  cidrs: readonly string[],
  mode: 'append' | 'replace' = 'replace',
): Promise<void> {
  await importEntries(tx, id, Buffer.from(`cidr\n${cidrs.join('\n')}\n`), { mode, dryRun: false });
}

/** Takes the edits in, as whoever builds a revision does, and compares that with what is made of all ranges. */
async function takeIn(id = module): Promise<'whole' | 'patched'> {
  await tenant.run((tx) => storeWrittenSnapshots(tx, [id], null));
  return tenant.run(async (tx) => {
    const stored = await findSnapshotTable(tx, id);
    const whole = makeSnapshot({ kind: 'snapshot', entries: await readAllIpRanges(tx, id), parent: null });
    expect(stored?.content_hash).toBe(whole.contentHash);
    expect(stored?.rows).toBe(whole.prefixCount.ipv4 + whole.prefixCount.ipv6);
    const read = decodeStoredTable((await loadStored(tx, whole.contentHash)).stored);
    expect(cutTable(read).contentHash).toBe(whole.contentHash);
    expect(await readRangeEdits(tx, id)).toEqual({ ids: [], snapshotHash: whole.contentHash, entries: [] });
    return (idTables.get(whole.contentHash)?.past.length ?? 0) > 0 ? 'patched' : 'whole';
  });
}

async function entriesOf(id: string): Promise<{ id: string; cidr: string }[]> {
  const text = await tenant.run((tx) => readAllIpRanges(tx, id));
  return text === ''
    ? []
    : text.split(',').map((entry) => ({ id: entry.split(' ')[0]!, cidr: entry.split(' ')[1]! }));
}

/** What somebody does with a list of ranges; what cannot be done is left. */
type Deed =
  | { readonly kind: 'add' | 'import' | 'replace'; readonly at: number; readonly many: number }
  | {
      readonly kind: 'change' | 'remove' | 'disable' | 'enable' | 'note';
      readonly which: number;
      readonly at: number;
    }
  | { readonly kind: 'undo' | 'off' | 'on' | 'delete and put back' | 'plan' };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('add', 'import', 'replace'),
      at: fc.nat({ max: 2 * SIZE }),
      many: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('change', 'remove', 'disable', 'enable', 'note'),
      which: fc.nat({ max: 2 * SIZE }),
      at: fc.nat({ max: 2 * SIZE }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('undo', 'off', 'on', 'delete and put back', 'plan') }),
  },
);

async function perform(
  tx: TenantTx,
  id: string,
  entries: readonly { id: string; cidr: string }[],
  done: Deed,
) {
  const taken = new Set(entries.map(({ cidr }) => cidr));
  if ('many' in done) {
    const cidrs = Array.from({ length: done.many }, (_, i) => cidrOf(done.at + i)).filter(
      (one) => !taken.has(one),
    );
    if (done.kind === 'replace') {
      // Some leave, some come.
      const kept = entries.map(({ cidr }) => cidr).filter((_, i) => i % 50 !== done.at % 50);
      await importRanges(tx, id, [...kept, ...cidrs]);
    } else if (cidrs.length === 0) return;
    else if (done.kind === 'import') await importRanges(tx, id, cidrs, 'append');
    else
      await createIpRangeEntries(
        tx,
        id,
        cidrs.map((cidr) => ({ cidr })),
        () => '',
      );
  } else if ('which' in done) {
    const entry = entries[done.which % Math.max(1, entries.length)];
    if (entry === undefined) return;
    if (done.kind === 'remove') await deleteIpRangeEntry(tx, id, entry.id, null);
    else if (done.kind === 'note') await changeIpRangeEntry(tx, id, entry.id, { note: `${done.at}` }, null);
    else if (done.kind !== 'change')
      await changeIpRangeEntry(tx, id, entry.id, { enabled: done.kind === 'enable' }, null);
    else if (!taken.has(cidrOf(done.at)))
      await changeIpRangeEntry(tx, id, entry.id, { cidr: cidrOf(done.at) }, null);
  } else if (done.kind === 'undo') {
    const batch = (await listRemovedEntries(tx, id, {}, 30)).items.find(({ restored_at: at }) => at === null);
    const restore: EntriesRestore = { batch: batch?.id ?? '' };
    if (batch !== undefined) await restoreEntries(tx, 'key:test', id, restore);
  } else if (done.kind === 'off' || done.kind === 'on')
    await changeModule(tx, id, { enabled: done.kind === 'on' }, null);
  else if (done.kind === 'delete and put back') {
    await deleteModule(tx, id, null);
    await restoreModule(tx, 'key:test', id, {});
  }
}

test('a snapshot is what it would be if all ranges were read, whatever was edited since the one before', async () => {
  const ends: string[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(deed, { maxLength: 4 }), { minLength: 6, maxLength: 12 }),
      async (steps) => {
        idTables.clear();
        const id = await newModule();
        expect(await takeIn(id)).toBe('whole');
        for (const deeds of steps) {
          for (const done of deeds) {
            const entries = await entriesOf(id);
            if (done.kind !== 'plan') await tenant.run((tx) => perform(tx, id, entries, done));
            else {
              // What is only tried leaves nothing behind.
              const tried = tenant.run(async (tx) => {
                await perform(tx, id, entries, { kind: 'remove', which: 3, at: 0 });
                await storeWrittenSnapshots(tx, [id], null);
                throw new Error('only tried');
              });
              await expect(tried).rejects.toThrow('only tried');
            }
          }
          ends.push(await takeIn(id));
        }
      },
    ),
    { numRuns: times(6) },
  );
  // As chance has it, some half of them.
  expect(ends.filter((end) => end === 'patched').length).toBeGreaterThan(ends.length / 4);
});

test('a change and its way back, and what is remembered no more', async () => {
  expect(await takeIn()).toBe('whole');
  const [first] = await entriesOf(module);
  const change = (cidr: string): Promise<unknown> =>
    tenant.run((tx) => changeIpRangeEntry(tx, module, first!.id, { cidr }, null));
  await change('46.0.0.0/24');
  expect(await takeIn()).toBe('patched');
  await change(first!.cidr);
  expect(await takeIn()).toBe('patched');
  await change('46.0.0.0/24');
  expect(await takeIn()).toBe('patched');
  // Another process has nothing to go on from.
  idTables.clear();
  await change('46.0.1.0/24');
  expect(await takeIn()).toBe('whole');
  await change('46.0.2.0/24');
  expect(await takeIn()).toBe('patched');
});

test('so many edits that all ranges are read', async () => {
  await takeIn();
  await tenant.run((tx) =>
    importRanges(
      tx,
      module,
      Array.from({ length: 2_100 }, (_, at) => `46.${at >> 8}.${at & 255}.0/24`),
      'append',
    ),
  );
  expect((await tenant.run((tx) => readRangeEdits(tx, module))).entries).toBeNull();
  expect(await takeIn()).toBe('whole');
});

test('edits that nobody takes in are added up, and lose nothing', async () => {
  await takeIn();
  await tenant.database.admin(
    `INSERT INTO range_edit (tenant_id, module_id, entry_ids) SELECT tenant_id, id, '{}' FROM module, generate_series(1, 1001) WHERE id = $1`,
    [module],
  );
  await tenant.run((tx) => createIpRangeEntries(tx, module, [{ cidr: '46.0.0.0/24' }], () => ''));
  await tenant.run(compactRangeEdits);
  const edits = await tenant.run((tx) => readRangeEdits(tx, module));
  expect(edits).toMatchObject({ entries: null, ids: [expect.any(Number)] });
  expect(await takeIn()).toBe('whole');
});

test('a module that is gone leaves nothing behind', async () => {
  await tenant.run((tx) => deleteModule(tx, module, null));
  expect(await tenant.database.admin('SELECT FROM range_edit WHERE module_id = $1', [module])).toEqual([]);
});
