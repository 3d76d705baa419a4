/**
 * Why an address is not announced, or not by every enabled speaker: worked out of what a lookup found anyway, and of the revisions that
 * might announce it. Nothing is worked out for an address that all enabled speakers announce.
 */
import type { LookupMatch, LookupReason, NotAnnounced } from '../../api/lookup.ts';
import { type Address, bitsOf, formatAddress } from '../../core/address.ts';
import { matchesOf } from '../../core/lookup.ts';
import { specialPurpose } from '../../core/special-purpose.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { LiveRevision, LookupEntry, LookupModule } from '../../store/lookup.ts';
import type { Candidate, LookupState } from './lookup-state.ts';

/** An entry whose prefix lies around the address, or whose name was asked for. */
export interface Holder {
  readonly module: LookupModule;
  readonly entry: LookupMatch['entry'];
  /** False where the entry is disabled. */
  readonly isEnabled: boolean;
}

/**
 * @param announcing the revisions that enabled speakers run and that hold the address
 * @param holders whatever holds the address, in the layer of entries or that of snapshots
 */
export function notAnnounced(
  state: LookupState,
  address: Address,
  announcing: readonly LiveRevision[],
  holders: () => readonly Holder[],
): NotAnnounced[] {
  // A speaker runs one revision.
  const count = announcing.reduce((sum, { speaker_ids: ids }) => sum + ids.length, 0);
  if (count === state.speakerIds.length && count > 0) return [];
  const known = new Set(announcing.flatMap(({ speaker_ids: ids }) => ids));
  const missing = state.speakerIds.filter((id) => !known.has(id));
  const reasons = new Reasons(formatAddress(address));
  const special = specialPurpose({ ...address, length: bitsOf(address.family) });
  if (special !== null && state.dropsBogons)
    reasons.add('bogon', {
      detail: `${formatAddress(address)} lies in ${special.prefix}, ${special.name} (${special.rfc}), which guard_bogons takes out of every list. Set guard_bogons to allow if it is meant.`,
    });
  const isWanted = tellHolders(reasons, address, unique(holders()));
  tellRevisions(reasons, state, address, missing, isWanted && special === null);
  return reasons.items;
}

/** Why a name is not announced, whatever its addresses. */
export function nameNotAnnounced(holders: readonly Holder[]): NotAnnounced[] {
  const reasons = new Reasons(null);
  tellHolders(reasons, null, unique(holders));
  return reasons.items;
}

/** @returns whether some list that is to be announced has the address, and none excludes it */
function tellHolders(reasons: Reasons, address: Address | null, holders: readonly Holder[]): boolean {
  let isIncluded = false;
  let isExcluded = false;
  let isHeld = false;
  for (const { module, entry, isEnabled } of holders) {
    const value = entry.value ?? 'an entry that was deleted since';
    const of = { module: { id: module.id, name: module.name, type: module.type }, entry };
    if (!module.enabled)
      reasons.add('module_disabled', { ...of, detail: `The module ${module.name} has it, and is disabled.` });
    else if (!isEnabled)
      reasons.add('entry_disabled', {
        ...of,
        detail: `The entry ${value} of the module ${module.name} has it, and is disabled.`,
      });
    else if (address !== null && !module.families.includes(address.family))
      reasons.add('family_off', {
        ...of,
        detail: `The module ${module.name} has it, and is not for ${address.family}. Add it to families if it is meant.`,
      });
    else if (module.purpose === 'exclude') {
      isExcluded = true;
      reasons.add('excluded', { ...of, detail: `The module ${module.name} excludes it by ${value}.` });
    } else if (module.is_held) {
      isHeld = true;
      reasons.add('held', {
        ...of,
        detail: `The module ${module.name} has it, and a guardrail holds what it brought last. POST /v1/modules/{module_id}/release accepts that.`,
      });
    } else isIncluded = true;
  }
  return isIncluded && !isExcluded && !isHeld;
}

/** @param isWanted the lists of now are to bring the address into a revision */
function tellRevisions(
  reasons: Reasons,
  { candidates, speakerIds }: LookupState,
  address: Address,
  missing: readonly string[],
  isWanted: boolean,
): void {
  const having = candidates.filter(({ table }) => holds(table, address));
  const trying = new Set<string>();
  for (const { revision } of having.filter((one) => one.revision.trying_ids.length > 0)) {
    const ids = revision.trying_ids.filter((id) => missing.includes(id));
    if (ids.length === 0) continue;
    for (const id of ids) trying.add(id);
    reasons.add('provisional', {
      ...named(revision),
      speaker_ids: ids,
      detail: `Revision ${revision.number} has it, and is being applied: these speakers may announce it already, and go back if that does not go well.`,
    });
  }
  const ready = having.find(({ revision: { role } }) => role === 'latest');
  const left = missing.filter((id) => !trying.has(id));
  if (ready !== undefined && (left.length > 0 || speakerIds.length === 0)) {
    const where =
      speakerIds.length === 0
        ? 'no speaker is enabled'
        : 'it is not applied to these speakers. POST /v1/apply applies it';
    const detail = `Revision ${ready.revision.number} has it, and ${where}.`;
    reasons.add('not_applied', { ...named(ready.revision), speaker_ids: left, detail });
  }
  if (ready !== undefined) return;
  const held = having.find(({ revision: { role } }) => role === 'held');
  if (held !== undefined) {
    const { number, codes } = held.revision;
    const detail = `Revision ${number} has it, and is held (${codes.join(', ')}). Apply it with override and a reason, or mend the list.`;
    reasons.add('held', { ...named(held.revision), speaker_ids: left, detail });
  } else if (isWanted && trying.size === 0)
    reasons.add('not_built', {
      speaker_ids: left,
      detail: 'A list has it, and no revision holds it yet. A refresh of the module builds one.',
    });
}

function named({ id, number }: Candidate['revision']): Pick<NotAnnounced, 'revision_id' | 'revision'> {
  return { revision_id: id, revision: number };
}

function holds(table: PrefixTable, address: Address): boolean {
  return matchesOf(table[address.family], address).length > 0;
}

/** The layer of snapshots tells again of entries that the layer of entries has told of. */
function unique(holders: readonly Holder[]): Holder[] {
  return [...new Map(holders.map((holder) => [holder.entry.id, holder])).values()];
}

/** In the order in which they were found, each once for an entry. */
class Reasons {
  readonly items: NotAnnounced[] = [];
  readonly #address: string | null;

  constructor(address: string | null) {
    this.#address = address;
  }

  add(reason: LookupReason, told: Partial<NotAnnounced> & Pick<NotAnnounced, 'detail'>): void {
    const {
      detail,
      module = null,
      entry = null,
      revision_id = null,
      revision = null,
      speaker_ids = [],
    } = told;
    this.items.push({
      ...{ reason, address: this.#address, module, entry, revision_id, revision, speaker_ids, detail },
    });
  }
}

/** What an entry that was found says of itself. */
export function holderOf(
  module: LookupModule,
  id: string,
  type: LookupMatch['entry']['type'],
  entry: Pick<LookupEntry, 'value' | 'enabled'> | undefined,
): Holder {
  return { module, entry: { id, type, value: entry?.value ?? null }, isEnabled: entry?.enabled ?? true };
}
