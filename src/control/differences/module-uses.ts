/** What of each module two revisions were built from. */
import type { ModuleChanges } from '../../api/revisions/diff.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { ValueCache } from '../../concurrency/value-cache.ts';
import type { Family } from '../../core/address.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listRevisionInputs, type RevisionInput } from '../../store/revisions/revision-history.ts';
import { countChangesByModule, type StoredUse } from '../tables/difference-threads.ts';
import { ruleSetsOf, type StoredSources } from '../tables/table-threads.ts';

/** Names change, these counts never do. */
export type CountsOfModule = Omit<ModuleChanges, 'name'>;

type Addresses = Readonly<Record<Family, PrefixSet>>;

/** Some modules of a million prefixes: of the same one, page after page is asked for. */
const CAPACITY_BYTES = 32 * 1024 * 1024;
const known = new ValueCache<Addresses>(CAPACITY_BYTES, ({ ipv4, ipv6 }) => ipv4.size * 5 + ipv6.size * 17);

/** By module, each snapshot that either of the revisions was built from, once. */
type Uses = ReadonlyMap<string, readonly RevisionInput[]>;

async function usesOf(tx: TenantTx, revisionIds: readonly string[]): Promise<Uses> {
  const uses = new Map<string, Map<string, RevisionInput>>();
  for (const id of revisionIds)
    for (const input of await listRevisionInputs(tx, id)) {
      const { module_id, content_hash, families, left_out } = input;
      const ofModule = uses.get(module_id) ?? new Map<string, RevisionInput>();
      ofModule.set(JSON.stringify([content_hash, families, left_out]), input);
      uses.set(module_id, ofModule);
    }
  return new Map(Array.from(uses, ([id, inputs]) => [id, [...inputs.values()]]));
}

/**
 * How many of the rows in which two revisions differ have addresses of each module, the most first.
 * @param differing the rows of both that differ
 */
export async function changesByModule(
  tx: TenantTx,
  revisionIds: readonly [string, string],
  differing: { readonly before: PrefixTable; readonly after: PrefixTable },
): Promise<CountsOfModule[]> {
  const uses = [...(await usesOf(tx, revisionIds))];
  const modules: StoredUse[][] = [];
  for (const [, inputs] of uses) {
    const stored: StoredUse[] = [];
    for (const { content_hash, families, left_out } of inputs)
      stored.push({ content: await loadStored(tx, content_hash), families, left_out });
    modules.push(stored);
  }
  const counts = await countChangesByModule(differing, modules);
  return uses
    .map(([id], place) => ({ module_id: id, ...counts[place]! }))
    .filter((changes) => totalOf(changes) > 0)
    .sort((a, b) => totalOf(b) - totalOf(a) || (a.module_id < b.module_id ? -1 : 1));
}

function totalOf({ announced, withdrawn, changed }: CountsOfModule): number {
  return announced + withdrawn + changed;
}

/** The addresses that the module contributed to either revision. @throws {Problem} `validation_failed` when it is in neither */
export async function addressesOfModule(
  tx: TenantTx,
  revisionIds: readonly [string, string],
  moduleId: string,
): Promise<Addresses> {
  const inputs = (await usesOf(tx, revisionIds)).get(moduleId.toLowerCase());
  if (inputs === undefined)
    throw fieldProblem(
      '?module_id',
      'Neither revision was built from a module of this id. List /v1/modules.',
    );
  return addressesOfInputs(tx, inputs);
}

/** The addresses of all these snapshots, as far as they were used. Worked out in a thread where they are many. */
export function addressesOfInputs(tx: TenantTx, inputs: readonly RevisionInput[]): Promise<Addresses> {
  const name = JSON.stringify([
    tx.tenantId,
    ...inputs.map(({ content_hash, families, left_out }) => [content_hash, families, left_out]),
  ]);
  return known.load(name, async () => {
    const modules: StoredSources['modules'][number][] = [];
    for (const { content_hash, families, left_out } of inputs)
      modules.push({ snapshot: await loadStored(tx, content_hash), families, left_out, isExcluding: false });
    const { ipv4, ipv6 } = await ruleSetsOf({ revision: null, communities: [], modules, cidrs: [] });
    return { ipv4: ipv4.set, ipv6: ipv6.set };
  });
}
