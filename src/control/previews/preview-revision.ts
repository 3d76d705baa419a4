import type {
  PeerPreview,
  RevisionPreview,
  RevisionPreviewQuery,
  SpeakerPreview,
} from '../../api/revisions/preview.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import type { Speaker } from '../../api/speakers/speakers.ts';
import { countLabels, expectedRoutes, noRoutes, previewRoutes } from '../../speakers/exports/preview.ts';
import { presentNamedCost } from '../../speakers/exports/fitted-cost.ts';
import { RoutesVersion } from '../../speakers/routes-version.ts';
import { renderers } from '../../speakers/rendering/renderers.ts';
import type { FittedRoutes, PeerModel, RoutesModel, SpeakerModel } from '../../speakers/speaker.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listPeersOf } from '../../store/speakers/peers.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { listRevisionsOnRouters } from '../../store/rollout/revisions-on-routers.ts';
import type { RouteAttributes } from '../../store/rollout/sent-attributes.ts';
import { getSetting, getSettings } from '../../store/tenants/settings.ts';
import { findSpeaker, listAllSpeakers } from '../../store/speakers/speakers.ts';
import { withContent } from '../differences/diff-revisions.ts';
import { fitPeers } from '../../speakers/fit-peers.ts';
import { readFitRulesOf } from '../peer-routes/fit-rules.ts';
import { currentFindings } from '../revisions/guard-apply.ts';
import { loadRoutes } from '../peer-routes/load-routes.ts';
import { previewReverted } from '../peer-routes/reverted-routes.ts';
import { readAttributesOnRouters } from '../peer-routes/route-attributes.ts';
import { communityLabels } from '../models/community-labels.ts';
import { SESSION_SETTINGS, speakerModel } from '../models/speaker-model.ts';
import { tableCache } from '../tables/table-cache.ts';
import { requireRevision, type StoredRevision } from '../../store/revisions/stored-revisions.ts';

const MASK = '***';

/**
 * What the revision would do to each speaker and its peers, now: by the same routes, models, views and guardrails as an apply, so that it
 * says what an apply would do. Changes nothing.
 * @throws {Problem} `not_found`, `revision_not_ready`
 */
export async function previewRevision(
  tx: TenantTx,
  secrets: SecretBox,
  id: string,
  { speaker_id: speakerId }: RevisionPreviewQuery,
): Promise<RevisionPreview> {
  const revision = withContent(await requireRevision(tx, id));
  const speakers = await chosenSpeakers(tx, speakerId);
  const read = async (revisionId: string, attributes?: RouteAttributes): Promise<RoutesVersion> =>
    new RoutesVersion(await loadRoutes(tx, revisionId, (hash) => tableCache.load(tx, hash), attributes));
  const routes = await read(revision.id);
  const running = new Map<string, RoutesVersion>();
  const communities = await listAllCommunities(tx);
  const labels = communityLabels(communities, [revision.communities]);
  const onRouters = await listRevisionsOnRouters(tx);
  const sent = await readAttributesOnRouters(tx);
  const sources = await getSettings(tx, SESSION_SETTINGS);
  const previews: SpeakerPreview[] = [];
  for (const speaker of speakers) {
    const applied = onRouters.get(speaker.id) ?? null;
    const attributes = sent.get(speaker.id);
    const key = `${applied} ${JSON.stringify(attributes)}`;
    const before = running.get(key) ?? (applied === null ? noRoutes() : await read(applied, attributes));
    running.set(key, before);
    const peers = await listPeersOf(tx, speaker.id, secrets);
    const model = speakerModel(tx.tenantId, speaker, peers, labels, sources);
    const isOnNode = speaker.mode === 'agent';
    const rules = await readFitRulesOf(tx, { model, isOnNode }, revision.id);
    const whole = await previewReverted(tx, model, routes.model, applied);
    const fitted = await fitPeers(model, whole, rules);
    previews.push(previewSpeaker(revision, speaker, model, { routes, before, fitted }));
  }
  return {
    ...{ revision_id: revision.id, number: revision.number, state: revision.state },
    findings: await currentFindings(tx, revision),
    frozen: await getSetting(tx, 'deploy_freeze'),
    speakers: previews,
  };
}

async function chosenSpeakers(tx: TenantTx, id: string | undefined): Promise<Speaker[]> {
  if (id === undefined) return listAllSpeakers(tx);
  const speaker = await findSpeaker(tx, id);
  if (speaker === null) throw fieldProblem('?speaker_id', `No speaker has the id ${id}. List /v1/speakers.`);
  return [speaker];
}

