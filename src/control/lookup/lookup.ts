import { type Address, formatAddress } from '../../core/address.ts';
import { formatPrefix } from '../../core/prefix.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { Collected } from './collected-lists.ts';
import { coverageOf } from './coverage.ts';
import type { LookupState } from './lookup-state.ts';
import { readLookupState } from './read-lookup-state.ts';
import { answerText, collectedFrame, fill, rangeText } from './lookup-text.ts';
import { notAnnounced } from './not-announced.ts';
import { type Around, findAround, aroundIn, holdersOf, finderOf } from './around.ts';
import { type Asked, type Place, readQuery } from './read-query.ts';
import { announcedOf } from './announced.ts';
import { lookupName } from './lookup-name.ts';

/**
 * Which lists hold the address, the prefix or the domain name, and what is announced of it, as the JSON text of a `Lookup`. Nothing is
 * resolved or fetched. The database says which contents are current; only what never changes, their decoded tables, is kept between requests.
 * @throws {Problem} `validation_failed` for what is neither
 */
export async function lookup(tx: TenantTx, query: string): Promise<string> {
  const asked = readQuery(query, '?q');
  return lookupAmong(tx, await readLookupState(tx), query, asked);
}

/** The answer of {@link lookup} where the state is known. */
export async function lookupAmong(
  tx: TenantTx,
  state: LookupState,
  query: string,
  asked: Asked,
): Promise<string> {
  if (asked.kind === 'fqdn') return lookupName(tx, state, query, asked.name);
  const quick = lookupQuickly(state, query, asked);
  if (quick !== null) return quick;
  return answerAround(state, query, asked, await findAround(tx, state, asked));
}

/**
 * The same without the database, where the state holds all that it takes; null where it does not.
 * @throws {Problem} as {@link lookup}
 */
export function lookupIn(state: LookupState, query: string): string | null {
  const asked = readQuery(query, '?q');
  return asked.kind === 'fqdn' ? null : lookupQuickly(state, query, asked);
}

/**
 * The same with the database, where the state does not hold all that it takes: it is not read again. Null for a domain name.
 * @param inTenant a transaction in the tenant
 * @throws {Problem} as {@link lookup}
 */
export async function lookupPlace(
  state: LookupState,
  query: string,
  inTenant: <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>,
): Promise<string | null> {
  const asked = readQuery(query, '?q');
  if (asked.kind === 'fqdn') return null;
  return (
    lookupQuickly(state, query, asked) ??
    answerAround(state, query, asked, await inTenant((tx) => findAround(tx, state, asked)))
  );
}

/** {@link lookupIn} for an address that was read out of `query`. */
export function lookupAddress(state: LookupState, query: string, address: Address): string | null {
  return lookupQuickly(state, query, { kind: 'ip', address });
}

function lookupQuickly(state: LookupState, query: string, place: Place): string | null {
  return state.held === null ? null : answerAround(state, query, place, aroundIn(state, state.held, place));
}

/** The layer of entries first, then that of snapshots; by module, and in it the longest prefix first. */
function answerAround(state: LookupState, query: string, place: Place, around: Around): string {
  const matches: string[] = [];
  for (const range of around.ranges) {
    const module = state.modules.get(range.module_id);
    // One that is missing was made while the state was read.
    if (module !== undefined) matches.push(rangeText(state, module, range));
  }
  for (const collected of around.collected) pushCollected(matches, state, collected, around.entries);
  const { texts, revisions, isCut } = announcedOf(state, finderOf(place));
  const [address, normalized] =
    place.kind === 'ip'
      ? [place.address, formatAddress(place.address)]
      : [place.prefix, formatPrefix(place.prefix)];
  const reasons =
    state.pastAt !== null ? [] : notAnnounced(state, address, revisions, () => holdersOf(state, around));
  const { kind } = place;
  const coverage = place.kind === 'ip' ? null : coverageOf(state.live, place.prefix, finderOf(place));
  const ofPrefix = coverage === null ? null : { coverage, hasMore: isCut || around.isCut };
  return answerText({ query, kind, normalized }, matches, texts, reasons, ofPrefix);
}

function pushCollected(
  matches: string[],
  state: LookupState,
  { labelSet, prefix }: Collected,
  entries: Around['entries'],
): void {
  let frames = state.frames.get(labelSet);
  if (frames === undefined) {
    const { moduleId, entryIds } = state.collected.originOf(labelSet);
    const module = state.modules.get(moduleId)!;
    // What was collected from an entry that was deleted since is there until the next refresh, and announced no more.
    frames = entryIds.flatMap((id) => {
      const entry = entries.get(id);
      return entry === undefined ? [] : [collectedFrame(state, module, entry)];
    });
    state.frames.set(labelSet, frames);
  }
  for (const frame of frames) matches.push(fill(frame, prefix));
}
