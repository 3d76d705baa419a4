/**
 * The configuration of GoBGP for one speaker: its peers, and one policy for each direction. Pure. It contains no text of a tenant: names
 * are hashes, everything else is a number, an address, or a password that check.ts accepted.
 */
import type { PeerModel, RoutesModel, SpeakerModel } from '../speaker.ts';
import { missingNextHop } from '../check.ts';
import { communitiesOf, exportPolicies, type ExportPolicy } from '../export-policy.ts';
import { limitProblem } from '../limited-peers.ts';
import { refusePeer } from './check.ts';
import { expressionOf, setOf } from './communities.ts';
import type {
  DefinedSetMessage,
  DefinedType,
  PeerMessage,
  PolicyMessage,
  StatementMessage,
} from './messages.ts';
import { digest, markOf, markPattern, speakerTag } from './names.ts';
import { peerMessage } from './peers.ts';
import { renderPolicy } from './policy.ts';

/** A peer as GoBGP is to hold it. */
export interface RenderedPeer {
  readonly peerId: string;
  /** Null for a peer that GoBGP does not support. */
  readonly message: PeerMessage | null;
  /** One for each family of the session. */
  readonly policies: readonly ExportPolicy[];
  /** Why it is not sent everything, and what to do. */
  readonly problem: string | null;
}

export interface Policies {
  /** Sets that the policies refer to. */
  readonly sets: readonly DefinedSetMessage[];
  /** Names contain a hash of the statements: policies of equal names are equal. */
  readonly importPolicy: PolicyMessage;
  readonly exportPolicy: PolicyMessage;
}

export interface Configuration extends Policies {
  readonly tag: string;
  readonly mark: string;
  readonly peers: readonly RenderedPeer[];
}

const LEARNT = ['ROUTE_TYPE_INTERNAL', 'ROUTE_TYPE_EXTERNAL'] as const;

const TAKEN =
  'GoBGP has a peer of this address already that is not of this service: remove that, or move this peer to another speaker';

/**
 * @param routes the routes to send: their labels decide what policies say
 * @param foreign addresses of peers of other owners, as the core formats them
 */
export function configurationOf(
  model: SpeakerModel,
  routes: RoutesModel,
  foreign: readonly string[] = [],
): Configuration {
  const tag = speakerTag(model.speakerId);
  const mark = markOf(tag);
  const peers = model.peers.map((peer) => {
    const rendered = renderPeer(tag, model, peer, routes);
    const isTaken = rendered.message !== null && foreign.includes(rendered.message.conf.neighborAddress);
    return isTaken ? { ...rendered, message: null, policies: [], problem: TAKEN } : rendered;
  });
  const sets = new DefinedSets(tag);
  const statements = renderStatements(tag, peers, routes, sets);
  return {
    ...{ tag, mark, peers, sets: sets.all },
    importPolicy: policyOf(tag, 'import', statements.import),
    exportPolicy: policyOf(tag, 'export', statements.export),
  };
}

type Statements = readonly Omit<StatementMessage, 'name'>[];

/** A policy with a unique name. */
export function policyOf(tag: string, direction: string, statements: Statements): PolicyMessage {
  const name = `${tag}-${digest(JSON.stringify(statements), 12)}-${direction}`;
  return {
    name,
    statements: statements.map((statement, index) => ({ ...statement, name: `${name}-${index + 1}` })),
  };
}

function renderPeer(tag: string, model: SpeakerModel, peer: PeerModel, routes: RoutesModel): RenderedPeer {
  const none = { peerId: peer.id, message: null, policies: [] };
  const problem = refusePeer(model, peer);
  if (problem !== null) return { ...none, problem };
  const policies = exportPolicies(model, peer, routes);
  const missing = peer.families.find((family) => !policies.some((policy) => policy.family === family));
  const [first] = policies;
  if (first === undefined) return { ...none, problem: missingNextHop(peer.families[0]!) };
  const families = policies.map(({ family }) => family);
  return {
    ...{ peerId: peer.id, message: peerMessage(tag, peer, families), policies },
    problem: missing === undefined ? limitProblem(peer, routes) : missingNextHop(missing),
  };
}

/** The sets of the speaker, named by their content, so that equal ones are shared. */
export class DefinedSets {
  readonly #tag: string;
  readonly #byName = new Map<string, DefinedSetMessage>();

  constructor(tag: string) {
    this.#tag = tag;
  }

  readonly nameOf = (definedType: DefinedType, list: readonly string[]): string => {
    const name = `${this.#tag}-set-${digest(JSON.stringify([definedType, list]), 12)}`;
    this.#byName.set(name, { definedType, name, list });
    return name;
  };

  get all(): DefinedSetMessage[] {
    return [...this.#byName.values()];
  }
}

/**
 * The speaker's peers send us nothing and receive only its routes; no other peer receives these. Everything else is left to GoBGP's other
 * policies. A mark proves nothing on a route from any other peer, which may have set it itself.
 */
function renderStatements(
  tag: string,
  peers: readonly RenderedPeer[],
  routes: RoutesModel,
  sets: DefinedSets,
): { import: Statements; export: Statements } {
  const marked = sets.nameOf('LARGE_COMMUNITY', [expressionOf([markOf(tag)])]);
  const isOurs = { largeCommunitySet: { type: 'ANY', name: marked } } as const;
  const isLocal = { routeType: 'ROUTE_TYPE_LOCAL' } as const;
  const accept = { routeAction: 'ACCEPT' } as const;
  const reject = { routeAction: 'REJECT' } as const;
  const neighbors = (some: readonly RenderedPeer[]): string =>
    sets.nameOf(
      'NEIGHBOR',
      some.flatMap(({ message }) => (message === null ? [] : hostPrefix(message))).sort(),
    );
  const held = peers.filter(({ message }) => message !== null);
  // GoBGP takes an empty set to match everyone.
  if (held.length === 0)
    return {
      import: [
        { conditions: { ...isOurs, ...isLocal }, actions: accept },
        { conditions: isOurs, actions: reject },
      ],
      export: [{ conditions: isOurs, actions: reject }],
    };
  const toOurs = { neighborSet: { type: 'ANY', name: neighbors(held) } } as const;
  const context = {
    ...{
      carried: setOf(communitiesOf([...new Set(routes.table.labelSets.flat())], routes)),
      marks: markPattern(tag),
    },
    nameOf: sets.nameOf,
  };
  const byPolicies = Map.groupBy(held, ({ policies }) => JSON.stringify(policies));
  const views = [...byPolicies.values()].flatMap((group) =>
    group[0]!.policies.flatMap((policy) => renderPolicy(policy, neighbors(group), context)),
  );
  return {
    import: [
      { conditions: { ...isOurs, ...isLocal }, actions: accept },
      { conditions: isOurs, actions: reject },
      { conditions: toOurs, actions: reject },
    ],
    export: [
      {
        conditions: { ...toOurs, largeCommunitySet: { type: 'INVERT', name: marked } },
        actions: reject,
      },
      ...LEARNT.map((routeType) => ({ conditions: { ...toOurs, routeType }, actions: reject })),
      ...views,
      { conditions: toOurs, actions: reject },
      { conditions: isOurs, actions: reject },
    ],
  };
}

export function hostPrefix({ conf }: PeerMessage): string {
  return `${conf.neighborAddress}/${conf.neighborAddress.includes(':') ? 128 : 32}`;
}
