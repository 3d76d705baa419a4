/** What a write would do to routes, which a dry run says: shown instead of the write, or before a question. */
import type { ApiProblem, Schemas } from '#client';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { printAnswer } from '../render/formats.ts';
import { counted, named, total } from '../render/counted.ts';
import { coverText, coversText } from './covers.ts';
import { endedText, movedPeers, sessionText } from './ended-sessions.ts';
import { hostsFollow, isFrozen } from './freeze.ts';
import { keptElsewhere, keptText, NOTHING_KEPT, type KeptElsewhere } from './kept-elsewhere.ts';
import { isOfRule, ruleLines } from './rule-effect.ts';
import { exitCodeOf, type Session } from './run-remote.ts';
import { NONE_DOWN, downSessions, sessionKey, type DownSessions } from './without-session.ts';
import { isOfTenant, tenantLines, tenantLoss } from './tenant-effect.ts';
import { routesLines } from './routes-lines.ts';
import { standingHolds, wouldHoldLines, type StandingHolds } from './standing-holds.ts';

type Effect = Schemas['Effect'];

export interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

export interface CautionOptions {
  /** Flags; noun commands read their options at run time. */
  readonly 'dry-run'?: unknown;
  readonly yes?: unknown;
}

/** Of a write that is tried also where nobody is asked, for what is said of it then. */
export const UNFORESEEN: Foreseeing = { freed: null, note: () => null };

/** Takes in what a trial says, for the end of a command. */
export interface Foreseeing {
  /** What comes back although a rollback took it back; null: nothing. */
  readonly freed: string | null;
  /** @returns what guardrails would hold of it, for people; null: nothing */
  note(effect: Effect): string | null;
}

/**
 * Whether the write is to be sent. A dry run prints its effect instead. A terminal is asked where `question` is given and routes would go,
 * guardrails would hold them, they would get other communities, or sessions would end.
 * @param foreseen notes it, for a command that says so once it is done; null: it does not matter to it
 * @throws {CommandError} where the answer is no
 */
export async function isMeant(
  session: Session,
  write: Write,
  question: string | null,
  options: CautionOptions,
  foreseen: Foreseeing | null = null,
): Promise<boolean> {
  if (options['dry-run'] === true) {
    const effect = await effectOf(session, write);
    foreseen?.note(effect);
    const lines = [
      ...(await dryLines(session, write, effect)),
      ...freedLines(foreseen),
      'Nothing has changed: dry run',
    ];
    await printEffect(session, effect, lines.join('\n'));
    return false;
  }
  if (isFollowed(write)) await sayIfFrozen(session);
  const isAsked = question !== null && options.yes !== true && canAsk();
  if (!isAsked && foreseen === null) return true;
  const effect = isAsked ? await effectOf(session, write) : await effectIfFree(session, write);
  if (effect === null) return true;
  const held = foreseen?.note(effect) ?? null;
  const saysLoss = isAsked || turnsOff(write);
  // Most writes take nothing from anybody, and nobody waits for the state of sessions then.
  const takes = endedText(effect, NONE_DOWN) ?? (saysLoss ? lossOf(effect, NONE_DOWN) : null);
  const down = takes === null ? NONE_DOWN : await downSessions(session, effect);
  const kept = takes === null ? NOTHING_KEPT : await keptElsewhere(session, effect);
  const loss = saysLoss ? (lossOf(effect, down, kept) ?? coversText(effect)) : null;
  const ended = [endedText(effect, down), keptText(effect, kept), expiredText(effect)];
  if (!isAsked) {
    const said = [loss, ...ended].filter((text) => text !== null);
    for (const line of [...freedLines(foreseen), ...said]) say(line);
    return true;
  }
  const consequences = [held ?? loss ?? changeOf(effect), ...ended].filter((text) => text !== null);
  if (consequences.length === 0) return true;
  for (const text of consequences) say(text);
  if (await asksYes(question)) return true;
  throw new CommandError('Nothing has changed', EXIT.no);
}

/** Formats of one kind of rows have room for the routes alone: all else goes where people read. */
async function printEffect({ format }: Session, effect: Effect, words: string): Promise<void> {
  if (format === 'csv' || format === 'ndjson' || format === 'name') say(words);
  await printAnswer(effect, words, format);
}

/** What a dry run says. */
async function dryLines(session: Session, write: Write, effect: Effect): Promise<string[]> {
  if (isOfRule(write)) return ruleLines(session, write);
  return isOfTenant(write.path) ? tenantLines(effect) : [await effectText(session, effect)];
}

/** Null: nothing comes back whose time is over. */
function expiredText({ expired }: Effect): string | null {
  if (expired === undefined) return null;
  const { count, prefixes } = expired;
  const rest = count > NAMED_EXPIRED ? ` and ${count - NAMED_EXPIRED} more` : '';
  return `This announces again what was to end by itself, and has ended since: ${prefixes.slice(0, NAMED_EXPIRED).join(', ')}${rest}`;
}

