import fc from 'fast-check';
import { expect, test } from 'vitest';
import { storeContent } from '../../../src/control/revisions/store-content.ts';
import { encodeWhole } from '../../../src/control/tables/table-threads.ts';
import type { EncodedContent } from '../../../src/control/tables/encoded-content.ts';
import { contentHashOf, decodeStoredTable, encodeAfter } from '../../../src/core/stored/stored-table.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { loadStored, loadTable, type StoredContent } from '../../../src/store/contents/contents.ts';
import { insertModule } from '../../../src/store/modules/modules.ts';
import { pruneRevisions } from '../../../src/store/revisions/revision-prune.ts';
import { saveSnapshot } from '../../../src/store/modules/snapshots.ts';
import { lockTenant } from '../../../src/store/database/locks.ts';
import { useTenant } from '../../tenant.ts';
import { times } from '../../fuzz.ts';

const tenant = useTenant();

/** Version `n` of a list that is large enough for deltas. */
function version(n: number): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < 4_000; i++) {
    if (i % 1000 !== n) builder.add('ipv4', [(Math.imul(i, 0x9e3779b1) & 0xffffff00) >>> 0], 24, 'entry');
  }
  return builder.build();
}
const VERSIONS = Array.from({ length: 6 }, (_, n) => version(n));

function encode(table: PrefixTable, parent: StoredContent | null): EncodedContent {
  const encoded = encodeAfter(table, parent?.stored ?? null);
  const prefixCount = { ipv4: table.ipv4.size, ipv6: 0 };
  return 'whole' in encoded
    ? { contentHash: contentHashOf(encoded), prefixCount, encoded: null }
    : { contentHash: encoded.contentHash, prefixCount, encoded };
}

/** Which version was stored under each hash. */
const versions = new Map<string, number>();

const read = (contentHash: string): Promise<StoredContent> => tenant.run((tx) => loadStored(tx, contentHash));

/** Stores the version as a refresh of the module does that has read `parent` some time ago. */
async function store(moduleId: string, n: number, parent: StoredContent | null): Promise<string> {
  const content = encode(VERSIONS[n]!, parent);
  return tenant.run(async (tx) => {
    await lockTenant(tx, 'revision');
    const contentHash = await storeContent(tx, content, parent);
    await saveSnapshot(tx, moduleId, contentHash);
    versions.set(contentHash, n);
    return contentHash;
  });
}

const addModule = async (name: string): Promise<string> =>
  (await tenant.run((tx) => insertModule(tx, { name, type: 'CDN_SOURCES' }))).resource.id;

async function prune(): Promise<void> {
  await tenant.run(async (tx) => {
    await lockTenant(tx, 'revision');
    await pruneRevisions(tx, 0);
  });
}

const storedTimes = async (contentHash: string): Promise<number> =>
  (
    await tenant.database.admin(
      `SELECT FROM content WHERE tenant_id = '${tenant.id}' AND content_hash = decode('${contentHash}', 'hex')`,
    )
  ).length;

test('a list that goes A, B, A, B is stored once each', async () => {
  const module = await addModule('back and forth');
  const hashes: string[] = [];
  for (const n of [0, 1, 0, 1, 2, 0]) {
    const last = hashes.at(-1);
    hashes.push(await store(module, n, last === undefined ? null : await read(last)));
    expect(await tenant.run((tx) => loadTable(tx, hashes.at(-1)!))).toEqual(VERSIONS[n]);
  }
  const [a, b, again, , , last] = hashes;
  expect([again, last, hashes[3]]).toEqual([a, a, b]);
  for (const hash of hashes) expect(await storedTimes(hash)).toBe(1);
});

test('what a content was encoded after may be pruned before it is stored', async () => {
  const module = await addModule('pruned');
  const old = await read(await store(module, 3, null));
  await store(module, 4, null);
  await prune();
  expect(await storedTimes(contentHashOf(old.stored))).toBe(0);
  // A delta from what has gone, and the very content that has gone.
  const next = await store(module, 5, old);
  expect(await tenant.run((tx) => loadTable(tx, next))).toEqual(VERSIONS[5]);
  await store(module, 4, null);
  await prune();
  const same = await store(module, 3, old);
  expect(await tenant.run((tx) => loadTable(tx, same))).toEqual(VERSIONS[3]);
});

test('whatever way lists go, with parents of any age and prunes in between, each is read as it was stored', async () => {
  const modules = [await addModule('walk 1'), await addModule('walk 2')];
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(fc.nat(1), fc.nat(VERSIONS.length - 1), fc.nat(4)) },
    { weight: 1, arbitrary: fc.constant('prune' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 40 }), async (walk) => {
      const seen: StoredContent[] = [];
      for (const what of walk) {
        if (what === 'prune') await prune();
        else {
          const [which, n, age] = what;
          const hash = await store(modules[which]!, n, seen.at(-1 - age) ?? null);
          seen.push(await read(hash));
          expect(decodeStoredTable(seen.at(-1)!.stored)).toEqual(VERSIONS[n]);
        }
      }
      const rows = await tenant.database.admin<{ hash: string }>(
        `SELECT encode(content_hash, 'hex') AS hash FROM snapshot WHERE tenant_id = '${tenant.id}'`,
      );
      for (const { hash } of rows)
        expect(await tenant.run((tx) => loadTable(tx, hash))).toEqual(VERSIONS[versions.get(hash)!]);
    }),
    { numRuns: times(25) },
  );
});

test('a content is written whole from any chain', async () => {
  const module = await addModule('whole');
  const parent = await read(await store(module, 0, null));
  const after = await read(await store(module, 1, parent));
  const whole = await encodeWhole(after);
  expect(whole.contentHash).toBe(contentHashOf(after.stored));
});
