/**
 * What a speaker's daemon is to run, with a refusal for each session that its tenant may not have. Policy is asked again here, by whoever opens
 * the connections: it may have been tightened since peers and speakers were written. A session that is refused ends, and says why.
 */
import type { Daemon } from '../../api/speakers/speakers.ts';
import type { TenantPolicy } from '../../api/access/tenant-policy.ts';
import { machineAddresses } from '../../core/own-addresses.ts';
import type { Prefix } from '../../core/prefix.ts';
import type { Reach } from '../../core/reach.ts';
import type { PeerModel, SpeakerModel } from '../../speakers/speaker.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  readNeighbourhoods,
  taken,
  takenByCaller,
  takenWhole,
  type Neighbourhood,
} from '../../store/speakers/peer-endpoints.ts';
import type { OwnTenant } from '../../store/tenants/tenants.ts';
import { SessionLimits } from '../../policy/limits.ts';
import { peerAddressRefusal } from './peer-address.ts';

/** By the policy alone: sent to nodes too. Pure. */
export function limitByPolicy(model: SpeakerModel, policy: TenantPolicy): SpeakerModel {
  const limits = new SessionLimits(policy);
  const ofAll =
    limits.localAsn(model.localAsn) ??
    (model.localIpv4 === null ? null : limits.source(model.localIpv4)) ??
    (model.localIpv6 === null ? null : limits.source(model.localIpv6));
  return withRefusals(model, (peer) => ofAll ?? reasonOf(limits, peer));
}

function reasonOf(limits: SessionLimits, peer: PeerModel): string | null {
  const { address, localAsn, localAddress, nextHopIpv4, nextHopIpv6 } = peer;
  return (
    limits.peer(address) ??
    limits.localAsn(localAsn) ??
    (localAddress === null ? null : limits.source(localAddress)) ??
    (nextHopIpv4 === null ? null : limits.nextHop(nextHopIpv4)) ??
    (nextHopIpv6 === null ? null : limits.nextHop(nextHopIpv6))
  );
}

function withRefusals(model: SpeakerModel, reasonOf: (peer: PeerModel) => string | null): SpeakerModel {
  const peers = model.peers.map((peer) => {
    const reason = peer.refusal ?? reasonOf(peer);
    return reason === null ? peer : { ...peer, refusal: reason };
  });
  return { ...model, peers };
}

/** For a daemon of this machine: also what it may connect to, and whose calls it takes. */
export async function limitSessions(
  tx: TenantTx,
  { slug, policy }: OwnTenant,
  whole: SpeakerModel,
  daemon: Daemon,
  reach: Reach,
): Promise<SpeakerModel> {
  const byPolicy = limitByPolicy(whole, policy);
  const neighbourhoods = await readNeighbourhoods(
    tx,
    byPolicy.peers.map(({ address }) => address),
  );
  // Asked for once: a tenant may have thousands of peers, and is looked at every second.
  let addresses: readonly Prefix[] | undefined;
  const own = (): readonly Prefix[] => (addresses ??= machineAddresses(reach.own));
  const model = withRefusals(
    byPolicy,
    (peer) =>
      peerAddressRefusal(slug, peer.address, reach, own) ??
      otherTenant(peer, neighbourhoods.get(peer.address), daemon),
  );
  // A connection from an address of several tenants belongs to the first of them.
  const peers = model.peers.map((peer) =>
    neighbourhoods.get(peer.address)?.isFirst === false ? { ...peer, takesCalls: false } : peer,
  );
  return { ...model, peers };
}

/**
 * What another tenant's peer at the address is against. The builtin speaker distinguishes calls by whose they are, and a peer that is not called
 * just waits, as for a router that does not call; other daemons know nothing of tenants, so that there an address is one tenant's,
 * whatever the port. Where the other's router calls, nobody else calls it, at no port: a router takes a call from the service for that of its neighbour,
 * and ends the session that it has.
 */
function otherTenant(
  { address, port, passive }: PeerModel,
  place: Neighbourhood | undefined,
  daemon: Daemon,
): string | null {
  if (place === undefined) return null;
  if (place.taken.includes(port)) return taken({ address, port }).message;
  if (place.isFirst) return null;
  if (daemon !== 'builtin') return takenWhole(address);
  return place.isOfCaller && !passive ? takenByCaller(address) : null;
}