const NAMED_EXPIRED = 10;

/** Nothing else of such a line says that routers lose routes. Lists that are deleted are named as that, and come back. */
function turnsOff({ method, path, body }: Write): boolean {
  // Of a peer, its communities and families as well; of a tenant, its policy.
  if (method === 'DELETE' || method === 'PATCH')
    if (/^\/v1\/(?:speakers|peers|tenants)\//.test(path)) return true;
  return method === 'PATCH' && (body as { readonly enabled?: unknown }).enabled === false;
}

function freedLines(foreseen: Foreseeing | null): string[] {
  const freed = foreseen?.freed ?? null;
  return freed === null ? [] : [freed];
}

/** Writes that routers follow by themselves. */
const FOLLOWED = /^\/v1\/(?:modules|communities|revisions)\//;
/** Settings that routes carry. */
const OF_ROUTES = ['guard_no_export', 'default_community_id'] as const;

function isFollowed({ path, body }: Write): boolean {
  if (path === '/v1/settings') return OF_ROUTES.some((key) => Object.hasOwn(body as object, key));
  return FOLLOWED.test(path);
}

const frozenSaid = new WeakSet<Session>();

/** Once a command, and never in the way of the write: routers will not follow it until the freeze ends, whoever began that. */
async function sayIfFrozen(session: Session): Promise<void> {
  if (frozenSaid.has(session)) return;
  frozenSaid.add(session);
  if (!(await isFrozen(session))) return;
  const hosts = await hostsFollow(session);
  say(`Applies are frozen: no router follows this until prefixcast${session.contextWords} unfreeze${hosts}`);
}

/** Of a trial that nobody is asked about, in milliseconds. */
export const TIMEOUT_MS = 10_000;

/**
 * Where nobody is asked, a service that is busy keeps no emergency from being written: a trial builds the whole list. Null: then nobody knows
 * what guardrails would hold.
 */
async function effectIfFree(session: Session, write: Write): Promise<Effect | null> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await effectOf(session, write, signal);
  } catch (error) {
    const problem = error as ApiProblem;
    const isBusy = problem.name === 'ApiProblem' && exitCodeOf(problem) === EXIT.tryAgain;
    if (!isBusy && !signal.aborted) throw error;
    const why = isBusy ? problem.message : `there was no answer within ${TIMEOUT_MS / 1_000} s`;
    say(untriedText(why));
    return null;
  }
}

export function untriedText(why: string): string {
  return `Whether a guardrail would hold it could not be tried: ${why}`;
}

/** What a trial of the write says. */
export async function effectOf(
  { client }: Session,
  { method, path, body }: Write,
  signal?: AbortSignal,
): Promise<Effect> {
  if (path === '/v1/changes') {
    const plan = await client.request('POST', '/v1/revisions/plan', { body, signal });
    return ((await plan.json()) as Schemas['Plan']).effect;
  }
  const answer = await client.request(method, path, { body, query: { dry_run: true }, signal });
  return ((await answer.json()) as { readonly effect: Effect }).effect;
}

/** What an effect is to people. */
export async function effectText(session: Session, effect: Effect): Promise<string> {
  const { head, bySpeaker } = routesLines(effect);
  const expired = expiredText(effect);
  return [
    ...(head === null ? [] : [head]),
    ...bySpeaker,
    ...sequelLines(
      effect,
      await standingHolds(session, effect),
      await downSessions(session, effect),
      await keptElsewhere(session, effect),
    ),
    ...(expired === null ? [] : [expired]),
  ].join('\n');
}

/** What each peer would have of it, what a guardrail would hold, and what nobody knows yet. */
export function sequelLines(
  { speakers, revision, uncollected_module_ids: unread }: Effect,
  standing: StandingHolds,
  down: DownSessions = NONE_DOWN,
  kept: KeptElsewhere = NOTHING_KEPT,
): string[] {
  return [
    ...speakers.flatMap(({ name, speaker_id: id, peers }) =>
      peers.map((peer) => {
        const state = down.get(sessionKey(id, peer.peer_id));
        const other = total(peer.after) === 0 ? kept.get(peer.peer_id) : undefined;
        const stays =
          other === undefined ? '' : `; ${other.by.join(', ')} goes on sending it ${other.routes}`;
        const then = `${total(peer.after)} then${stays}`;
        return state === undefined
          ? `${peer.name} at ${name}: ${counted(total(peer.before), 'route')} now, ${then}${updatedText(peer)}${coverText(peer)}${sessionText(peer)}`
          : `${peer.name} at ${name}: no session now (${state}), ${then}${coverText(peer)}`;
      }),
    ),
    ...wouldHoldLines(revision, standing),
    ...standing.ofLatest,
    ...(unread.length > 0 ? ['Sources that have to be read first are not counted'] : []),
  ];
}

