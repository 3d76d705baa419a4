/** Firewall hosts after a change: they follow each revision by themselves, and a command says which of them have not got it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProblem, type Schemas } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import { say } from '../process/ask.ts';
import { named } from '../render/counted.ts';
import type { Session } from './run-remote.ts';

export type Host = Schemas['FirewallClient'];

/** How long hosts that answer are waited for: one learns of a revision within a second, and a hundred thousand prefixes take its kernel a few more. */
const LONGEST_MS = 20_000;
const LOOK_MS = 300;
/** One that could not take what came before says so until it has taken this. */
const TRYING_MS = 3_000;
/** Hosts that are named. */
const NAMED = 10;

/** What there was before a change. */
export interface HostsBefore {
  /** Ids of those that could not take what came before. */
  readonly failing: ReadonlySet<string>;
}

/** Null: there are none, or this key may not read them. */
export async function hostsBefore({ client }: Pick<Session, 'client'>): Promise<HostsBefore | null> {
  const hosts = await readHosts({ client });
  if (hosts.length === 0) return null;
  return { failing: new Set(hosts.filter(isFailing).map(({ id }) => id)) };
}

/**
 * Waits until the hosts that answer have what the latest revision says, and names those that have not.
 * @param before null: nothing is waited for
 * @returns the exit code: `partial` where a host does not take it that took everything before
 */
export async function waitForHosts(session: Session, before: HostsBefore | null): Promise<number> {
  if (before === null) return EXIT.ok;
  const { deadline } = session;
  const until = Math.min(Date.now() + LONGEST_MS, deadline?.until ?? Infinity);
  const tryingUntil = Date.now() + TRYING_MS;
  const wanted = new Map<string, Set<string>>();
  for (;;) {
    const hosts = (await readHosts(session, { wanted: true })).filter(isKnown);
    for (const { id, wanted_ruleset_hash: hash } of hosts)
      if (hash !== undefined) wanted.set(id, (wanted.get(id) ?? new Set<string>()).add(hash));
    // A ruleset that was wanted a moment ago is of the change, too: others may go on editing.
    const lacking = hosts.filter((one) => wanted.get(one.id)?.has(one.applied_ruleset_hash ?? '') !== true);
    const isTrying = (one: Host): boolean =>
      !isFailing(one) || (before.failing.has(one.id) && Date.now() < tryingUntil);
    const working = lacking.filter((one) => one.online && isTrying(one));
    if (working.length > 0 && Date.now() < until) {
      await sleep(LOOK_MS);
      continue;
    }
    const having = hosts.length - lacking.length;
    if (lacking.length > 0 && hosts.length > 1)
      say(`${having} of ${hosts.length} firewall hosts ${having === 1 ? 'has' : 'have'} it`);
    for (const line of linesOf(session, lacking)) say(line);
    if (working.length > 0 && deadline?.isOver === true)
      throw new CommandError(
        `Not done after ${deadline.seconds} s at ${named('host', working.map(nameOf)).names}, which goes on. Look again: prefixcast${session.contextWords} firewall client list`,
        EXIT.timeout,
      );
    const isNew = ({ id }: Host): boolean => !before.failing.has(id);
    return lacking.some((one) => one.online && isNew(one)) ? EXIT.partial : EXIT.ok;
  }
}

/** The hosts whose kernels hold something else than they are to hold now, as lines; none: all are as they are to be. */
export async function lackingLines(session: Session): Promise<string[]> {
  if ((await readHosts(session)).length === 0) return [];
  const hosts = (await readHosts(session, { wanted: true })).filter(isKnown);
  const lacking = hosts.filter(
    ({ wanted_ruleset_hash: wanted, applied_ruleset_hash: applied }) =>
      wanted !== undefined && wanted !== applied,
  );
  return linesOf(session, lacking);
}

/** Sets of a new revision are made for what is `wanted`, so that nobody asks for that where there are no hosts. */
async function readHosts(
  { client }: Pick<Session, 'client'>,
  query: { readonly wanted?: true } = {},
): Promise<readonly Host[]> {
  try {
    return await client
      .list('/v1/firewall/clients', { params: { query: { limit: 500, ...query } } })
      .toArray();
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'forbidden') return [];
    throw error;
  }
}

function linesOf({ contextWords }: Session, lacking: readonly Host[]): string[] {
  const lines = lacking.slice(0, NAMED).map((one) => `firewall host ${one.name} ${standingOf(one)}`);
  const rest = lacking.length - lines.length;
  const more = rest > 0 ? [`and ${rest} more: prefixcast${contextWords} firewall client list`] : [];
  return [...lines, ...more];
}

function standingOf({ online, last_seen_at: seen, last_error: error, ...host }: Host): string {
  if (!online)
    return `is out of reach since ${seen!}: it keeps the rules that it applied last, and takes these when it is back`;
  if (isFailing(host)) return `does not have it: ${error ?? 'no reason is known'}`;
  return `does not have it yet: it was last heard of at ${seen!}`;
}

const isFailing = ({ status }: Pick<Host, 'status'>): boolean => status === 'failed' || status === 'reverted';
/** One that has never reported has no rules yet that could be old. */
const isKnown = ({ last_seen_at: seen }: Host): boolean => seen !== null;
const nameOf = ({ name }: Host): string => name;
