/**
 * Routes that a peer is to hear no longer although they stay. GoBGP takes a route from a peer when the route changes to one that the policies
 * keep from the peer; it does nothing when the policies change. So such routes are changed first: they get a mark by which the
 * policies of before, with one statement in front, keep them from those peers and from nobody else.
 */
import type { Family } from '../../core/address.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { hearing, type ExportPolicy } from '../export-policy.ts';
import { expressionOf } from './communities.ts';
import {
  DefinedSets,
  hostPrefix,
  policyOf,
  type Configuration,
  type Policies,
  type RenderedPeer,
} from './configuration.ts';
import type { StatementMessage } from './messages.ts';
import { markOf } from './names.ts';

export interface Narrowing {
  readonly mark: string;
  /** Peers that lose the routes. */
  readonly peers: readonly RenderedPeer[];
  /** Of each label set of the table, whether its routes of the family are lost. */
  readonly lost: Readonly<Record<Family, readonly boolean[]>>;
}

/**
 * @param before null: not known, so the peers may have received anything
 * @param staying descriptions of the peers whose sessions stay
 * @param present routes that GoBGP has
 */
export function findNarrowings(
  before: Configuration | null,
  after: Configuration,
  staying: ReadonlySet<string>,
  present: PrefixTable,
): Narrowing[] {
  const communities = present.labelSets.map((labels) => new Set(labels));
  const heardBefore = ({ message }: RenderedPeer): readonly ExportPolicy[] | null =>
    before?.peers.find((old) => old.message?.conf.description === message?.conf.description)?.policies ??
    null;
  const kept = after.peers.filter(({ message }) => message !== null && staying.has(message.conf.description));
  const alike = Map.groupBy(kept, (peer) => JSON.stringify([heardBefore(peer), peer.policies]));
  return [...alike.values()].flatMap((peers, index): Narrowing[] => {
    const [peer] = peers as [RenderedPeer];
    const old = heardBefore(peer);
    const lostOf = (family: Family): boolean[] => {
      const isHeard = hearingOf(peer.policies, family);
      const wasHeard = old === null ? () => true : hearingOf(old, family);
      return communities.map((set) => wasHeard(set) && !isHeard(set));
    };
    const lost = { ipv4: lostOf('ipv4'), ipv6: lostOf('ipv6') };
    const isAny = [...lost.ipv4, ...lost.ipv6].includes(true);
    return isAny ? [{ mark: markOf(after.tag, index + 1), peers, lost }] : [];
  });
}

function hearingOf(policies: readonly ExportPolicy[], family: Family): ReturnType<typeof hearing> {
  const policy = policies.find((one) => one.family === family);
  return policy === undefined ? () => false : hearing(policy);
}

/** @returns the policies that GoBGP follows, and in front of them what keeps marked routes from the peers. */
export function narrowedPolicies(
  narrowings: readonly Narrowing[],
  configuration: Configuration,
  current: Policies,
): Configuration {
  const { tag } = configuration;
  const sets = new DefinedSets(tag);
  const hiding = narrowings.map(({ mark, peers }): Omit<StatementMessage, 'name'> => {
    const neighbors = peers.flatMap(({ message }) => (message === null ? [] : hostPrefix(message))).sort();
    return {
      conditions: {
        neighborSet: { type: 'ANY', name: sets.nameOf('NEIGHBOR', neighbors) },
        largeCommunitySet: { type: 'ANY', name: sets.nameOf('LARGE_COMMUNITY', [expressionOf([mark])]) },
      },
      actions: { routeAction: 'REJECT' },
    };
  });
  return {
    ...configuration,
    sets: [...sets.all, ...current.sets],
    importPolicy: current.importPolicy,
    exportPolicy: policyOf(tag, 'export', [...hiding, ...current.exportPolicy.statements]),
  };
}
