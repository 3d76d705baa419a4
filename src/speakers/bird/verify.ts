/** Whether BIRD does what its configuration says: BIRD's own words against what was rendered. Pure. */
import type { ProtocolStatus } from './read-status.ts';
import type { Configuration } from './render.ts';

interface Seen {
  readonly protocols: readonly ProtocolStatus[];
}

/** The hash of the configuration of the speaker that BIRD runs; null: none. */
export function markOf({ protocols }: Seen, tag: string): string | null {
  return protocols.find(({ name }) => name === tag)?.description ?? null;
}

/**
 * What is not, or not yet, as it should be; for a person.
 * @param staying names of sessions that must be up
 */
export function findFaults(
  { tag, hash, groups, peers }: Configuration,
  seen: Seen,
  staying: readonly string[],
): string[] {
  if (markOf(seen, tag) !== hash) return ['BIRD does not run the new configuration'];
  const statusOf = new Map(seen.protocols.map((protocol) => [protocol.name, protocol]));
  const routes = groups.flatMap(({ name, prefixes: { size } }) => {
    const imported = statusOf.get(name)?.imported ?? 0;
    return imported === size ? [] : [`BIRD has ${imported} of the ${size} routes of ${name}`];
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
  return [...routes, ...down, ...exports];
}

/** What each session is made of, by name. What it is sent is left out: changes of that need no new session. */
export function sessionBlocks(head: string): Map<string, string> {
  const blocks = new Map<string, string>();
  for (const [, name, block] of head.matchAll(/^protocol bgp (\w+) \{\n([^]*?)^\}$/gm))
    blocks.set(name!, block!.replace(/^ {4}(?:export|next hop) .*\n/gm, ''));
  return blocks;
}
