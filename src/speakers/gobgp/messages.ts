/** Messages of GoBGP's API as they are written and read here: the shapes of api.proto. */

export interface FamilyMessage {
  readonly afi: number;
  readonly safi: number;
}

export interface GlobalMessage {
  readonly asn: number;
  readonly routerId: string;
  readonly listenPort: number;
  readonly listenAddresses: readonly string[];
}

export interface AfiSafiMessage {
  readonly config: { readonly family: FamilyMessage; readonly enabled: boolean };
  readonly mpGracefulRestart: { readonly config: { readonly enabled: boolean } };
}

/** A peer as it is added. */
export interface PeerMessage {
  readonly conf: {
    readonly neighborAddress: string;
    readonly peerAsn: number;
    readonly localAsn: number;
    readonly authPassword: string;
    readonly description: string;
  };
  readonly ebgpMultihop: { readonly enabled: boolean; readonly multihopTtl: number };
  readonly timers: {
    readonly config: {
      readonly connectRetry: number;
      readonly holdTime: number;
      readonly keepaliveInterval: number;
      readonly idleHoldTimeAfterReset: number;
    };
  };
  readonly transport: {
    readonly localAddress: string;
    readonly passiveMode: boolean;
    readonly remotePort: number;
  };
  readonly gracefulRestart: {
    readonly enabled: boolean;
    readonly restartTime: number;
    /** Signals to the peer that GoBGP has restarted, and that its previous routes still hold. */
    readonly localRestarting?: boolean;
    /** Seconds that GoBGP then waits at most for the routes of all peers before it sends its own. */
    readonly deferralTime?: number;
  };
  readonly afiSafis: readonly AfiSafiMessage[];
}

/** Seconds since 1970. */
interface TimestampMessage {
  readonly seconds: number;
}

/** A peer as it is listed. */
export interface ListedPeer {
  readonly conf: PeerMessage['conf'];
  readonly state: {
    readonly sessionState: string;
    readonly messages: Readonly<
      Record<'received' | 'sent', { readonly notification: number; readonly update: number } | null>
    > | null;
    readonly remoteCap: readonly { readonly type_url: string; readonly value: Buffer }[];
  };
  readonly timers: {
    readonly state: {
      readonly uptime: TimestampMessage | null;
      readonly downtime: TimestampMessage | null;
    } | null;
  } | null;
  readonly afiSafis: readonly {
    readonly config: AfiSafiMessage['config'];
    readonly state: { readonly received: number } | null;
  }[];
}

export interface PathMessage {
  /** `<nil>` for routes that came over the API. */
  readonly neighborIp: string;
  readonly nlriBinary: Buffer;
  readonly pattrsBinary: readonly Buffer[];
}

export type DefinedType = 'NEIGHBOR' | 'COMMUNITY' | 'LARGE_COMMUNITY';

export interface DefinedSetMessage {
  readonly definedType: DefinedType;
  readonly name: string;
  readonly list: readonly string[];
}

export interface MatchSetMessage {
  readonly type: 'ANY' | 'INVERT';
  readonly name: string;
}

export interface CommunityActionMessage {
  readonly type: 'ADD' | 'REMOVE';
  readonly communities: readonly string[];
}

export type RouteType = 'ROUTE_TYPE_INTERNAL' | 'ROUTE_TYPE_EXTERNAL' | 'ROUTE_TYPE_LOCAL';

export type RouteAction = 'NONE' | 'ACCEPT' | 'REJECT';

/** All conditions must hold. Without a route action, the next statement follows. */
export interface StatementMessage {
  readonly name: string;
  readonly conditions: {
    readonly neighborSet?: MatchSetMessage;
    readonly communitySet?: MatchSetMessage;
    readonly largeCommunitySet?: MatchSetMessage;
    readonly afiSafiIn?: readonly FamilyMessage[];
    /** How GoBGP received the route: from an internal or external peer, or locally, by its API or its configuration. */
    readonly routeType?: RouteType;
  };
  readonly actions: {
    readonly routeAction: RouteAction;
    readonly community?: CommunityActionMessage;
    readonly largeCommunity?: CommunityActionMessage;
    readonly nexthop?: { readonly address: string };
  };
}

export interface PolicyMessage {
  readonly name: string;
  readonly statements: readonly StatementMessage[];
}

export type PolicyDirection = 'IMPORT' | 'EXPORT';

export interface AssignmentMessage {
  readonly name: string;
  readonly direction: PolicyDirection;
  readonly policies: readonly PolicyMessage[];
  readonly defaultAction: RouteAction;
}
