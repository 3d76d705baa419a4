/** Whether somebody should look at a plan before it is carried out. */
import type { Schemas } from '@prefixcast/client';
import type { Module } from '../../service/queries.ts';
import type { Plan } from '../../service/writes.ts';
import { plannedHolds } from './holds.ts';

/**
 * It takes routes away, from all or from a peer, ends the session of one that has some, gives them other communities, or has to do with a hold. What only
 * adds is done at once.
 */
export function takesAway({ effect }: Plan, modules: readonly Module[]): boolean {
  const { revision, summary, speakers } = effect;
  const { caused, freed } = plannedHolds(revision, modules);
  const held = (revision?.findings.length ?? 0) + caused.length;
  const peers = speakers.flatMap((speaker) => speaker.peers);
  const losing = peers.filter((peer) => losesRoutes(peer) || isInterrupted(peer)).length;
  const changed = summary.changed + (givesOthers(effect) ? 1 : 0);
  return summary.withdrawn + changed + held + freed.length + losing > 0;
}

/** Whether routers are sent the routes that they have with another next hop, or other communities, by no revision. */
export function givesOthers({ revision, speakers }: Plan['effect']): boolean {
  // Beside a revision, what else is not applied yet counts here as well.
  return revision === null && speakers.some(({ changed, peers }) => changed > 0 || peers.some(isSentOthers));
}

/** Of what is sent again, what is not new to it. */
function isSentOthers({ before, after, updated, withdrawn }: Schemas['PeerEffect']): boolean {
  const fresh = after.ipv4 + after.ipv6 - (before.ipv4 + before.ipv6) + withdrawn;
  return updated > Math.max(0, fresh);
}

/** Whether a plan says of the peer of this path that its routes are more than it may be sent: it would be sent a cover, or nothing new. */
export function limitsPeer({ effect }: Plan, path: string): boolean {
  return effect.speakers
    .flatMap(({ peers }) => peers)
    .some(
      ({ peer_id: id, fitted, unfitted }) =>
        path === `/v1/peers/${id}` && (fitted !== null || unfitted !== null),
    );
}

/** Its session ends, and begins again with other values, if it comes up with them. */
function isInterrupted({ session, before }: Schemas['PeerEffect']): boolean {
  return session !== 'same' && before.ipv4 + before.ipv6 > 0;
}

/** As many others may come in their place; what a cover takes the place of, or what takes the place of a cover, is not lost. */
function losesRoutes({ lost }: Schemas['PeerEffect']): boolean {
  return lost > 0;
}
