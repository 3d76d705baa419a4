/** What a job that has ended left undone, by names: peers without the revision, sources that could not be read. */
import type { Job, Schemas } from '#client';
import { ENTRY_KINDS } from '../nouns/entry-kinds.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { memberOf } from '../render/formats.ts';
import type { Item } from '../nouns/noun.ts';
import { inCommands } from './command-words.ts';
import type { Session } from './run-remote.ts';

export interface Shortfalls {
  /** Lines for people. */
  readonly lines: readonly string[];
  /** It is more than a peer or a node that was away before: the command ends with an exit code of its own. */
  readonly isPartial: boolean;
}

/**
 * Peers whose lack counts where they lacked earlier revisions already: `all`, where the command asks what they have, or is to correct them.
 * A command that changes something else ends as if they were well: one sick router would fail every script.
 */
export type CountedPeers = 'all' | readonly string[];

const NONE: Shortfalls = { lines: [], isPartial: false };
/** Of sources; a module may have thousands. */
const NAMED = 20;

/** @param awaited ids and names of peers whose being down is no matter here */
export async function shortfallsOf(
  session: Session,
  job: Job,
  counted: CountedPeers,
  awaited: ReadonlySet<string> = new Set(),
): Promise<Shortfalls> {
  const { lines, isPartial } = await read(session, job, { counted, awaited });
  return { lines: lines.map((line) => inCommands(line, session.contextWords)), isPartial };
}

interface Concerned {
  readonly counted: CountedPeers;
  readonly awaited: ReadonlySet<string>;
}

async function read(session: Session, job: Job, concerned: Concerned): Promise<Shortfalls> {
  if (job.type === 'apply') return shortfallsOfApply(session, job, concerned);
  if (job.type === 'module_refresh') return shortfallsOfRefresh(session, job);
  return NONE;
}

type SpeakerResult = Schemas['SpeakerApplyResult'];
type PeerResult = SpeakerResult['peers'][number];

async function shortfallsOfApply(
  { client, names, contextWords }: Session,
  { result, state, error: fault }: Job,
  { counted, awaited }: Concerned,
): Promise<Shortfalls> {
  const speakers = (result as { speakers?: readonly SpeakerResult[] } | null)?.speakers ?? [];
  // Why a job has failed, it says itself.
  const isLate = ({ status }: SpeakerResult): boolean => state === 'succeeded' && LATE.has(status);
  const isPartial = speakers.some(
    (one) =>
      (isLate(one) && counted === 'all') ||
      (one.status === 'partial' &&
        (one.peers.length === 0 || one.peers.some((peer) => counts(peer, counted)))),
  );
  const lacking = speakers.filter(
    (one) => one.status === 'skipped' || isLate(one) || one.peers.some((peer) => peer.status !== 'applied'),
  );
  if (lacking.length === 0) return { lines: [], isPartial };
  const called = await names.called(
    'speaker',
    lacking.map(({ speaker_id: id }) => id),
  );
  const lines = lacking.map(async ({ speaker_id: id, status, error, peers, ...counts }) => {
    const speaker = called.get(id) ?? id;
    if (status === 'skipped' && error !== null && error === fault?.detail) return [`${speaker} was skipped`];
    if (status === 'skipped')
      return [`${speaker} was skipped: ${inCommands(error ?? 'no reason is known', contextWords)}`];
    if (LATE.has(status)) return [`${speaker} does not have it yet${because(error)}`];
    const isRemoval = counts.withdrawn > 0 && counts.announced + counts.changed === 0;
    const others = peers.filter(
      ({ status: one, peer_id: peerId, name }) =>
        one !== 'applied' && !(one === 'down' && (awaited.has(peerId) || awaited.has(name))),
    );
    const isDown = others.some((peer) => peer.status === 'reverted') ? await downNow(client, id) : null;
    return others.map((peer) => {
      const isDownNow = peer.status === 'reverted' && isDown?.has(peer.peer_id) === true;
      const standing = isDownNow ? downText(peer.error) : standingOf(peer, isRemoval);
      return `${peer.name} at ${speaker} ${standing}${because(peer.error)}`;
    });
  });
  return { lines: (await Promise.all(lines)).flat(), isPartial };
}