interface PreviewedRoutes {
  readonly routes: RoutesVersion;
  readonly before: RoutesVersion;
  /** The routes with what single peers are sent in their place. */
  readonly fitted: RoutesModel;
}

function previewSpeaker(
  revision: StoredRevision,
  speaker: Speaker,
  model: SpeakerModel,
  { routes, before, fitted }: PreviewedRoutes,
): SpeakerPreview {
  const { outcome, peers } = previewRoutes(model, routes, before);
  const kept = keptRoutes(model, fitted);
  const titles = new Map(revision.communities.map(({ community, title }) => [community, title]));
  const { ipv4, ipv6 } = routes.table;
  return {
    ...{ speaker_id: speaker.id, name: speaker.name, daemon: speaker.daemon, enabled: speaker.enabled },
    applied_revision_id: speaker.applied_revision_id,
    prefix_count: { ipv4: ipv4.size, ipv6: ipv6.size },
    communities: Array.from(countLabels(routes), ([community, count]) => ({
      ...{ community, title: titles.get(community) ?? null, prefix_count: { ...count } },
    })),
    difference: { ...outcome },
    refusals: [...(renderers[speaker.daemon]?.check(model) ?? [])],
    peers: model.peers.map((peer, index) => presentPeer(peer, peers[index]!, fitted, kept[index]!)),
    configuration: configurationOf(speaker, masked(model), fitted),
  };
}

function presentPeer(
  peer: PeerModel,
  { sent, withoutNextHop }: ReturnType<typeof previewRoutes>['peers'][number],
  { fitted = [], unfitted = [] }: RoutesModel,
  kept: PeerPreview['kept_prefix_count'],
): PeerPreview {
  const cover = fitted.find(({ peerIds }) => peerIds.includes(peer.id));
  const refused = unfitted.find(({ peerId }) => peerId === peer.id);
  const refusedCost = refused?.cost ?? null;
  const { id, name, address, families, labels, maxPrefixesOut: limit } = peer;
  return {
    ...{ peer_id: id, name, address, families: [...families] },
    communities: labels === null ? null : [...labels],
    prefix_count: { ...sent },
    without_next_hop: { ...withoutNextHop },
    max_prefixes_out: limit,
    max_prefixes_out_exceeded: limit !== null && sent.ipv4 + sent.ipv6 > limit,
    kept_prefix_count: kept,
    fitted: cover === undefined ? null : presentFitted(cover),
    unfitted: refused?.reason ?? null,
    unfitted_cost: refusedCost === null ? null : presentNamedCost(refusedCost),
  };
}

/** How many routes each peer goes on with that stays reverted; null: it does not. */
function keptRoutes(model: SpeakerModel, routes: RoutesModel): PeerPreview['kept_prefix_count'][] {
  const { reverted = [] } = routes;
  const expected = reverted.length === 0 ? [] : expectedRoutes(model, new RoutesVersion(routes));
  return model.peers.map(({ id }, index) =>
    reverted.some(({ peerIds }) => peerIds.includes(id)) ? { ...expected[index]!.routes } : null,
  );
}

function presentFitted({ routes: { table }, cost }: FittedRoutes): NonNullable<PeerPreview['fitted']> {
  return {
    prefix_count: { ipv4: table.ipv4.size, ipv6: table.ipv6.size },
    cost: presentNamedCost(cost),
    largest: cost.largest.map(({ prefix, addresses }) => ({ prefix, added_addresses: String(addresses) })),
  };
}

function masked(model: SpeakerModel): SpeakerModel {
  const peers = model.peers.map((peer) => ({ ...peer, password: peer.password === null ? null : MASK }));
  return { ...model, peers };
}

/** As text, but for routes: the revision has those. */
function configurationOf(
  { daemon }: Speaker,
  model: SpeakerModel,
  routes: RoutesModel,
): SpeakerPreview['configuration'] {
  const files = renderers[daemon]?.render(model, routes).filter(({ isRoutes }) => !isRoutes) ?? [];
  return {
    model: inSnakeCase(model) as SpeakerPreview['configuration']['model'],
    files: files.map(({ path, content }) => ({ path, content })),
  };
}

/** As all members of the API are named. No member of a model is named by an operator. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(member),
    ]),
  );
}