/** As many routes may still be others, as with a community that is given another value. */
function updatedText({
  before,
  after,
  updated,
  unfitted,
}: Effect['speakers'][number]['peers'][number]): string {
  // One that keeps what it has is sent none of those.
  const isSent = updated > 0 && unfitted === null;
  return isSent && total(before) === total(after) ? `, ${updated} of them new or changed` : '';
}

/** Null: no route would go. As many may come as go: nobody has fewer routes then, and still not the same. */
export function lossOf(
  effect: Effect,
  down: DownSessions = NONE_DOWN,
  kept: KeptElsewhere = NOTHING_KEPT,
): string | null {
  if (effect.tenants !== undefined) return tenantLoss(effect);
  const { speakers, summary } = effect;
  const withdrawing = speakers.filter((one) => one.withdrawn > 0);
  // In a freeze, routers also lack what this has nothing to do with; and where no revision follows, the latest one is none of its business.
  const isForRouters = effect.revision !== null && effect.applied_by_itself;
  // As after a failed canary.
  if (isForRouters && summary.withdrawn > 0 && withdrawing.length === 0)
    return `This withdraws ${counted(summary.withdrawn, 'route')} of the latest revision, which no speaker announces`;
  const [worst] = isForRouters ? withdrawing.toSorted((a, b) => b.withdrawn - a.withdrawn) : [];
  const { announced, withdrawn } = worst ?? summary;
  if (withdrawn > 0 && announced > 0) {
    const most = isForRouters && withdrawing.some((one) => one.withdrawn < withdrawn) ? 'up to ' : '';
    const names = withdrawing.map(({ name }) => name);
    return `This withdraws ${most}${counted(withdrawn, 'route')}, and announces ${counted(announced, 'other')}${at('speaker', names)}`;
  }
  const moved = movedPeers({ speakers });
  const losing = speakers.flatMap(({ speaker_id: id, peers }) =>
    peers
      // Of one that moves, the end of its session is said; one that others send the same loses nothing.
      .filter(
        ({ lost, peer_id: peer }) => lost > 0 && lost > (kept.get(peer)?.routes ?? moved.get(peer) ?? 0),
      )
      .map((peer) => ({ ...peer, isDown: down.has(sessionKey(id, peer.peer_id)) })),
  );
  if (losing.length === 0) return withdrawn === 0 ? null : `This withdraws ${counted(withdrawn, 'route')}`;
  const losses = losing.map(({ lost }) => lost);
  // Peers are sent the same routes: a sum over them would be a number that nobody has seen anywhere.
  const most = Math.max(...losses);
  const upTo = losses.some((loss) => loss < most) ? 'up to ' : '';
  if (withdrawn === 0 && losing.every(({ isDown }) => isDown)) {
    const { count, names } = named(
      'peer',
      losing.map(({ name }) => name),
    );
    const have = count.startsWith('1 ') ? 'that has no session would get' : 'that have no session would get';
    return `No router loses routes now; ${count} ${have} ${upTo}${counted(most, 'route')} fewer: ${names}`;
  }
  const names = losing.map(({ name, isDown }) => (isDown ? `${name} (no session now)` : name));
  return `This withdraws ${upTo}${counted(most, 'route')}${at('peer', names)}`;
}

/** Null: no route would be another. With other communities, routers may do something else with it, and peers are sent it that were not before. */
function changeOf({ revision, summary: { changed }, speakers }: Effect): string | null {
  if (changed === 0) return revision === null ? resentOf(speakers) : null;
  const gains = speakers.flatMap(({ name, peers }) =>
    peers
      .filter((peer) => total(peer.after) > total(peer.before))
      .map((peer) => `${peer.name} at ${name} has ${total(peer.before)} now, and ${total(peer.after)} then`),
  );
  return [`This gives ${counted(changed, 'route')} other communities`, ...gains].join('; ');
}

/** Null: no peer is sent routes that it has with another next hop or other communities. In a revision, such a change is counted. */
function resentOf(speakers: Effect['speakers']): string | null {
  const resent = speakers
    .flatMap(({ peers }) => peers)
    .map((peer) => ({ name: peer.name, count: resentTo(peer) }))
    .filter(({ count }) => count > 0);
  if (resent.length === 0) return null;
  const most = Math.max(...resent.map(({ count }) => count));
  const names = resent.map(({ name }) => name);
  return `This gives ${counted(most, 'route')} another next hop or other communities${at('peer', names)}`;
}

/** Of what is sent again, what is not new to it. */
function resentTo({
  before,
  after,
  updated,
  withdrawn,
}: Effect['speakers'][number]['peers'][number]): number {
  return Math.max(0, updated - Math.max(0, total(after) - total(before) + withdrawn));
}

function at(noun: string, all: readonly string[]): string {
  if (all.length === 0) return '';
  const { count, names } = named(noun, all);
  return ` at ${count}: ${names}`;
}