/** Of speakers that nobody waits for any longer, and that take the revision by themselves. */
const LATE: ReadonlySet<SpeakerResult['status']> = new Set(['unreachable', 'unfinished']);

/** Whether the command is to end as one that has not done all. */
function counts(
  { peer_id: id, status, was_up: wasUp, was_behind: wasBehind }: PeerResult,
  counted: CountedPeers,
): boolean {
  const isBehind = BEHIND.has(status) || (status === 'incomplete' && wasUp);
  return isBehind && (wasBehind !== true || counted === 'all' || counted.includes(id));
}

/** An apply says what became of a peer when it ended: the session of a reverted one comes and goes since. */
async function downNow(client: Session['client'], speakerId: string): Promise<ReadonlySet<string>> {
  const path = { speaker_id: speakerId };
  const { live } = await client.get('/v1/speakers/{speaker_id}', { params: { path, query: { live: true } } });
  const down = (live?.sessions ?? []).filter(({ state }) => state !== 'established');
  return new Set(down.map(({ peer_id: id }) => id));
}

/** What it gets then, the error may say itself. */
function downText(error: string | null): string {
  const gets = error?.includes('is sent what it held before') === true ? '' : DOWN_GETS;
  return `has no routes from us now, since its session is down${gets}`;
}

const DOWN_GETS = ', and gets what it held before when it is back';

const BEHIND: ReadonlySet<PeerResult['status']> = new Set(['failed', 'reverted', 'over_limit']);

/** @param isRemoval the change withdraws routes, and nothing else */
function standingOf({ status, was_behind: wasBehind }: PeerResult, isRemoval: boolean): string {
  if (wasBehind !== true || !BEHIND.has(status)) return STANDINGS[status];
  // What its speaker withdraws goes from such a peer too; of what is announced, it gets what it holds or held.
  if (status !== 'failed' && isRemoval) return 'has this change, and lacks earlier ones';
  return status === 'reverted'
    ? 'lacks earlier changes, and has of this one only what it held before it failed'
    : 'lacks earlier changes';
}

const STANDINGS: Readonly<Record<PeerResult['status'], string>> = {
  applied: 'has it',
  reverted: 'does not have it, and holds what it held before',
  failed: 'does not have it',
  incomplete: 'has not all of it yet',
  over_limit: 'keeps what it had',
  down: 'is down, and receives it when it is back',
  undone: 'went back with its speaker',
};

function because(error: string | null): string {
  return error === null ? '' : `: ${error}`;
}

interface EntryResult {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

async function shortfallsOfRefresh({ client }: Session, { result, resource }: Job): Promise<Shortfalls> {
  const entries = (result as { entries?: readonly EntryResult[] } | null)?.entries ?? [];
  const failed = entries.filter(({ status }) => status !== 'ok');
  const isPartial = (result as { readonly status?: string } | null)?.status === 'partial';
  if ((failed.length === 0 && !isPartial) || resource === null) return NONE;
  const base = `${NOUNS.module.path}/${resource.id}`;
  const read = async (path: string): Promise<Item> =>
    (await (await client.request('GET', path)).json()) as Item;
  if (failed.length === 0) {
    // All that was read has nothing any more.
    const { name, last_refresh: last } = (await read(base)) as unknown as Schemas['Module'];
    const error = last?.error ?? null;
    return { lines: error === null ? [] : [`${name}: ${error}`], isPartial: true };
  }
  const { path, key } = ENTRY_KINDS[(await read(base)).type as string]!;
  const lines = await Promise.all(
    failed.slice(0, NAMED).map(async ({ id, status, error }) => {
      // One that was deleted meanwhile has no name any more.
      const entry = await read(`${base}/${path}/${id}`).catch((): Item => ({ [key]: id }));
      const kept = status === 'stale' ? 'its last content stays' : 'it has no content yet';
      return `${String(memberOf(entry, key))} could not be read, ${kept}${because(error)}`;
    }),
  );
  const rest = failed.length - lines.length;
  return {
    lines: rest > 0 ? [...lines, `and ${rest} more: prefixcast source stale`] : lines,
    isPartial: true,
  };
}
