import type { DomainEntry, DomainEntryCreate, DomainEntryPatch } from '../../api/entries/domain-entries.ts';
import { parseFqdn } from '../../core/fqdn.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { insertDomainEntries, updateDomainEntry } from '../../store/entries/domain-entries.ts';
import { beginDomains } from '../collectors/collect-domains.ts';
import { refuseCommonFaults } from './common-members.ts';
import { type CheckedEntry, checkEntries } from './entries.ts';
import { column, community, enabled, expiresAt, note } from './entry-csv.ts';
import type { EntryKind } from './kind.ts';

/** Creates all of `bodies` or, when one of them is wrong, none; each fault is located in the body of the request. */
export async function createDomainEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly DomainEntryCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<DomainEntry>[]> {
  const entries = await checkEntries(tx, moduleId, bodies, pointerOf, 'DOMAINS', checkDomainEntry);
  return insertDomainEntries(tx, moduleId, entries, pointerOf);
}

export async function changeDomainEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  patch: DomainEntryPatch,
  version: number | null,
): Promise<Versioned<DomainEntry>> {
  await refuseCommonFaults(tx, patch);
  return updateDomainEntry(tx, moduleId, id, patch, version);
}

/** Reads the name into its canonical form. Pure. */
function checkDomainEntry<Body extends Pick<DomainEntryCreate, 'domain'>>(body: Body): CheckedEntry<Body> {
  const domain = parseFqdn(body.domain.trim());
  if (!domain.ok) return { ok: false, faults: [{ field: 'domain', detail: `${domain.reason}.` }] };
  return { ok: true, key: domain.value, entry: { ...body, domain: domain.value } };
}

export const DOMAIN_ENTRIES: EntryKind = {
  csv: {
    columns: [column('domain', null), note, enabled, community, expiresAt],
    required: ['domain'],
    check: (row) => checkDomainEntry(row as { domain: string }),
  },
  read: beginDomains,
};
