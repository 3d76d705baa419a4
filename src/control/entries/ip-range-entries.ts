import type {
  IpRangeEntry,
  IpRangeEntryCreate,
  IpRangeEntryPatch,
} from '../../api/entries/ip-range-entries.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { quoted } from '../../core/address-scan.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import { specialPurpose } from '../../core/sets/special-purpose.ts';
import { prefixesOfRange } from '../../core/text/range-text.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import {
  insertIpRangeEntries,
  readAllIpRanges,
  updateIpRangeEntry,
} from '../../store/entries/ip-range-entries.ts';
import { readRangeEdits } from '../../store/entries/range-edits.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { WHO_LOOSENS, outsideRange } from '../../policy/limits.ts';
import { allowedRanges, checkRanges } from '../policy/written.ts';
import { mapInSlices } from '../../concurrency/slices.ts';
import { refuseFaults } from '../body-faults.ts';
import { refuseCommonFaults } from './common-members.ts';
import { type CheckedEntry, checkEntries } from './entries.ts';
import { column, community, enabled, expiresAt, note } from './entry-csv.ts';
import type { EntryKind } from './kind.ts';

/** Creates all of `bodies` or, when one of them is wrong, none; each fault is located in the body of the request. */
export async function createIpRangeEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly IpRangeEntryCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<IpRangeEntry>[]> {
  const bogons = await getSetting(tx, 'guard_bogons');
  const entries = await checkEntries(tx, moduleId, bodies, pointerOf, 'IP_RANGES', (body) =>
    checkIpRange(body, bogons),
  );
  await checkRanges(
    tx,
    moduleId,
    entries.map(({ cidr }) => cidr),
    pointerOf,
  );
  return insertIpRangeEntries(tx, moduleId, entries, pointerOf);
}

export async function changeIpRangeEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  patch: IpRangeEntryPatch,
  version: number | null,
): Promise<Versioned<IpRangeEntry>> {
  await refuseCommonFaults(tx, patch);
  if (patch.cidr === undefined) return updateIpRangeEntry(tx, moduleId, id, patch, version);
  const read = readRange(patch.cidr, await getSetting(tx, 'guard_bogons'));
  if (!read.ok) throw fieldProblem('/cidr', read.reason);
  await checkRanges(tx, moduleId, [read.cidr], () => '');
  return updateIpRangeEntry(tx, moduleId, id, { ...patch, cidr: read.cidr }, version);
}

/** Brings the range into canonical form. Pure. */
function checkIpRange<Body extends Pick<IpRangeEntryCreate, 'cidr'>>(
  body: Body,
  bogons: 'drop' | 'allow',
): CheckedEntry<Body> {
  const range = readRange(body.cidr, bogons);
  if (!range.ok) return { ok: false, faults: [{ field: 'cidr', detail: range.reason }] };
  return { ok: true, key: range.cidr, entry: { ...body, cidr: range.cidr } };
}

type Read = { readonly ok: true; readonly cidr: string } | { readonly ok: false; readonly reason: string };

/** Special-purpose space is never somebody's route list by intention, so it is refused where a person can still correct it. */
function readRange(text: string, bogons: 'drop' | 'allow'): Read {
  const parsed = parsePrefix(text.trim());
  if (!parsed.ok) return { ok: false, reason: explainRange(text.trim()) ?? parsed.reason };
  const special = bogons === 'drop' ? specialPurpose(parsed.value) : null;
  if (special === null) return { ok: true, cidr: formatPrefix(parsed.value) };
  const cidr = formatPrefix(parsed.value);
  return {
    ok: false,
    reason: `bogon_prefix: ${cidr} lies in ${special.prefix}, ${special.name} (${special.rfc}), which is not routed on the Internet. If it is meant, have guard_bogons set to allow ${WHO_LOOSENS}.`,
  };
}

/** A list that is fetched may have ranges of addresses; what a person writes is what is announced, one prefix an entry. */
function explainRange(text: string): string | null {
  const prefixes = prefixesOfRange(text);
  if (prefixes === null) return null;
  const [only, ...others] = prefixes;
  return others.length === 0
    ? `${quoted(text)} is a range of addresses, and an entry is one prefix. Write its prefix: ${only}`
    : `${quoted(text)} is a range of addresses, and an entry is one prefix. Write its ${prefixes.length} prefixes, each as an entry of its own: ${prefixes.join(' ')}`;
}

/** Ranges that were written before, by rules that may have been others. @throws {Problem} `validation_failed`, `tenant_policy` */
async function requireRanges(tx: TenantTx, moduleId: string, cidrs: readonly string[]): Promise<void> {
  const bogons = await getSetting(tx, 'guard_bogons');
  const read = await mapInSlices(cidrs, (cidr) => readRange(cidr, bogons));
  refuseFaults(
    read.flatMap((range, index) =>
      range.ok ? [] : [{ pointer: `/entries/${index}/cidr`, detail: range.reason }],
    ),
  );
  await checkRanges(tx, moduleId, cidrs, (index) => `/entries/${index}`);
}

export const IP_RANGE_ENTRIES: EntryKind = {
  csv: {
    columns: [column('cidr', null), note, enabled, community, expiresAt],
    required: ['cidr'],
    check(row, { bogons, allowed }) {
      const checked = checkIpRange(row as { cidr: string }, bogons);
      const outside = checked.ok ? outsideRange(allowed, checked.key) : null;
      return outside === null ? checked : { ok: false, faults: [{ field: 'cidr', detail: outside }] };
    },
    allowed: allowedRanges,
  },
  prefixes: readAllIpRanges,
  edits: readRangeEdits,
  requireAllowed: requireRanges,
};
