/** Whether somebody should look at a plan before it is carried out. */
import type { Schemas } from '@prefixcast/client';
import type { Module } from '../../service/queries.ts';
import type { Plan } from '../../service/writes.ts';
import { plannedHolds } from './holds.ts';

/** It takes routes away, from all or from a peer, gives them other communities, or has to do with a hold. What only adds is done at once. */
export function takesAway({ effect }: Plan, modules: readonly Module[]): boolean {
  const { revision, summary, speakers } = effect;
  const { caused, freed } = plannedHolds(revision, modules);
  const held = (revision?.findings.length ?? 0) + caused.length;
  const losing = speakers.flatMap(({ peers }) => peers).filter(losesRoutes).length;
  return summary.withdrawn + summary.changed + held + freed.length + losing > 0;
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

/** As many others may come in their place. */
function losesRoutes({ withdrawn }: Schemas['PeerEffect']): boolean {
  return withdrawn > 0;
}
