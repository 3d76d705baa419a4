/** Why an address or a name is announced or not: the console's first question, as text. */
import { ApiProblem, type Schemas } from '#client';
import { runningSince } from './applied-times.ts';
import { lookedUp, lookUp, type LookedUp } from './looked-up.ts';
import { faultOf, isUnknown, readSessions } from './sessions.ts';
import {
  announcing,
  listed,
  section,
  unannouncedNames,
  unreadText,
  type Listing,
  type Match,
} from './why-lists.ts';
import { heldRevisionsText, withoutAdvice } from './why-held.ts';
import { isCut } from './pruned.ts';
import { lostLines, pastLines, replacedLines } from './why-past.ts';
import { turnedOffText } from './turned-off.ts';
import { nextText } from './why-next.ts';
import { column, type Column } from '../nouns/noun.ts';
import { EXIT, UsageError } from '../process/command-error.ts';
import { print } from '../render/formats.ts';
import { coloured } from '../render/terminal.ts';
import { inCommands } from '../session/command-words.ts';
import { freezeText } from '../session/freeze.ts';
import { lackingLines } from '../session/hosts.ts';
import type { Session } from '../session/run-remote.ts';

type Lookup = Schemas['Lookup'];

/**
 * Resolves to 1 where one of them is not announced everywhere.
 * @throws {UsageError} for what cannot be looked up, once the others are answered
 */
export async function why(session: Session, words: readonly string[]): Promise<number> {
  const { found, wrong } = await lookedUp(session, words);
  const items = found.map(({ lookup }) => lookup);
  const gaps = await gapsOf(session, items);
  const isAny = items.length > 0 || wrong.length === 0;
  if (isAny && session.format !== 'table') await printAsData(session, items, words.length > 1);
  else if (isAny) await explainAll(session, found, gaps);
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
  const isEverywhere = items.every(
    (one) => one.announced.length > 0 && one.not_announced.length === 0 && !gaps.has(one),
  );
  return isEverywhere ? EXIT.ok : EXIT.no;
}

/** What of prefixes is not announced, and why: an answer gives the reasons of the first address alone. */
interface ExplainedGap {
  readonly prefix: string;
  /** The first address of it. */
  readonly address: string;
  /** Whether routes have another part. */
  readonly isPart: boolean;
  readonly reasons: Lookup['not_announced'];
}

async function gapsOf(
  session: Session,
  items: readonly Lookup[],
): Promise<ReadonlyMap<Lookup, ExplainedGap | 'unknown'>> {
  const gaps = new Map<Lookup, ExplainedGap | 'unknown'>();
  const known: { readonly one: Lookup; readonly gap: Omit<ExplainedGap, 'reasons'> }[] = [];
  for (const one of items) {
    const { state, missing: prefix = null, address = null } = one.coverage ?? {};
    if (state === 'unknown') gaps.set(one, state);
    if (prefix !== null && address !== null)
      known.push({ one, gap: { prefix, address, isPart: state === 'part' } });
  }
  if (known.length === 0) return gaps;
  const answer = await lookUp(
    session,
    known.map(({ gap }) => gap.address),
  );
  const answers = 'items' in answer ? answer.items : [];
  for (const [at, { one, gap }] of known.entries())
    gaps.set(one, { ...gap, reasons: answers[at]?.not_announced ?? [] });
  return gaps;
}

/** @param isSeveral whether several were asked for: a script finds the same shape, however many could be looked up */
async function printAsData({ format }: Session, items: readonly Lookup[], isSeveral: boolean): Promise<void> {
  const { printList, printObject } = await import('../render/formats.ts');
  const shown = { columns: COLUMNS, name: 'query' };
  await (isSeveral ? printList({ items, ...shown }, format) : printObject(items[0]!, shown, format));
}

const COLUMNS: readonly Column[] = [
  column('QUERY', 'query'),
  column('ANNOUNCED', ({ announced }) => (announced as Lookup['announced']).map(({ prefix }) => prefix)),
  column('REASONS', ({ not_announced: not }) => [
    ...new Set((not as Lookup['not_announced']).map(({ reason }) => reason)),
  ]),
];

/** Sessions that are named, and routes inside of one prefix, beyond which their past is of no interest. */
const NAMED = 20;
/** Routes whose past is read: those of as many addresses as somebody takes out of a log. */
const DATED = 100;
const READ_AT_ONCE = 4;

