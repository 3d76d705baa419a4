import type { AsEntry, AsEntryCreate, AsEntryPatch } from '../../api/entries/as-entries.ts';
import { formatAsn, parseAsn } from '../../core/asn.ts';
import { type AsEntryToInsert, insertAsEntries, updateAsEntry } from '../../store/entries/as-entries.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { beginAsEntries } from '../collectors/collect-as-entries.ts';
import { refuseCommonFaults } from './common-members.ts';
import { type CheckedEntry, checkEntries } from './entries.ts';
import { column, community, enabled, expiresAt, note } from './entry-csv.ts';
import type { EntryKind } from './kind.ts';

/** Creates all of `bodies` or, when one of them is wrong, none; each fault is located in the body of the request. */
export async function createAsEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly AsEntryCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<AsEntry>[]> {
  const entries = await checkEntries(tx, moduleId, bodies, pointerOf, 'AS_PREFIXES', checkAsEntry);
  return insertAsEntries(tx, moduleId, entries, pointerOf);
}

export async function changeAsEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  patch: AsEntryPatch,
  version: number | null,
): Promise<Versioned<AsEntry>> {
  await refuseCommonFaults(tx, patch);
  return updateAsEntry(tx, moduleId, id, patch, version);
}

/** Reads the AS number. Pure. */
function checkAsEntry<Body extends Pick<AsEntryCreate, 'asn'>>(
  body: Body,
): CheckedEntry<Body & Pick<AsEntryToInsert, 'asn'>> {
  const asn = parseAsn(body.asn);
  if (!asn.ok) return { ok: false, faults: [{ field: 'asn', detail: `${asn.reason}.` }] };
  return { ok: true, key: formatAsn(asn.value), entry: { ...body, asn: asn.value } };
}

export const AS_ENTRIES: EntryKind = {
  csv: {
    columns: [column('asn', null), note, enabled, community, expiresAt],
    required: ['asn'],
    check: (row) => checkAsEntry(row as { asn: string }),
  },
  read: (tx, module, tools) => beginAsEntries(tx, module.id, tools),
};
