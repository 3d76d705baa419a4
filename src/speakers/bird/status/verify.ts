/** Compares what BIRD reports with the configuration that was rendered. Pure. */
import { counted } from '../../../api/shapes/counted.ts';
import { feedName } from '../config/names.ts';
import type { ProtocolStatus } from './read-status.ts';
import type { Configuration } from '../config/render.ts';

interface Seen {
  readonly protocols: readonly ProtocolStatus[];
}

/** The hash of the speaker's configuration that BIRD runs; null: none. */
export function markOf({ protocols }: Seen, tag: string): string | null {
  return protocols.find(({ name }) => name === tag)?.description ?? null;
}

/** Whether BIRD has the session over which the speaker's routes arrive. */
export function isFed({ protocols }: Seen, tag: string): boolean {
  return protocols.some(({ name }) => name === feedName(tag));
}

/** Whether only the feed delivers the routes: during a change, files do so as well. */
export function isOnlyFed({ protocols }: Seen, tag: string): boolean {
  const hasFiles = protocols.some(({ name, kind }) => kind === 'Static' && name !== tag);
  return !hasFiles && isFed({ protocols }, tag);
}

/** The configuration, verified as if the feed delivered nothing: its routes follow later. */
export function withoutFeed(configuration: Configuration): Configuration {
  const feed = feedName(configuration.tag);
  return { ...configuration, imports: configuration.imports.filter(({ protocol }) => protocol !== feed) };
}

/** The configuration, verified without the numbers of routes, which are about to change. */
export function withoutNumbers(configuration: Configuration): Configuration {
  return { ...configuration, imports: [], peers: [] };
}

/**
 * What is wrong, or not ready yet, in BIRD itself; for a person. Sessions are verified peer by peer by the caller of the apply.
 */
export function findFaults({ tag, hash, imports }: Configuration, seen: Seen): string[] {
  if (markOf(seen, tag) !== hash) return ['BIRD does not run the new configuration'];
  const statusOf = new Map(seen.protocols.map((protocol) => [protocol.name, protocol]));
  return imports.flatMap(({ protocol, routes: wanted }) => {
    const imported = statusOf.get(protocol)?.imported ?? 0;
    return imported === wanted
      ? []
      : [`BIRD has ${imported} of the ${counted(wanted, 'route')} of ${protocol}`];
  });
}

/** Whether every peer that is up has been sent all its routes. */
export function isSent({ peers }: Configuration, { protocols }: Seen): boolean {
  const statusOf = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  return peers.every(({ protocol, routes: wanted }) => {
    const status = protocol === null ? undefined : statusOf.get(protocol);
    if (status?.sessionState !== 'established' || status.exported === wanted) return true;
    // A peer that did not negotiate a family is sent only the other one, which is not an error.
    return status.idleFamilies.length > 0;
  });
}
