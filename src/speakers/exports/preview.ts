import { FAMILIES, type Family } from '../../core/address.ts';
import {
  EMPTY_ROUTES,
  type ApplyOutcome,
  type FittedRoutes,
  type PeerModel,
  type SpeakerModel,
} from '../speaker.ts';
import { outcomeOf } from './outcome.ts';
import { RoutesVersion } from '../routes-version.ts';
import { exportSettings } from './export-settings.ts';
import { AdjRibOut } from './adj-rib-out.ts';
import { FamilyPlan } from './plan.ts';

type Counts = Readonly<Record<Family, number>>;

/** What a peer would be sent, computed by the same Adj-RIB-Out as an apply. */
export interface PeerPreview {
  readonly peerId: string;
  readonly sent: Counts;
  /** Routes that it should receive but that have no next hop. */
  readonly withoutNextHop: Counts;
}

export interface Preview {
  readonly outcome: ApplyOutcome;
  readonly peers: readonly PeerPreview[];
}

/** Stands for an address that the system would choose: any address of the session's family serves. */
const CHOSEN_BY_SYSTEM: Readonly<Record<Family, string>> = { ipv4: '192.0.2.1', ipv6: '2001:db8::1' };

/** The routes of a speaker to which nothing was ever applied. */
export function noRoutes(): RoutesVersion {
  return new RoutesVersion(EMPTY_ROUTES);
}

/** What the routes would change in a speaker that runs `before`, and for each of its peers. Speakers share the versions. */
export function previewRoutes(model: SpeakerModel, routes: RoutesVersion, before: RoutesVersion): Preview {
  return {
    outcome: outcomeOf(before, routes),
    peers: model.peers.map((peer) => previewPeer(model, peer, routes)),
  };
}

/** How many routes a peer should hold. */
export interface PeerExpectation {
  readonly routes: Counts;
  /** Its limit, if the routes exceed it, so that the peer keeps what it has; null: they do not. */
  readonly limit: number | null;
  /** Why they were not fitted although they are to be; null: they are not, or are. */
  readonly unfitted: string | null;
  /** What the cover would add that a person has to allow; null: there is none. */
  readonly unfittedCost: FittedRoutes['cost'] | null;
  /** What the cover adds that it is sent; null: it is sent the routes themselves. */
  readonly fitted: FittedRoutes['cost'] | null;
}

/**
 * How many routes each peer should hold once all are sent, in the order of the model's peers. Applies are verified by these numbers with
 * every daemon.
 */
export function expectedRoutes(model: SpeakerModel, routes: RoutesVersion): PeerExpectation[] {
  return model.peers.map((peer) => {
    const { sent } = previewPeer(model, peer, routes.forPeer(peer.id));
    const { maxPrefixesOut: limit } = peer;
    const { unfitted = [], fitted = [] } = routes.model;
    const refused = unfitted.find(({ peerId }) => peerId === peer.id);
    return {
      routes: sent,
      limit: limit !== null && sent.ipv4 + sent.ipv6 > limit ? limit : null,
      unfitted: refused?.reason ?? null,
      unfittedCost: refused?.cost ?? null,
      fitted: fitted.find(({ peerIds }) => peerIds.includes(peer.id))?.cost ?? null,
    };
  });
}

/** A peer, and the routes that its speaker announces. */
export interface PeerRoutes {
  readonly model: SpeakerModel;
  readonly peer: PeerModel;
  readonly routes: RoutesVersion;
}

/** What becomes of the routes of a peer. */
export interface PeerChanges {
  /** How many of those that it would be sent are new to it, or have other communities or another next hop. */
  readonly updated: number;
  /** How many of those that it was sent it would have no more. */
  readonly withdrawn: number;
}

/** Peers of one policy share the work. */
export function peerChanges(before: PeerRoutes, after: PeerRoutes): PeerChanges {
  const [from, to] = [comparable(before), comparable(after)];
  let [updated, withdrawn] = [0, 0];
  for (const family of FAMILIES) {
    const [had, has] = [before, after].map(({ peer }) => peer.families.includes(family));
    if (had !== has) {
      updated += has === true ? to.families[family].count : 0;
      withdrawn += had === true ? from.families[family].count : 0;
    } else if (has === true && from !== to) {
      const plan = FamilyPlan.of(family, from, to);
      while (!plan.done) plan.step();
      updated += plan.size;
      withdrawn += plan.withdraw.length;
    }
  }
  return { updated, withdrawn };
}

/** Whatever address the session has. */
function comparable({ model, peer, routes }: PeerRoutes): AdjRibOut {
  const local = CHOSEN_BY_SYSTEM[peer.address.includes(':') ? 'ipv6' : 'ipv4'];
  return AdjRibOut.of(routes.forPeer(peer.id), exportSettings(model, peer, local));
}

function previewPeer(model: SpeakerModel, peer: PeerModel, routes: RoutesVersion): PeerPreview {
  const family: Family = peer.address.includes(':') ? 'ipv6' : 'ipv4';
  const localAddress = peer.localAddress ?? CHOSEN_BY_SYSTEM[family];
  const { families } = AdjRibOut.of(routes, exportSettings(model, peer, localAddress));
  const of = (count: (family: Family) => number): Counts => ({
    ipv4: peer.families.includes('ipv4') ? count('ipv4') : 0,
    ipv6: peer.families.includes('ipv6') ? count('ipv6') : 0,
  });
  return {
    peerId: peer.id,
    sent: of((one) => families[one].count),
    withoutNextHop: of((one) => families[one].withoutNextHop),
  };
}

/** Routes by label. */
export function countLabels({ table, counts }: RoutesVersion): ReadonlyMap<string, Counts> {
  const byLabel = new Map<string, Record<Family, number>>();
  table.labelSets.forEach((labels, set) => {
    for (const label of labels) {
      let of = byLabel.get(label);
      if (of === undefined) byLabel.set(label, (of = { ipv4: 0, ipv6: 0 }));
      for (const family of FAMILIES) of[family] += counts[family][set]!;
    }
  });
  return byLabel;
}
