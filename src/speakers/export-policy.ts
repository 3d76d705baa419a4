/**
 * Which routes of one family a peer is sent, and with which next hop: the builtin speaker's rules, as data for a daemon's own policy
 * language.
 */
import { FAMILIES, formatAddress, parseAddress, type Family } from '../core/address.ts';
import { formatCommunity, isBlackhole, parseCommunity, type Community } from '../core/community.ts';
import { compareLabels } from '../core/tables/label-sets.ts';
import { barOf } from './bars.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from './speaker.ts';

export interface ExportPolicy {
  readonly family: Family;
  /** Communities that the peer receives, with all routes that have any of them; null: all. */
  readonly exported: readonly Community[] | null;
  /** Next hops that communities set, over all others: the first that a route carries counts. That of BLACKHOLE comes first. */
  readonly nextHops: readonly { readonly of: Community; readonly address: string }[];
  /** Next hop of all other routes; `self`: the session's own address, `none`: they can't be sent. */
  readonly otherwise: string;
  readonly noExport: boolean;
  /** Routes with this community are kept from the peer (bars.ts); null: none are. */
  readonly bar: Community | null;
}

/** One for each family that the peer wants and that has any next hop. */
export function exportPolicies(speaker: SpeakerModel, peer: PeerModel, routes: RoutesModel): ExportPolicy[] {
  return FAMILIES.filter((family) => peer.families.includes(family)).flatMap((family) => {
    const policy = exportPolicy(speaker, peer, routes, family);
    return policy.otherwise === 'none' && policy.nextHops.length === 0 ? [] : [policy];
  });
}

function exportPolicy(
  speaker: SpeakerModel,
  peer: PeerModel,
  routes: RoutesModel,
  family: Family,
): ExportPolicy {
  const [ofPeer, ofSpeaker] =
    family === 'ipv4' ? [peer.nextHopIpv4, speaker.localIpv4] : [peer.nextHopIpv6, speaker.localIpv6];
  const ofSession = peer.address.includes(':') === (family === 'ipv6') ? 'self' : null;
  const own = addressOf(ofPeer, family);
  return {
    family,
    exported: peer.labels === null ? null : communitiesOf(peer.labels, routes),
    nextHops: labelNextHops(peer, routes, family).filter(({ of }) => own === null || isBlackhole(of)),
    otherwise: own ?? ofSession ?? addressOf(ofSpeaker, family) ?? 'none',
    noExport: routes.noExport,
    bar: routes.barred?.includes(peer.id) === true ? barOf(peer.id) : null,
  };
}

/**
 * A peer's own next hop is where its router forwards to. It says nothing of traffic to be dropped, so a blackhole's next hop (RFC 7999) is kept,
 * also beside other communities with a next hop.
 */
function labelNextHops(peer: PeerModel, routes: RoutesModel, family: Family): ExportPolicy['nextHops'] {
  const labels = Object.keys(routes.labels).sort(compareLabels);
  const exported = peer.labels === null ? labels : labels.filter((label) => peer.labels!.includes(label));
  const found = exported.flatMap((label) => {
    const { nextHopIpv4, nextHopIpv6 } = routes.labels[label]!;
    const address = addressOf(family === 'ipv4' ? nextHopIpv4 : nextHopIpv6, family);
    return address === null ? [] : communitiesOf([label], routes).map((of) => ({ of, address }));
  });
  return found.toSorted((a, b) => Number(isBlackhole(b.of)) - Number(isBlackhole(a.of)));
}

/** What these labels are on the wire, each once, in the order of their text. Text that is no community is left out. */
export function communitiesOf(
  labels: readonly string[],
  routes: Pick<RoutesModel, 'labels'>,
): readonly Community[] {
  const found = new Map<string, Community>();
  for (const label of labels) {
    const parsed = parseCommunity(routes.labels[label]?.community ?? label);
    if (parsed.ok) found.set(formatCommunity(parsed.value), parsed.value);
  }
  return [...found].sort(([a], [b]) => compareLabels(a, b)).map(([, community]) => community);
}

/** The one text of an address of this family; null for anything else. */
export function addressOf(text: string | null, family: Family): string | null {
  const parsed = text === null ? null : parseAddress(text);
  return parsed?.ok === true && parsed.value.family === family ? formatAddress(parsed.value) : null;
}

/** Decides by its communities whether a route is sent to the peer. */
export function exportFilter({
  exported,
  nextHops,
  otherwise,
  bar,
}: ExportPolicy): (communities: ReadonlySet<string>) => boolean {
  const wanted = exported?.map(formatCommunity);
  const sendable = otherwise === 'none' ? nextHops.map(({ of }) => formatCommunity(of)) : undefined;
  const barred = bar === null ? null : formatCommunity(bar);
  return (communities) =>
    (barred === null || !communities.has(barred)) &&
    [wanted, sendable].every((some) => some === undefined || some.some((text) => communities.has(text)));
}

/** How many routes of the table each policy lets through, by the sizes of label sets. */
export class RouteCounts {
  readonly #sets: Readonly<Record<Family, readonly { texts: ReadonlySet<string>; rows: number }[]>>;

  /** O(rows). */
  constructor(routes: RoutesModel) {
    const { table } = routes;
    const texts = table.labelSets.map(
      (labels) => new Set(communitiesOf(labels, routes).map(formatCommunity)),
    );
    const count = (family: Family): { texts: ReadonlySet<string>; rows: number }[] => {
      const rows = new Uint32Array(texts.length);
      const { labels, size } = table[family];
      for (let row = 0; row < size; row++) rows[labels[row]!]!++;
      return texts.map((one, set) => ({ texts: one, rows: rows[set]! }));
    };
    this.#sets = { ipv4: count('ipv4'), ipv6: count('ipv6') };
  }

  exportedBy(policy: ExportPolicy): number {
    const isExported = exportFilter(policy);
    return this.#sets[policy.family].reduce(
      (sum, { texts, rows }) => (isExported(texts) ? sum + rows : sum),
      0,
    );
  }
}
