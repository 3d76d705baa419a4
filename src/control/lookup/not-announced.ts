/**
 * Why an address is not announced, or not by every enabled speaker: worked out of what a lookup found anyway, and of the revisions that
 * might announce it. Nothing is worked out for an address that all enabled speakers announce, where all run the newest
 * revision and every peer takes what it is sent.
 */
import { WHO_LOOSENS } from '../../policy/limits.ts';
import type { LookupMatch, NotAnnounced } from '../../api/lookup/lookup.ts';
import { type Address, bitsOf, formatAddress } from '../../core/address.ts';
import { specialPurpose } from '../../core/sets/special-purpose.ts';
import type { LiveRevision, LookupEntry, LookupModule } from '../../store/lookup/lookup.ts';
import type { LookupState } from './lookup-state.ts';
import { explainPeers } from './peer-reasons.ts';
import { Reasons } from './reasons.ts';
import { explainRevisions, explainSpecific } from './revision-reasons.ts';

/** An entry whose prefix lies around the address, or whose name was asked for. */
export interface Holder {
  readonly module: LookupModule;
  readonly entry: Pick<LookupMatch['entry'], 'id' | 'type' | 'value'>;
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
  const isEverywhere = count === state.speakerIds.length && count > 0;
  const isAll = state.ahead === null && state.heldAhead === null;
  if (isEverywhere && !state.peers.hasSome && isAll) return [];
  const known = new Set(announcing.flatMap(({ speaker_ids: ids }) => ids));
  const missing = state.speakerIds.filter((id) => !known.has(id));
  const reasons = new Reasons(formatAddress(address));
  explainPeers(reasons, state, address, known);
  explainSpecific(reasons, state, address, known);
  if (isEverywhere) return reasons.items;
  const special = specialPurpose({ ...address, length: bitsOf(address.family) });
  if (special !== null && state.dropsBogons)
    reasons.add('bogon', {
      detail: `${formatAddress(address)} lies in ${special.prefix}, ${special.name} (${special.rfc}), which guard_bogons takes out of every list. If it is meant, have guard_bogons set to allow ${WHO_LOOSENS}.`,
    });
  const isWanted = explainHolders(reasons, address, unique(holders()));
  explainRevisions(reasons, state, address, missing, isWanted && special === null);
  return reasons.items;
}

/** Why a name is not announced, whatever its addresses. */
export function nameNotAnnounced(holders: readonly Holder[]): NotAnnounced[] {
  const reasons = new Reasons(null);
  explainHolders(reasons, null, unique(holders));
  return reasons.items;
}

/** @returns whether some list that is to be announced has the address, and none excludes it */
function explainHolders(reasons: Reasons, address: Address | null, holders: readonly Holder[]): boolean {
  let isIncluded = false;
  let isExcluded = false;
  let isHeld = false;
  for (const { module, entry, isEnabled } of holders) {
    const { value } = entry;
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
        detail: `The module ${module.name} has it, and a guardrail holds what it brought last, or how it was edited. POST /v1/modules/{module_id}/release accepts that.`,
      });
    } else isIncluded = true;
  }
  return isIncluded && !isExcluded && !isHeld;
}

/** The layer of snapshots repeats entries that the layer of entries has found. */
function unique(holders: readonly Holder[]): Holder[] {
  return [...new Map(holders.map((holder) => [holder.entry.id, holder])).values()];
}

/** What an entry that was found says of itself. */
export function holderOf(
  module: LookupModule,
  id: string,
  type: LookupMatch['entry']['type'],
  { value, enabled }: Pick<LookupEntry, 'value' | 'enabled'>,
): Holder {
  return { module, entry: { id, type, value }, isEnabled: enabled };
}
