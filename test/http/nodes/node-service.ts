/** A service with one node, as tests of bundles ask for it: applies as the job leaves them behind, and what the node pulls. */
import type { LatestBundle, SigningKeys } from '../../../src/api/nodes/bundles.ts';
import type { BundleReader } from '../../../src/bundle/open-bundle.ts';
import { notify } from '../../../src/store/database/database.ts';
import { makeFixtures, makeRevision, type Fixtures } from '../fixtures.ts';
import { startService, type Answered, type TestService, type TestTenant } from '../service.ts';
import { SPEAKERS_CHANNEL } from '../../../src/store/speakers/speakers.ts';

export interface Pulled {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export interface NodeService extends TestService {
  readonly fixtures: Fixtures;
  readonly speakerId: string;
  revisionOf(prefixes: readonly string[]): Promise<string>;
  /** What the job `apply` leaves behind for the speaker; null: keep the revision. Answers the id of the apply. */
  apply(revisionId: string | null): Promise<string>;
  /** A request of the node. */
  node(method: string, path: string, headers?: Record<string, string>): Promise<Answered>;
  latest(query?: string, headers?: Record<string, string>): Promise<Answered>;
  /** What the node is to run, which must be something. */
  assigned(): Promise<LatestBundle & { readonly etag: string }>;
  /** Bytes, as the node gets them. */
  pull(path: string, headers?: Record<string, string>): Promise<Pulled>;
  signingKeys(tenant?: TestTenant): Promise<SigningKeys['items']>;
  /** What the node knows beforehand, and what else is said. */
  reader(more?: Partial<BundleReader>): Promise<BundleReader>;
}

export async function startNodeService(): Promise<NodeService> {
  const service = await startService();
  const { database, tenant } = service;
  const fixtures = await makeFixtures(service, tenant);
  const speakerId = fixtures['speaker of a node']!;
  const started: NodeService = {
    ...service,
    fixtures,
    speakerId,
    revisionOf: (prefixes) => makeRevision(service, tenant, fixtures.community!, prefixes),
    async apply(revisionId) {
      const [row] = await database.admin<{ id: string }>(
        `INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, sequence)
         VALUES ($1, gen_random_uuid(), $2, $3, (SELECT count(*) + 1 FROM speaker_apply)) RETURNING id`,
        [tenant.id, speakerId, revisionId],
      );
      await database.db.inTenant(tenant.id, (tx) => notify(tx, SPEAKERS_CHANNEL, tenant.id));
      return row!.id;
    },
    node: (method, path, headers = {}) => service.call(method, path, { key: tenant.keys.node, headers }),
    latest: (query = '', headers = {}) =>
      started.node('GET', `/v1/speakers/${speakerId}/revisions/latest${query}`, headers),
    async assigned() {
      const answer = await started.latest();
      if (answer.status !== 200) throw new Error(answer.text);
      return { ...(answer.body as unknown as LatestBundle), etag: answer.headers.get('etag')! };
    },
    async pull(path, headers = {}) {
      const authorization = `Bearer ${tenant.keys.node}`;
      const response = await fetch(service.url + path, { headers: { authorization, ...headers } });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, bytes };
    },
    async signingKeys(of = tenant) {
      const { body } = await service.call('GET', '/v1/bundles/signing-key', { key: of.keys.viewer });
      return (body as unknown as SigningKeys).items;
    },
    async reader(more = {}) {
      const trusted = await started.signingKeys();
      return { trusted, tenantId: tenant.id, speakerId, highestSequence: null, now: new Date(), ...more };
    },
  };
  return started;
}
