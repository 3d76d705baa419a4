import { hash } from 'node:crypto';
import { NO_REVISION } from '../../api/nodes/bundles.ts';
import type { Community } from '../../api/lists/communities.ts';
import { SETTINGS, type Settings } from '../../api/operation/settings.ts';
import { canonicalJson } from '../../bundle/canonical-json.ts';
import { writeSpeakerDocument } from '../../bundle/speaker-document.ts';
import type { LabelModel, SpeakerModel } from '../../speakers/speaker.ts';
import type { AgentRevision, AgentState } from '../../store/nodes/bundles.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listAllPeersWithPasswords } from '../../store/speakers/peers.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { listSentAttributes, type RouteAttributes } from '../../store/rollout/sent-attributes.ts';
import type { SigningKeyRow } from '../../store/nodes/signing-keys.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import { communityLabels, labelModels, type CommunityLabels } from '../models/community-labels.ts';
import { SESSION_SETTINGS, peersBySpeaker, speakerModel } from '../models/speaker-model.ts';
import { limitByPolicy } from '../policy/limit-sessions.ts';
import { type PolicyGuardrail, policyGuardrailOf } from '../../policy/policy-guardrail.ts';
import { hasFittingPeers } from '../peer-routes/fit-rules.ts';
import { limitsOfNodes } from '../peer-routes/policy-limits.ts';
import { currentAttributes } from '../peer-routes/route-attributes.ts';
import { type NodeFit, readNodeFit } from './node-fit.ts';
import { signingKeys } from './signing-keys.ts';

/** What the node of a speaker is to run, and what it was given last. */
export interface DesiredState {
  readonly agent: AgentState;
  readonly revision: AgentRevision;
  readonly model: SpeakerModel;
  /** Makes `speaker.json`, which most looks need not: nothing has changed. */
  readonly document: () => Promise<Buffer>;
  /** Distinguishes states: keyed, since they contain passwords. */
  readonly fingerprint: Buffer;
  /** What the node was given last is something else, or will not be good much longer. */
  readonly needsBundle: boolean;
}

/** What bundles of the tenant are signed with now. */
export interface Signing {
  /** Those that are good now, or will be. */
  readonly announced: readonly SigningKeyRow[];
  readonly keysHash: Buffer;
  /** How long a bundle is good that is signed now. */
  readonly validSeconds: number;
}

/** Those of the agents that are to run a revision. A few statements, however many agents. */
export async function desiredStates(
  tx: TenantTx,
  secrets: SecretBox,
  agents: readonly AgentState[],
  time: Date,
): Promise<{ readonly states: readonly DesiredState[]; readonly signing: Signing }> {
  const ids = agents.map(({ id }) => id);
  const peers = peersBySpeaker(await listAllPeersWithPasswords(tx, secrets), ids);
  const communities = await listAllCommunities(tx);
  const settings = await getSettings(tx, [
    'deploy_confirm_timeout_seconds',
    'deploy_max_failed_peers_percent',
    'deploy_calm_milliseconds',
    'bundle_valid_hours',
    ...SESSION_SETTINGS,
  ]);
  const signing = signingOf(await signingKeys(tx, secrets), settings.bundle_valid_hours, time);
  const policy = {
    confirmSeconds: settings.deploy_confirm_timeout_seconds,
    ...verdictOf(settings),
  };
  const { status, policy: tenantPolicy } = await readOwnTenant(tx);
  const limits = await limitsByRevision(tx, agents, policyGuardrailOf(tenantPolicy, communities));
  const now = await currentAttributes(tx, communities);
  // Others come with an apply, which a freeze stops.
  const sent = await listSentAttributes(tx, now, ids);
  const labelling = labellingOf();
  const labelsOf = communityLabelsOf(communities);
  const models = new Map(
    agents.map((agent) => [
      agent.id,
      speakerModel(tx.tenantId, agent, peers.get(agent.id)!, labelsOf(agent), settings),
    ]),
  );
  const fits = await fitsByRevision(tx, agents, models);
  const states = agents.flatMap((agent): DesiredState[] => {
    const { revision, bundle } = agent;
    if (revision === null) return [];
    const whole = models.get(agent.id)!;
    const fit = fits.get(revision.id) ?? null;
    const ours = fit === null ? withoutFits(whole) : whole;
    const model = limitByPolicy(status === 'stopped' ? { ...whole, peers: [] } : ours, tenantPolicy);
    const attributes = sent.get(agent.id) ?? now;
    const { noExport } = attributes;
    const { labels, digest } = labelling(revision, attributes);
    const limit = limits.get(revision.id) ?? null;
    const documented = {
      speaker: model,
      noExport,
      ...policy,
      ...(limit === null ? {} : { allowedRoutes: limit }),
    };
    const isFitting = hasFittingPeers([model]);
    const rest = canonicalJson(isFitting ? { ...documented, fit: fit!.rules } : documented);
    const fingerprint = secrets.fingerprint(`${revision.content_hash} ${digest} ${rest}`);
    const document = async (): Promise<Buffer> =>
      writeSpeakerDocument({ ...documented, labels, ...(isFitting ? { fit: await fit!.document() } : {}) });
    const needsBundle =
      bundle === null ||
      !bundle.fingerprint.equals(fingerprint) ||
      bundle.revision_id !== revision.id ||
      !bundle.keys_hash.equals(signing.keysHash) ||
      bundle.expires_in < signing.validSeconds / 2 ||
      // The setting was lowered; a second is for what is rounded.
      bundle.expires_in > signing.validSeconds + 1;
    return [{ agent, revision, model, document, fingerprint, needsBundle }];
  });
  return { states, signing };
}