async function explainAll(
  session: Session,
  found: LookedUp['found'],
  gaps: ReadonlyMap<Lookup, ExplainedGap | 'unknown'>,
): Promise<void> {
  const items = found.map(({ lookup }) => lookup);
  const known = await session.names.byId(['speaker', 'peer']);
  const few = items.filter(({ announced }) => announced.length <= NAMED);
  const routes = new Set(few.flatMap(({ announced }) => announced.map(({ prefix }) => prefix)));
  const since = await beginnings(session, [...routes].slice(0, DATED));
  const causes = await causesOf(session, items);
  const isListed = items.some(({ matches }) => matches.length > 0) || causes.size > 0;
  const modules = isListed ? await session.names.all('module') : [];
  const texts = await Promise.all(
    found.map(({ asked, lookup }) =>
      explained(asked, lookup, {
        session,
        known,
        since,
        causes,
        modules,
        gaps,
        isFew: found.length <= READ_AT_ONCE,
      }),
    ),
  );
  const reasons = items.flatMap((one) => {
    const gap = gaps.get(one);
    return typeof gap === 'object' ? gap.reasons : one.not_announced;
  });
  const held = await heldRevisionsText(session, reasons);
  const down = await downText(session, items);
  const off = await turnedOffText(session, items);
  const freeze = await freezeText(session);
  const hosts = await hostsText(session);
  const isAnyMissing = items.some((one) => one.announced.length === 0 || gaps.has(one));
  const unread = isAnyMissing ? await unreadText(session) : null;
  print(
    [
      ...texts,
      ...[held, unread, down, off, hosts, freeze].flatMap((text) => (text === null ? [] : [`${text}\n`])),
    ].join('\n'),
  );
}

/** A speaker announces to sessions that are up: who looks at a router without one would find nothing there. Null: all are up. */
async function downText(session: Session, items: readonly Lookup[]): Promise<string | null> {
  const announcing = new Set(
    items.flatMap(({ announced }) => announced.flatMap(({ speaker_ids: ids }) => ids)),
  );
  if (announcing.size === 0) return null;
  const sessions = await readSessions(session);
  const down = sessions.filter(
    ({ speaker_id: id, state }) => state !== 'established' && announcing.has(String(id)),
  );
  if (down.length === 0) return null;
  const lines = down.slice(0, NAMED).map((one) => {
    const fault = faultOf(one);
    const why = typeof fault === 'string' ? `: ${fault}` : '';
    return `  ${String(one.peer_name)} at ${String(one.speaker)}, ${String(one.state)}${why}`;
  });
  const rest = down.length - lines.length;
  const more = rest > 0 ? [`  and ${rest} more: prefixcast${session.contextWords} session list`] : [];
  const title = down.some(isUnknown)
    ? 'Sessions that are down, or that nobody reports'
    : 'Sessions that are down';
  return [`${coloured(title, 'yellow')}; these peers may lack it:`, ...lines, ...more].join('\n');
}

