/**
 * Routes that a peer is no longer sent although they stay in the table. GoBGP withdraws a route from a peer when the route changes to one
 * that the policies reject for it; it does nothing when the policies change. So these routes are changed first: they get a mark by which
 * the old policies, with one statement in front, reject them for those peers and nobody else.
 */
import type { Family } from '../../core/address.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { exportFilter, type ExportPolicy } from '../export-policy.ts';
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
  /** For each label set of the table: whether its routes of the family are withdrawn. */
  readonly lost: Readonly<Record<Family, readonly boolean[]>>;
}

/**
 * @param before null: unknown, so the peers may have received anything
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
  const policiesBefore = ({ message }: RenderedPeer): readonly ExportPolicy[] | null =>
    before?.peers.find((old) => old.message?.conf.description === message?.conf.description)?.policies ??
    null;
  const kept = after.peers.filter(({ message }) => message !== null && staying.has(message.conf.description));
  const alike = Map.groupBy(kept, (peer) => JSON.stringify([policiesBefore(peer), peer.policies]));
  return [...alike.values()].flatMap((peers, index): Narrowing[] => {
    const [peer] = peers as [RenderedPeer];
    const old = policiesBefore(peer);
    const lostOf = (family: Family): boolean[] => {
      const isExported = filterOf(peer.policies, family);
      const wasExported = old === null ? () => true : filterOf(old, family);
      return communities.map((set) => wasExported(set) && !isExported(set));
    };
    const lost = { ipv4: lostOf('ipv4'), ipv6: lostOf('ipv6') };
    const isAny = [...lost.ipv4, ...lost.ipv6].includes(true);
    return isAny ? [{ mark: markOf(after.tag, index + 1), peers, lost }] : [];
  });
}

function filterOf(policies: readonly ExportPolicy[], family: Family): ReturnType<typeof exportFilter> {
  const policy = policies.find((one) => one.family === family);
  return policy === undefined ? () => false : exportFilter(policy);
}

/** @returns the present policies of GoBGP, with statements in front that reject marked routes for the peers. */
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
