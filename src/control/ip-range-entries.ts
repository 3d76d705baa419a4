import type { IpRangeEntry, IpRangeEntryCreate, IpRangeEntryPatch } from '../api/ip-range-entries.ts';
import { Problem, fieldProblem } from '../api/problem.ts';
import { formatPrefix, parsePrefix } from '../core/prefix.ts';
import { specialPurpose } from '../core/special-purpose.ts';
import type { TenantTx, Versioned } from '../store/database.ts';
import { insertIpRangeEntries, updateIpRangeEntry } from '../store/ip-range-entries.ts';
import { getModule } from '../store/modules.ts';
import { getSetting } from '../store/settings.ts';

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
  const firstAt = new Map<string, number>();
  const errors: { pointer: string; detail: string }[] = [];
  const entries = bodies.map((body, index) => {
    const pointer = `${pointerOf(index)}/cidr`;
    const read = readRange(body.cidr, bogons);
    const earlier = read.ok ? firstAt.get(read.cidr) : undefined;
    if (!read.ok) errors.push({ pointer, detail: read.reason });
    else if (earlier !== undefined)
      errors.push({
        pointer,
        detail: `${read.cidr} stands at ${pointerOf(earlier)} already. Leave one out.`,
      });
    else firstAt.set(read.cidr, index);
    return { ...body, cidr: read.ok ? read.cidr : body.cidr };
  });
  if (errors.length > 0) {
    const rest = errors.length > 1 ? ` and ${errors.length - 1} more` : '';
    throw new Problem('validation_failed', `${errors[0]!.pointer}: ${errors[0]!.detail}${rest}`, {
      errors: errors.slice(0, 100),
    });
  }
  return insertIpRangeEntries(tx, moduleId, entries);
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
