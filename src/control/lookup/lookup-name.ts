/** Lookups of domain names: what was collected of one, and what is announced of that. */
import type { LookupMatch } from '../../api/lookup/lookup.ts';
import { type Address, FAMILIES, parseAddress } from '../../core/address.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findDomainsNamed } from '../../store/lookup/lookup.ts';
import type { LookupState } from './lookup-state.ts';
import { answerText, carried, moduleReference } from './lookup-text.ts';
import { type Holder, holderOf, nameNotAnnounced, notAnnounced } from './not-announced.ts';
import { tableCache } from '../tables/table-cache.ts';
import { addressFinder, findAround, holdersOf } from './around.ts';
import { announcedOf } from './announced.ts';

/** Addresses of a name for which the answer says why they are not announced. */
const MAXIMUM_ADDRESSES = 16;

export async function lookupName(
  tx: TenantTx,
  state: LookupState,
  query: string,
  name: string,
): Promise<string> {
  const { matches: all, holders: named } = await matchDomain(tx, state, name);
  const matches = state.pastAt !== null ? all.flatMap((match) => pastMatch(state, match)) : all;
  const addresses = addressesOf(matches);
  const { texts: announced } = announcedOf(state, addressFinder(addresses));
  const texts = matches.map((match) => JSON.stringify(match));
  // What holds for the name is repeated for each address.
  const reasons = addresses.length === 0 && state.pastAt === null ? nameNotAnnounced(named) : [];
  for (const address of state.pastAt !== null ? [] : addresses.slice(0, MAXIMUM_ADDRESSES)) {
    const around = await findAround(tx, state, { kind: 'ip', address });
    const { revisions } = announcedOf(state, addressFinder([address]));
    reasons.push(...notAnnounced(state, address, revisions, () => holdersOf(state, around)));
  }
  return answerText({ query, kind: 'fqdn', normalized: name }, texts, announced, reasons);
}

/** What was collected then, without when it was collected last. */
function pastMatch({ leftOut }: LookupState, match: LookupMatch): LookupMatch[] {
  if (match.layer === 'entry' || leftOut.has(match.entry.id)) return [];
  return [{ ...match, collected_at: null }];
}

/** The entries of this name, then the prefixes that the snapshots of their modules hold of them. */
async function matchDomain(
  tx: TenantTx,
  { modules, communitiesOf }: LookupState,
  domain: string,
): Promise<{ matches: LookupMatch[]; holders: Holder[] }> {
  const inEntries: LookupMatch[] = [];
  const inSnapshots: LookupMatch[] = [];
  const holders: Holder[] = [];
  for (const entry of await findDomainsNamed(tx, domain)) {
    const module = modules.get(entry.module_id);
    if (module === undefined) continue;
    const { id, domain: value, expires_at } = entry;
    const match = {
      module: moduleReference(module),
      entry: { id, type: 'domain_entry' as const, value, expires_at },
      source: 'domain' as const,
      ...carried(communitiesOf(module, entry)),
    };
    holders.push(holderOf(module, entry.id, 'domain_entry', { value: entry.domain, enabled: entry.enabled }));
    inEntries.push({ ...match, layer: 'entry', domain, collected_at: null });
    if (module.content_hash === null) continue;
    const table = await tableCache.load(tx, module.content_hash);
    const collected_at = entry.last_refreshed_at ?? module.collected_at;
    for (const prefix of prefixesLabelled(table, entry.id))
      inSnapshots.push({ ...match, layer: 'snapshot', prefix, collected_at });
  }
  return { matches: [...inEntries, ...inSnapshots], holders };
}

function prefixesLabelled(table: PrefixTable, label: string): string[] {
  const hasLabel = table.labelSets.map((labels) => labels.includes(label));
  return FAMILIES.flatMap((family) => {
    const rows = table[family];
    const prefixes: string[] = [];
    for (let row = 0; row < rows.size; row++)
      if (hasLabel[rows.labels[row]!] === true) prefixes.push(formatPrefixAt(rows, row));
    return prefixes;
  });
}

/** What was collected of a name are host prefixes. */
function addressesOf(matches: readonly LookupMatch[]): Address[] {
  const texts = new Set(matches.flatMap(({ prefix }) => prefix?.split('/')[0] ?? []));
  return [...texts].flatMap((text) => {
    const parsed = parseAddress(text);
    return parsed.ok ? [parsed.value] : [];
  });
}
