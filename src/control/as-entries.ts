import type { AsEntry, AsEntryCreate, AsEntryPatch } from '../api/as-entries.ts';
import { Problem } from '../api/problem.ts';
import { formatAsn, parseAsn } from '../core/asn.ts';
import { insertAsEntries, updateAsEntry } from '../store/as-entries.ts';
import type { TenantTx, Versioned } from '../store/database.ts';
import { getModule } from '../store/modules.ts';
import { findRepeats, findUnknownCommunities, refuseFaults } from './body-faults.ts';

/** Creates all of `bodies` or, when one of them is wrong, none; each fault is located in the body of the request. */
export async function createAsEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly AsEntryCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<AsEntry>[]> {
  const { resource: module } = await getModule(tx, moduleId);
  if (module.type !== 'AS_PREFIXES') {
    throw new Problem(
      'conflict',
      `The module ${module.name} is of type ${module.type}; AS numbers belong to modules of type AS_PREFIXES.`,
    );
  }
  const read = bodies.map(({ asn }) => parseAsn(asn));
  const at = (index: number): string => `${pointerOf(index)}/asn`;
  refuseFaults([
    ...read.flatMap((asn, index) => (asn.ok ? [] : [{ pointer: at(index), detail: `${asn.reason}.` }])),
    ...findRepeats(
      read.map((asn) => (asn.ok ? formatAsn(asn.value) : null)),
      at,
    ),
    ...(await findUnknownCommunities(tx, bodies, pointerOf)),
  ]);
  const entries = bodies.flatMap((body, index) => {
    const asn = read[index]!;
    return asn.ok ? [{ ...body, asn: asn.value }] : [];
  });
  return insertAsEntries(tx, moduleId, entries, pointerOf);
}

export async function changeAsEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  patch: AsEntryPatch,
  version: number | null,
): Promise<Versioned<AsEntry>> {
  return updateAsEntry(tx, moduleId, id, patch, version);
}
