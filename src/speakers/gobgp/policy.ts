/** What a peer is sent of one family, as statements of GoBGP's policies. */
import { BARS } from '../bars.ts';
import type { ExportPolicy } from '../export-policy.ts';
import { NO_EXPORT, expressionOf, setOf, without, type CommunitySet } from './communities.ts';
import type { DefinedType, MatchSetMessage, StatementMessage } from './messages.ts';
import { familyMessage } from './path-encoder.ts';

/** What the statements of several peers share. */
export interface PolicyContext {
  /** Every community that a route carries. */
  readonly carried: CommunitySet;
  /** Matches communities that no route carries outside of GoBGP. */
  readonly marks: string;
  /** Returns the name of a set with these entries. */
  readonly nameOf: (type: DefinedType, list: readonly string[]) => string;
}

type Unnamed = Omit<StatementMessage, 'name'>;

/** Statements for peers of the neighbour set with equal exports, for routes that are known to be ours. */
export function renderPolicy(policy: ExportPolicy, neighbors: string, context: PolicyContext): Unnamed[] {
  const { family, nextHops, otherwise, noExport } = policy;
  const { carried, marks, nameOf } = context;
  const exported = policy.exported === null ? null : setOf(policy.exported);
  const peers = {
    neighborSet: { type: 'ANY', name: neighbors } satisfies MatchSetMessage,
    afiSafiIn: [familyMessage(family)],
  };
  const bars = carried.large.filter((text) => BAR.test(text));
  const hidden = exported === null ? { standard: [], large: bars } : without(carried, exported);
  const strip: Unnamed['actions'] = {
    routeAction: 'NONE',
    largeCommunity: { type: 'REMOVE', communities: [expressionOf([marks, ...hidden.large])] },
    ...(hidden.standard.length === 0
      ? {}
      : { community: { type: 'REMOVE', communities: [expressionOf(hidden.standard)] } }),
  };
  const accept = (nextHop: string): Unnamed['actions'] => ({
    routeAction: 'ACCEPT',
    ...(noExport ? { community: { type: 'ADD', communities: [NO_EXPORT] } } : {}),
    ...(nextHop === 'self' ? {} : { nexthop: { address: nextHop } }),
  });
  const acceptAny = (of: CommunitySet, nextHop: string): Unnamed[] =>
    conditionsOf(of, nameOf).map((condition) => ({
      conditions: { ...peers, ...condition },
      actions: accept(nextHop),
    }));
  const cases = nextHops.flatMap(({ of, address }) => acceptAny(setOf([of]), address));
  if (otherwise !== 'none') {
    if (exported === null) cases.push({ conditions: peers, actions: accept(otherwise) });
    else cases.push(...acceptAny(exported, otherwise));
  }
  return [...barring(policy, peers, nameOf), { conditions: peers, actions: strip }, ...cases];
}

function barring(
  { bar }: ExportPolicy,
  peers: Unnamed['conditions'],
  nameOf: PolicyContext['nameOf'],
): Unnamed[] {
  if (bar === null) return [];
  return conditionsOf(setOf([bar]), nameOf).map((condition) => ({
    conditions: { ...peers, ...condition },
    actions: { routeAction: 'REJECT' },
  }));
}

const BAR = new RegExp(`^${BARS.asn}:${BARS.data1}:`);

/** Conditions of which one holds for a route with any of the communities: none for an empty set. */
function conditionsOf(
  { standard, large }: CommunitySet,
  nameOf: PolicyContext['nameOf'],
): Partial<StatementMessage['conditions']>[] {
  const match = (type: DefinedType, texts: readonly string[]): MatchSetMessage => ({
    type: 'ANY',
    name: nameOf(type, [expressionOf(texts)]),
  });
  return [
    ...(standard.length === 0 ? [] : [{ communitySet: match('COMMUNITY', standard) }]),
    ...(large.length === 0 ? [] : [{ largeCommunitySet: match('LARGE_COMMUNITY', large) }]),
  ];
}
