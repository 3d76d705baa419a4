import type { IpRangeEntry, IpRangeEntryCreate, IpRangeEntryPatch } from '../api/ip-range-entries.ts';
import { Problem, fieldProblem } from '../api/problem.ts';
import { formatPrefix, parsePrefix } from '../core/prefix.ts';
import { specialPurpose } from '../core/special-purpose.ts';
import type { TenantTx, Versioned } from '../store/database.ts';
import { insertIpRangeEntries, updateIpRangeEntry } from '../store/ip-range-entries.ts';
import { getModule } from '../store/modules.ts';
import { getSetting } from '../store/settings.ts';
import { findRepeats, findUnknownCommunities, refuseFaults } from './body-faults.ts';

/** Creates all of `bodies` or, when one of them is wrong, none; each fault is located in the body of the request. */
export async function createIpRangeEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly IpRangeEntryCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<IpRangeEntry>[]> {
  const { resource: module } = await getModule(tx, moduleId);
  if (module.type !== 'IP_RANGES') {
    throw new Problem(
      'conflict',
      `The module ${module.name} is of type ${module.type}; ranges belong to modules of type IP_RANGES.`,
    );
  }
  const bogons = await getSetting(tx, 'guard_bogons');
  const read = bodies.map(({ cidr }) => readRange(cidr, bogons));
  const at = (index: number): string => `${pointerOf(index)}/cidr`;
  refuseFaults([
    ...read.flatMap((range, index) => (range.ok ? [] : [{ pointer: at(index), detail: range.reason }])),
    ...findRepeats(
      read.map((range) => (range.ok ? range.cidr : null)),
      at,
    ),
    ...(await findUnknownCommunities(tx, bodies, pointerOf)),
  ]);
  const entries = bodies.map((body, index) => {
    const range = read[index]!;
    return range.ok ? { ...body, cidr: range.cidr } : body;
  });
  return insertIpRangeEntries(tx, moduleId, entries, pointerOf);
}

export async function changeIpRangeEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  patch: IpRangeEntryPatch,
  version: number | null,
): Promise<Versioned<IpRangeEntry>> {
  if (patch.cidr === undefined) return updateIpRangeEntry(tx, moduleId, id, patch, version);
  const read = readRange(patch.cidr, await getSetting(tx, 'guard_bogons'));
  if (!read.ok) throw fieldProblem('/cidr', read.reason);
  return updateIpRangeEntry(tx, moduleId, id, { ...patch, cidr: read.cidr }, version);
}

type Read = { readonly ok: true; readonly cidr: string } | { readonly ok: false; readonly reason: string };

/** Special-purpose space is never somebody's route list by intention, so it is refused where a person can still mend it. */
function readRange(text: string, bogons: 'drop' | 'allow'): Read {
  const parsed = parsePrefix(text.trim());
  if (!parsed.ok) return parsed;
  const special = bogons === 'drop' ? specialPurpose(parsed.value) : null;
  if (special === null) return { ok: true, cidr: formatPrefix(parsed.value) };
  const cidr = formatPrefix(parsed.value);
  return {
    ok: false,
    reason: `bogon_prefix: ${cidr} lies in ${special.prefix}, ${special.name} (${special.rfc}), which is not routed on the Internet. Set guard_bogons to allow if that is meant.`,
  };
}
