/**
 * The Adj-RIB-Out of one peer (RFC 4271 section 1.1): which rows it receives, and with which attributes. Both depend only on a row's label
 * set, so it is a small table over label sets, whatever the number of routes.
 */
import { NO_EXPORT, encodeRouteAttributes } from '../../bgp/attributes.ts';
import type { RouteAttributes, SenderContext } from '../../bgp/attributes.ts';
import { attributesFit } from '../../bgp/update-chunk.ts';
import { FAMILIES, parseAddress } from '../../core/address.ts';
import type { Family } from '../../core/address.ts';
import { isBlackhole, parseCommunity } from '../../core/community.ts';
import type { RoutesModel } from '../speaker.ts';
import type { RoutesVersion } from '../routes-version.ts';

export interface ExportSettings {
  /** Labels that the peer receives; null: all. */
  readonly labels: readonly string[] | null;
  /** Next hop that the peer's configuration sets, over everything else but that of a blackhole. */
  readonly nextHop: Readonly<Record<Family, string | null>>;
  /** Next hop if nothing else sets one: the speaker itself. */
  readonly self: Readonly<Record<Family, string | null>>;
  /** Whether many routes are sent in the order of bird-order.ts. */
  readonly isBird: boolean;
  /** Size of a message to the peer; absent: any route fits. */
  readonly message?: { readonly octets: number; readonly sender: SenderContext };
}

export interface FamilyAdjRibOut {
  /** Label set -> index into `groups`; -1: its routes are not for this peer. */
  readonly groupOf: Int32Array;
  readonly groups: readonly RouteAttributes[];
  /** Text of each group: equal attributes have equal keys, in any Adj-RIB-Out. */
  readonly keys: readonly string[];
  /** Rows that the peer receives. */
  readonly count: number;
  /** Rows that the peer should receive but that have no next hop. */
  readonly withoutNextHop: number;
  /** Rows that the peer should receive but that do not fit into a message with their attributes. */
  readonly tooLarge: number;
}

export class AdjRibOut {
  readonly routes: RoutesVersion;
  readonly settings: ExportSettings;
  readonly key: string;
  readonly isBird: boolean;
  readonly families: Readonly<Record<Family, FamilyAdjRibOut>>;
  /** Octets of the communities of the route with the most. */
  readonly communityOctets: number;

  private constructor(routes: RoutesVersion, settings: ExportSettings, key: string) {
    this.routes = routes;
    this.settings = settings;
    this.key = key;
    this.isBird = settings.isBird;
    this.families = {
      ipv4: familyAdjRibOut(routes, settings, 'ipv4'),
      ipv6: familyAdjRibOut(routes, settings, 'ipv6'),
    };
    this.communityOctets = FAMILIES.flatMap((family) => this.families[family].groups).reduce(
      (most, { communities, largeCommunities }) =>
        Math.max(most, communities.length * 4 + largeCommunities.length * 12),
      0,
    );
  }

  /** The Adj-RIB-Out of these settings, shared between peers. */
  static of(routes: RoutesVersion, settings: ExportSettings): AdjRibOut {
    const key = JSON.stringify(settings);
    return routes.share(`adj-rib-out ${key}`, () => new AdjRibOut(routes, settings, key));
  }

  /** Rows of `families` that the peer receives. */
  count(families: readonly Family[]): number {
    return families.reduce((sum, family) => sum + this.families[family].count, 0);
  }
}

function familyAdjRibOut(routes: RoutesVersion, settings: ExportSettings, family: Family): FamilyAdjRibOut {
  const { model, table } = routes;
  const wanted = settings.labels === null ? null : new Set(settings.labels);
  const groupOf = new Int32Array(table.labelSets.length).fill(-1);
  const groups: RouteAttributes[] = [];
  const keys: string[] = [];
  const indexOf = new Map<string, number>();
  let count = 0;
  let withoutNextHop = 0;
  let tooLarge = 0;
  table.labelSets.forEach((labelSet, set) => {
    const received = wanted === null ? labelSet : labelSet.filter((label) => wanted.has(label));
    if (wanted !== null && received.length === 0) return;
    const rows = routes.counts[family][set]!;
    const attributes = attributesOf(received, model, settings, family);
    if (attributes === null) {
      withoutNextHop += rows;
      return;
    }
    const key = JSON.stringify(attributes);
    let group = indexOf.get(key);
    if (group === undefined) {
      group = fits(family, attributes, settings) ? groups.push(attributes) - 1 : -1;
      if (group >= 0) keys.push(key);
      indexOf.set(key, group);
    }
    if (group < 0) {
      tooLarge += rows;
      return;
    }
    groupOf[set] = group;
    count += rows;
  });
  return { groupOf, groups, keys, count, withoutNextHop, tooLarge };
}

function fits(family: Family, attributes: RouteAttributes, { message }: ExportSettings): boolean {
  if (message === undefined) return true;
  return attributesFit(encodeRouteAttributes(family, attributes, message.sender), message.octets);
}

/** Attributes of routes that carry `labels`; null without a next hop. */
function attributesOf(
  labels: readonly string[],
  model: RoutesModel,
  settings: ExportSettings,
  family: Family,
): RouteAttributes | null {
  const blackholes = labels.filter((label) => isBlackholeLabel(label, model));
  const nextHop =
    labelNextHop(blackholes, model, family) ??
    settings.nextHop[family] ??
    labelNextHop(labels, model, family) ??
    settings.self[family];
  if (nextHop === null) return null;
  const address = parseAddress(nextHop);
  if (!address.ok || address.value.family !== family) return null;
  const communities = new Set<number>();
  const large = new Map<string, readonly [number, number, number]>();
  for (const label of labels) {
    const parsed = parseCommunity(model.labels[label]?.community ?? label);
    if (!parsed.ok) continue;
    const community = parsed.value;
    if (community.kind === 'large') large.set(label, [community.asn, community.data1, community.data2]);
    else
      communities.add(
        community.kind === 'standard' ? community.asn * 0x10000 + community.value : community.value,
      );
  }
  if (model.noExport) communities.add(NO_EXPORT);
  return {
    nextHop: address.value.words,
    communities: [...communities].sort((a, b) => a - b),
    largeCommunities: [...large.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]),
  };
}

function isBlackholeLabel(label: string, model: RoutesModel): boolean {
  const parsed = parseCommunity(model.labels[label]?.community ?? label);
  return parsed.ok && isBlackhole(parsed.value);
}

/** The next hop that the labels set; if they differ, that of the first label in sorted order. */
function labelNextHop(labels: readonly string[], model: RoutesModel, family: Family): string | null {
  for (const label of labels) {
    const own = model.labels[label];
    const nextHop = family === 'ipv4' ? own?.nextHopIpv4 : own?.nextHopIpv6;
    if (typeof nextHop === 'string') return nextHop;
  }
  return null;
}

/** True when every label set in both tables means the same on the wire in both Adj-RIBs-Out. */
export function sameMeaning(before: AdjRibOut, after: AdjRibOut): boolean {
  const setOf = new Map(before.routes.table.labelSets.map((labels, set) => [labels.join('\0'), set]));
  return after.routes.table.labelSets.every((labels, set) => {
    const old = setOf.get(labels.join('\0'));
    return (
      old === undefined ||
      FAMILIES.every((family) => keyOf(before, family, old) === keyOf(after, family, set))
    );
  });
}

function keyOf(ribOut: AdjRibOut, family: Family, set: number): string | undefined {
  const { groupOf, keys } = ribOut.families[family];
  return keys[groupOf[set]!];
}