/** Hosts follow by themselves what lists say: one that is out of reach goes on blocking, or letting in, what it did. Null: all are as they are to be. */
async function hostsText(session: Session): Promise<string | null> {
  const lines = await lackingLines(session);
  if (lines.length === 0) return null;
  const title = 'Firewall hosts that have older rules, and may do with it what those say';
  return [`${coloured(title, 'yellow')}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

type HistoryItem = Schemas['History']['items'][number];
type HistoryRoute = HistoryItem['routes'][number];
type Past = Pick<Schemas['History'], 'items' | 'oldest'>;

/** None where lists have too many prefixes inside the route for its past to be read: the answer has no date then. */
async function historyOf(client: Session['client'], prefix: string): Promise<Past> {
  try {
    const answer = await client.request('GET', '/v1/history', { query: { prefix, limit: 20 } });
    return (await answer.json()) as Schemas['History'];
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'validation_failed') return { items: [], oldest: null };
    throw error;
  }
}

/** Since when routes are what they are, and what becomes of them next, in lines, by their prefixes. */
async function beginnings(
  { client }: Session,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const since = new Map<string, readonly string[]>();
  const waiting = [...prefixes];
  const readOn = async (): Promise<void> => {
    for (let prefix = waiting.shift(); prefix !== undefined; prefix = waiting.shift())
      since.set(prefix, beginningOf(prefix, await historyOf(client, prefix)));
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readOn));
  return since;
}

function beginningOf(prefix: string, { items, oldest }: Past): readonly string[] {
  const own = (routes: readonly HistoryRoute[]): string =>
    JSON.stringify(routes.find((route) => route.prefix === prefix) ?? null);
  const changes = ({ routes, routes_before: before }: HistoryItem): boolean => own(routes) !== own(before);
  // Those that no speaker has yet, as in a freeze, say what comes and not what is; those that all have left, what was.
  const newest = items.findIndex(({ applied }) => applied.some(({ until }) => until === null));
  if (newest === -1) return [];
  const lines: string[] = [];
  // Items are of all routes around it: the newest that changed this one counts, unless that took it away elsewhere.
  const from = items.findIndex((one, place) => place >= newest && changes(one));
  const first = items[from];
  const running = runningSince(items.slice(newest, from + 1));
  if (first !== undefined && own(first.routes) !== 'null' && running !== null)
    lines.push(
      isCut(oldest) && first.previous_revision === null
        ? `since ${running.since} or before that: revision ${first.revision} is the oldest that is kept`
        : `since ${running.since}, revision ${first.revision}${earlierText(running.earlier)}`,
    );
  const next = items.slice(0, newest).find((one) => one.applied.length === 0 && changes(one));
  if (next !== undefined && own(next.routes) !== own(items[newest]!.routes))
    lines.push(nextText(prefix, items[newest]!, next));
  return lines;
}

function earlierText(earlier: readonly { readonly from: string; readonly until: string }[]): string {
  const [last] = earlier;
  return last === undefined ? '' : `; before that from ${last.from} to ${last.until}`;
}

/**
 * What the announced revisions were built from, by query, which is why they have the routes: a list may be another by now, and be
 * held.
 */
async function causesOf(
  { client }: Session,
  items: readonly Lookup[],
): Promise<ReadonlyMap<string, readonly Match[]>> {
  const causes = new Map<string, Match[]>();
  const byRevision = Map.groupBy(
    items.flatMap(({ query, announced }) => announced.map(({ revision_id: at }) => ({ query, at }))),
    ({ at }) => at,
  );
  for (const [at, asked] of byRevision) {
    const queries = [...new Set(asked.map(({ query }) => query))];
    const answer = await client.request('POST', '/v1/lookup', { body: { queries, at } });
    for (const { query, matches } of ((await answer.json()) as Schemas['Lookups']).items)
      causes.set(query, [...(causes.get(query) ?? []), ...matches]);
  }
  return causes;
}

interface Known extends Listing {
  readonly known: ReadonlyMap<string, string>;
  readonly since: ReadonlyMap<string, readonly string[]>;
  readonly gaps: ReadonlyMap<Lookup, ExplainedGap | 'unknown'>;
  /** Of a column of a log, nobody reads what each had once. */
  readonly isFew: boolean;
}

async function explained(asked: string, lookup: Lookup, all: Known): Promise<string> {
  const { matches, announced, has_more: hasMore } = lookup;
  const { known, since, session, gaps } = all;
  const found = gaps.get(lookup);
  const gap = found === 'unknown' ? undefined : found;
  const not = gap?.reasons ?? lookup.not_announced;
  const called = (ids: readonly string[]): string => ids.map((id) => known.get(id) ?? id).join(', ');
  const left = not.filter(({ reason }) => reason === 'still_held');
  const lacking = not.filter(({ reason }) => reason !== 'still_held');
  const isListed = announcing(matches, all.modules).length > 0;
  const lines = [verdict(asked, announced.length > 0, lacking.length > 0, isListed)];
  if (gap?.isPart === true)
    lines[0] = coloured(`${asked} is announced in part, and not ${gap.prefix}`, 'yellow');
  if (found === 'unknown')
    lines[0] = coloured(`${asked} is announced as far as its first routes go, and has more`, 'yellow');
  for (const { prefix, communities, speaker_ids: speakers } of announced.slice(
    0,
    hasMore === true ? NAMED : Infinity,
  )) {
    const values = communities.map(({ community, title }) => `${community} (${title})`).join(', ');
    lines.push(
      `  ${prefix} by ${called(speakers)}${values === '' ? ', without communities' : `, with ${values}`}`,
    );
    lines.push(...(since.get(prefix) ?? []).map((line) => `    ${line}`));
  }
  lines.push(...(await listed(lookup, all)));
  const matched = new Set(matches.map((match) => match.module.id));
  const held = new Set(all.modules.filter((one) => one.held !== null).map(({ id }) => id));
  const reasonLines = (some: Lookup['not_announced']): string[] =>
    some.map(({ detail: said, reason, module, speaker_ids: speakers, peer_ids: peers }) => {
      // Who may release it, and how, stands above, where it says what holds it.
      const isAbove = reason === 'held' && matched.has(module?.id ?? '') && held.has(module?.id ?? '');
      const detail = isAbove ? said.replace(/ POST \S+ accepts that\.$/, '') : withoutAdvice(said);
      const where = [
        // What is deleted has no name any more, and stands in the text.
        ...(peers.some((id) => known.has(id))
          ? [`peers ${called(peers.filter((id) => known.has(id)))}`]
          : []),
        ...(speakers.length > 0 ? [`at ${called(speakers)}`] : []),
      ].join(' ');
      return `  ${coloured(reason.replaceAll('_', ' '), 'yellow')}${where === '' ? '' : ` (${where})`}: ${inCommands(detail, session.contextWords)}`;
    });
  if (hasMore === true)
    lines.push(`  … and more inside: prefixcast${session.contextWords} revision prefixes applied`);
  const everywhere = announced.length > 0 ? 'Not everywhere, because:' : 'Because:';
  const title = gap === undefined ? everywhere : `Because, of ${gap.address}:`;
  lines.push(...section(title, reasonLines(lacking)));
  if (lacking.length === 0) lines.push(...(await unannouncedNames(session, lookup)));
  if (announced.length === 0) lines.push(...(await (isListed ? lostLines : pastLines)(session, lookup)));
  if (announced.length > 0 && gap === undefined && all.isFew)
    lines.push(...(await replacedLines(session, lookup)));
  lines.push(...section('Peers that have routes which are announced no more:', reasonLines(left)));
  return `${lines.join('\n')}\n`;
}

function verdict(asked: string, isAnnounced: boolean, isMissing: boolean, isListed: boolean): string {
  if (isAnnounced && !isMissing) return coloured(`${asked} is announced`, 'green');
  if (isAnnounced) return coloured(`${asked} is announced, but not everywhere`, 'yellow');
  return coloured(`${asked} is not announced${isListed ? '' : ': no list has it'}`, 'red');
}
