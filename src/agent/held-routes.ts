/**
 * What peers over their limit hold (speakers/limited-peers.ts), on disk: after a restart such a peer receives no more than that. Nothing
 * here needs a signature, since it can only withhold routes that were signed.
 */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { decodeRoutes, encodeRoutes } from '../bundle/routes-part.ts';
import { EMPTY_ROUTES, type LimitedPeer, type RoutesModel } from '../speakers/speaker.ts';
import type { DataDirectory } from './data-directory.ts';

const FILE = 'held-routes.json';

const MaybeText = Type.Union([Type.String(), Type.Null()]);
const Label = Type.Object({ community: Type.String(), nextHopIpv4: MaybeText, nextHopIpv6: MaybeText });
const Kept = Type.Object({
  routes: Type.Array(
    Type.Object({
      revisionId: Type.String(),
      labels: Type.Record(Type.String(), Label),
      noExport: Type.Boolean(),
      contentHash: Type.String(),
      /** The table as in a bundle, in Base64. */
      table: Type.String(),
    }),
  ),
  peers: Type.Array(
    Type.Object({
      peerId: Type.String(),
      /** Its index in `routes`; null: nothing. */
      held: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
      labels: Type.Union([Type.Array(Type.String()), Type.Null()]),
      families: Type.Array(Type.Enum(['ipv4', 'ipv6'])),
    }),
  ),
});
type Kept = Static<typeof Kept>;
const kept = Compile(Kept);

export class HeldRoutes {
  readonly #directory: DataDirectory;

  constructor(directory: DataDirectory) {
    this.#directory = directory;
  }

  /** A damaged file counts as empty: such a peer is then sent nothing until it may have all routes. */
  async read(): Promise<LimitedPeer[]> {
    const bytes = await this.#directory.read(FILE);
    if (bytes === null) return [];
    try {
      return peersOf(JSON.parse(bytes.toString()));
    } catch {
      return [];
    }
  }

  /** @throws {AgentFault} `state_unwritable` */
  async write(limited: readonly LimitedPeer[]): Promise<void> {
    if (limited.length === 0) return this.#directory.remove(FILE);
    const routes = [...new Set(limited.map(({ held }) => held))].filter(isSomething);
    const peers = limited.map(({ peerId, held, labels, families }) => ({
      ...{ peerId, held: isSomething(held) ? routes.indexOf(held) : null },
      ...{ labels: labels === null ? null : [...labels], families: [...families] },
    }));
    const content = { routes: routes.map(written), peers } satisfies Kept;
    await this.#directory.write(FILE, JSON.stringify(content));
  }
}

function isSomething({ table: { ipv4, ipv6 } }: RoutesModel): boolean {
  return ipv4.size + ipv6.size > 0;
}

function written({ revisionId, table, labels, noExport }: RoutesModel): Kept['routes'][number] {
  const { contentHash, bytes } = encodeRoutes(table);
  return {
    ...{ revisionId, labels: { ...labels }, noExport, contentHash },
    table: Buffer.from(bytes).toString('base64'),
  };
}

function peersOf(content: unknown): LimitedPeer[] {
  if (!kept.Check(content)) return [];
  const routes = content.routes.map(({ contentHash, table, ...rest }): RoutesModel => {
    const bytes = Buffer.from(table, 'base64');
    return { ...rest, table: decodeRoutes({ contentHash, bytes }) };
  });
  return content.peers.flatMap(({ held, ...peer }) => {
    const found = held === null ? EMPTY_ROUTES : routes[held];
    return found === undefined ? [] : [{ ...peer, held: found }];
  });
}
