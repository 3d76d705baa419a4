/** Why revisions that hold an address are not what speakers announce, and what is known of their applies. Pure. */
import { sentence } from '../../api/problems/sentence.ts';
import type { NotAnnounced } from '../../api/lookup/lookup.ts';
import type { Address } from '../../core/address.ts';
import { matchesOf } from '../../core/tables/lookup.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { LookupApply, LookupCandidate } from '../../store/lookup/lookup-candidates.ts';
import type { LookupState } from './lookup-state.ts';
import type { Reasons } from './reasons.ts';
import { isSameRoute, routesAround } from './routes-around.ts';

/** @param isWanted the present lists would bring the address into a revision */
export function explainRevisions(
  reasons: Reasons,
  state: LookupState,
  address: Address,
  missing: readonly string[],
  isWanted: boolean,
): void {
  const having = state.candidates
    .filter(({ table }) => holds(table, address))
    .map(({ revision }) => revision);
  const trying = new Set<string>();
  for (const revision of having.filter(({ trying_ids: ids }) => ids.length > 0)) {
    const ids = revision.trying_ids.filter((id) => missing.includes(id));
    if (ids.length === 0) continue;
    for (const id of ids) trying.add(id);
    reasons.add('provisional', {
      ...named(revision),
      speaker_ids: ids,
      detail: `Revision ${revision.number} has it, and is being applied: these speakers may announce it already, and go back if that does not go well.`,
    });
  }
  const ready = having.find(({ role }) => role === 'latest');
  const left = missing.filter((id) => !trying.has(id));
  if (ready !== undefined) {
    explainReady(reasons, state, ready, left);
    return;
  }
  const held = having.find(({ role }) => role === 'held');
  if (held !== undefined) {
    explainHeld(reasons, held, left);
    return;
  }
  if (!isWanted || trying.size > 0) return;
  const undone = having.find(({ role }) => role === 'rolled_back');
  const rollback = state.candidates.find(({ revision: { role } }) => role === 'latest')?.revision;
  if (undone !== undefined && rollback !== undefined)
    reasons.add('left_out', {
      ...named(undone),
      speaker_ids: left,
      detail: `Revision ${undone.number} has it, and revision ${rollback.number}, a rollback that came after it, leaves it out. Release the module if it is held for that (rolled_back); otherwise the next revision of the lists has it again.`,
    });
  else
    reasons.add('not_built', {
      speaker_ids: left,
      detail: 'A list has it, and no revision holds it yet. A refresh of the module builds one.',
    });
}

/**
 * The newest ready revision, or the newest one that is held, has a more specific route for the address, such as a blackhole, than what these
 * speakers announce around it.
 * @param announcing ids of the enabled speakers that announce the address
 */
export function explainSpecific(
  reasons: Reasons,
  state: LookupState,
  address: Address,
  announcing: ReadonlySet<string>,
): void {
  for (const coming of [state.ahead, state.heldAhead]) {
    const [due] = coming === null ? [] : routesAround(coming.table, address);
    if (coming === null || due === undefined) continue;
    const lacking = state.live.filter(
      ({ table }) => !routesAround(table, address).some((route) => isSameRoute(route, due)),
    );
    const ids = lacking.flatMap(({ revision }) => revision.speaker_ids.filter((id) => announcing.has(id)));
    const { trying_ids: trying } = coming.revision;
    const left = ids.filter((id) => !trying.includes(id));
    if (left.length === 0) continue;
    if (coming === state.heldAhead) explainHeld(reasons, coming.revision, left, due.prefix);
    else explainReady(reasons, state, coming.revision, left, due.prefix);
  }
}

/** A guardrail holds the revision that has the address. @param what the route, or `it` for the address */
function explainHeld(reasons: Reasons, held: LookupCandidate, left: string[], what = 'it'): void {
  const { number, codes } = held;
  const detail = `Revision ${number} has ${what}, and is held (${codes.join(', ')}). Apply it with override and a reason, or correct the list.`;
  reasons.add('held', { ...named(held), speaker_ids: left, detail });
}

/** The newest ready revision has the address, and these speakers do not announce it. @param what the route, or `it` for the address */
function explainReady(
  reasons: Reasons,
  state: LookupState,
  ready: LookupCandidate,
  left: readonly string[],
  what = 'it',
): void {
  if (state.speakerIds.length === 0)
    return reasons.add('not_applied', {
      ...named(ready),
      detail: `Revision ${ready.number} has it, and no speaker is enabled.`,
    });
  // Only by an override does a speaker run what is newer than the newest that is ready: to apply that one would undo it.
  const newer = state.live.filter(({ revision: { number } }) => number > ready.number);
  const overridden = new Set<string>();
  for (const { revision } of newer) {
    const ids = revision.speaker_ids.filter((id) => left.includes(id));
    if (ids.length === 0) continue;
    for (const id of ids) overridden.add(id);
    reasons.add('left_out', {
      ...named(ready),
      speaker_ids: ids,
      detail: `Revision ${ready.number} has ${what}, and these speakers run revision ${revision.number}, which is newer, was applied with override, and leaves it out.`,
    });
  }
  const away = left.filter((id) => !overridden.has(id) && state.awayIds.includes(id));
  if (away.length > 0)
    reasons.add('not_applied', {
      ...named(ready),
      speaker_ids: away,
      detail: `Revision ${ready.number} has ${what}, and the nodes of these speakers are out of reach. They ${takes(state, ready.apply)}.`,
    });
  const rest = left.filter((id) => !overridden.has(id) && !away.includes(id));
  if (rest.length === 0) return;
  const detail = `Revision ${ready.number} has ${what}, and it is not applied to these speakers. ${whyNotApplied(state, ready.apply)}`;
  reasons.add('not_applied', { ...named(ready), speaker_ids: rest, detail });
}

/** A node that comes back fetches what an apply was to bring it, whatever has become of that apply. */
function takes({ isFrozen }: LookupState, apply: LookupApply | null): string {
  return isFrozen || apply === null
    ? 'take what is applied when they are back'
    : 'take it by themselves when they are back';
}

function whyNotApplied({ isFrozen, appliesByItself }: LookupState, apply: LookupApply | null): string {
  if (isFrozen && appliesByItself && apply?.code === 'deploy_frozen')
    return 'The setting deploy_freeze is on, so nothing is applied. Set it to false, and what waits is applied.';
  if (isFrozen)
    return 'The setting deploy_freeze is on, so nothing is applied: set it to false, then POST /v1/apply applies it.';
  switch (apply?.state) {
    case 'queued':
      return `The job ${apply.job_id} is to apply it, and waits for its turn.`;
    case 'running':
      return apply.phase === 'waiting for an older apply'
        ? `The job ${apply.job_id} is to apply it, and waits until an older apply has ended.`
        : `The job ${apply.job_id} is applying it, and has not come to an end there.`;
    case 'failed':
      return `Its last apply, the job ${apply.job_id}, failed (${apply.code}): ${apply.detail === null ? '' : sentence(apply.detail)} Fix that, then POST /v1/apply applies it.`;
    default:
      return 'POST /v1/apply applies it.';
  }
}

function named({ id, number }: LookupCandidate): Pick<NotAnnounced, 'revision_id' | 'revision'> {
  return { revision_id: id, revision: number };
}

function holds(table: PrefixTable, address: Address): boolean {
  return matchesOf(table[address.family], address).length > 0;
}
