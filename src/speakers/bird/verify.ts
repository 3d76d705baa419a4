/** Whether BIRD does what its configuration says: BIRD's own words against what was rendered. Pure. */
import { feedName } from './names.ts';
import type { ProtocolStatus } from './read-status.ts';
import type { Configuration } from './render.ts';

interface Seen {
  readonly protocols: readonly ProtocolStatus[];
}

/** The hash of the configuration of the speaker that BIRD runs; null: none. */
export function markOf({ protocols }: Seen, tag: string): string | null {
  return protocols.find(({ name }) => name === tag)?.description ?? null;
}

/** Whether BIRD has the session that the speaker's routes come in by. */
export function isFed({ protocols }: Seen, tag: string): boolean {
  return protocols.some(({ name }) => name === feedName(tag));
}

/** Whether nothing but the feed brings the routes: files do so too while one takes the place of the other. */
export function isOnlyFed({ protocols }: Seen, tag: string): boolean {
  const hasFiles = protocols.some(({ name, kind }) => kind === 'Static' && name !== tag);
  return !hasFiles && isFed({ protocols }, tag);
}

/** The configuration, to be verified as if the feed were to bring nothing: it comes after. */
export function withoutFeed(configuration: Configuration): Configuration {
  const feed = feedName(configuration.tag);
  return { ...configuration, imports: configuration.imports.filter(({ protocol }) => protocol !== feed) };
}

/** The configuration, to be verified but for the numbers of routes: those are about to change. */
export function withoutNumbers(configuration: Configuration): Configuration {
  return { ...configuration, imports: [], peers: [] };
}

/**
 * What is not, or not yet, as it should be; for a person.
 * @param staying names of sessions that must be up
 */
export function findFaults(
  { tag, hash, imports, peers }: Configuration,
  seen: Seen,
  staying: readonly string[],
): string[] {
  if (markOf(seen, tag) !== hash) return ['BIRD does not run the new configuration'];
  const statusOf = new Map(seen.protocols.map((protocol) => [protocol.name, protocol]));
  const brought = imports.flatMap(({ protocol, routes: wanted }) => {
    const imported = statusOf.get(protocol)?.imported ?? 0;
    return imported === wanted ? [] : [`BIRD has ${imported} of the ${wanted} routes of ${protocol}`];
  });
  const down = staying.flatMap((name) => {
    const { sessionState = 'idle', lastError = null } = statusOf.get(name) ?? {};
    const why = lastError === null ? '' : ` (${lastError})`;
    return sessionState === 'established' ? [] : [`the session ${name} was up and is ${sessionState}${why}`];
  });
  const exports = peers.flatMap(({ protocol, routes: wanted }) => {
    const status = protocol === null ? undefined : statusOf.get(protocol);
    if (status?.sessionState !== 'established' || status.exported === wanted) return [];
    // A peer that does not speak a family is sent the other one only, and that is nobody's fault.
    if (status.idleFamilies.length > 0) return [];
    return [`BIRD sends ${status.exported} of the ${wanted} routes to ${status.name}`];
  });
  return [...brought, ...down, ...exports];
}

/** Sessions that were up and that the new head changes nothing of. */
export function stayingSessions({ protocols }: Seen, oldHead: string, newHead: string): string[] {
  const [old, blocks] = [sessionBlocks(oldHead), sessionBlocks(newHead)];
  return protocols.flatMap(({ name, sessionState }) =>
    sessionState === 'established' && blocks.has(name) && old.get(name) === blocks.get(name) ? [name] : [],
  );
}

/** What each session is made of, by name. What it is sent is left out: changes of that need no new session. */
export function sessionBlocks(head: string): Map<string, string> {
  const blocks = new Map<string, string>();
  for (const [, name, block] of head.matchAll(/^protocol bgp (\w+) \{\n([^]*?)^\}$/gm))
    blocks.set(name!, block!.replace(/^ {4}(?:export|next hop) .*\n/gm, ''));
  return blocks;
}
