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
 * What is not, or not yet, as it should be with what BIRD itself has; for a person. How its sessions bear that is judged peer by peer, by
 * whoever had it applied.
 */
export function findFaults({ tag, hash, imports }: Configuration, seen: Seen): string[] {
  if (markOf(seen, tag) !== hash) return ['BIRD does not run the new configuration'];
  const statusOf = new Map(seen.protocols.map((protocol) => [protocol.name, protocol]));
  return imports.flatMap(({ protocol, routes: wanted }) => {
    const imported = statusOf.get(protocol)?.imported ?? 0;
    return imported === wanted ? [] : [`BIRD has ${imported} of the ${wanted} routes of ${protocol}`];
  });
}

/** Whether every peer that is up has been sent all that it should. */
export function isSent({ peers }: Configuration, { protocols }: Seen): boolean {
  const statusOf = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  return peers.every(({ protocol, routes: wanted }) => {
    const status = protocol === null ? undefined : statusOf.get(protocol);
    if (status?.sessionState !== 'established' || status.exported === wanted) return true;
    // A peer that does not speak a family is sent the other one only, and that is nobody's fault.
    return status.idleFamilies.length > 0;
  });
}