/** A peer over its limit keeps what it has. */
function withoutFits(model: SpeakerModel): SpeakerModel {
  return { ...model, peers: model.peers.map(({ fits: _, ...peer }) => peer) };
}

/** What routes are to be limited to, by the revision that has them; most have nothing to be limited. */
async function limitsByRevision(
  tx: TenantTx,
  agents: readonly AgentState[],
  policy: PolicyGuardrail,
): Promise<ReadonlyMap<string, PolicyGuardrail>> {
  const limits = new Map<string, PolicyGuardrail>();
  const revisions = new Map(
    agents.flatMap(({ revision }) => (revision === null ? [] : [[revision.id, revision]])),
  );
  revisions.delete(NO_REVISION);
  for (const [id, revision] of revisions) {
    const limit = await limitsOfNodes(tx, revision, policy);
    if (limit !== null) limits.set(id, limit);
  }
  return limits;
}

/** What covers may be, by the revision whose routes they cover; only of those that a speaker runs with a peer that may be sent one. */
async function fitsByRevision(
  tx: TenantTx,
  agents: readonly AgentState[],
  models: ReadonlyMap<string, SpeakerModel>,
): Promise<ReadonlyMap<string, NodeFit>> {
  const fitting = agents.filter(({ id }) => hasFittingPeers([models.get(id)!]));
  const ids = new Set(fitting.flatMap(({ revision }) => (revision === null ? [] : [revision.id])));
  ids.delete(NO_REVISION);
  const fits = new Map<string, NodeFit>();
  for (const id of ids) {
    const fit = await readNodeFit(tx, id);
    if (fit !== null) fits.set(id, fit);
  }
  return fits;
}

/** What differs from the defaults: agents of before do not know these members, and need not as long as nobody has set them. */
function verdictOf({
  deploy_max_failed_peers_percent: percent,
  deploy_calm_milliseconds: calm,
}: Pick<Settings, 'deploy_max_failed_peers_percent' | 'deploy_calm_milliseconds'>) {
  return {
    ...(percent === SETTINGS.deploy_max_failed_peers_percent.default
      ? {}
      : { maxFailedPeersPercent: percent }),
    ...(calm === SETTINGS.deploy_calm_milliseconds.default ? {} : { calmMilliseconds: calm }),
  };
}

interface Labelling {
  readonly labels: Readonly<Record<string, LabelModel>>;
  /** SHA-256 of the labels. */
  readonly digest: string;
}

/** The labels of communities in what agents run and are to run, worked out once for all that are alike. */
function communityLabelsOf(communities: readonly Community[]): (agent: AgentState) => CommunityLabels {
  const known = new Map<string, CommunityLabels>();
  return ({ revision, running }) => {
    const revisions = [revision, running].filter((one) => one !== null);
    const name = revisions.map(({ id }) => id).join(' ');
    const before = known.get(name);
    if (before !== undefined) return before;
    const made = communityLabels(
      communities,
      revisions.map((one) => one.communities),
    );
    known.set(name, made);
    return made;
  };
}

/** The labels of revisions, worked out once for each and what it is sent with: many nodes run the same, and communities may be many. */
function labellingOf(): (revision: AgentRevision, attributes: RouteAttributes) => Labelling {
  const known = new Map<RouteAttributes, Map<string, Labelling>>();
  return (revision, attributes) => {
    const ofRevisions = known.get(attributes) ?? new Map<string, Labelling>();
    known.set(attributes, ofRevisions);
    const before = ofRevisions.get(revision.id);
    if (before !== undefined) return before;
    const values = revision.communities.map(({ community }) => community);
    const labels = labelModels(values, revision.communities, attributes.nextHops);
    const made = { labels, digest: hash('sha256', canonicalJson(labels)) };
    ofRevisions.set(revision.id, made);
    return made;
  };
}

/** What is signed now, with which keys, and for how long. */
export function signingOf(keys: readonly SigningKeyRow[], validHours: number, now: Date): Signing {
  const left = ({ not_after: end }: SigningKeyRow): number =>
    end === null ? Infinity : (Date.parse(end) - now.getTime()) / 1_000;
  const announced = keys.filter((key) => left(key) > 0);
  const listed = announced.map(({ key_id, not_after, active }) => ({ key_id, not_after, active }));
  const active = keys.find((key) => key.active)!;
  return {
    announced,
    keysHash: Buffer.from(hash('sha256', JSON.stringify(listed)), 'hex'),
    validSeconds: Math.min(validHours * 3_600, left(active)),
  };
}
