import { hash } from 'node:crypto';
import { writeSpeakerDocument } from '../bundle/speaker-document.ts';
import type { AgentState } from '../store/bundles.ts';
import { listAllCommunities } from '../store/communities.ts';
import type { TenantTx } from '../store/database.ts';
import { listAllPeersWithPasswords } from '../store/peers.ts';
import type { SecretBox } from '../store/secrets.ts';
import { getSettings } from '../store/settings.ts';
import type { SigningKeyRow } from '../store/signing-keys.ts';
import { signingKeys } from './signing-keys.ts';
import { SOURCE_SETTINGS, labelModels, speakerModel } from './speaker-model.ts';

/** What the node of a speaker is to run, and what it was given last. */
export interface DesiredState {
  readonly agent: AgentState;
  readonly revision: NonNullable<AgentState['revision']>;
  /** `speaker.json`. */
  readonly speaker: Buffer;
  /** Tells states apart: keyed, since passwords are in it. */
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
  now: Date,
): Promise<{ readonly states: readonly DesiredState[]; readonly signing: Signing }> {
  const peers = await listAllPeersWithPasswords(tx, secrets);
  const communities = await listAllCommunities(tx);
  const settings = await getSettings(tx, [
    'guard_no_export',
    'deploy_confirm_timeout_seconds',
    'bundle_valid_hours',
    ...SOURCE_SETTINGS,
  ]);
  const signing = signingOf(await signingKeys(tx, secrets), settings.bundle_valid_hours, now);
  const states = agents.flatMap((agent): DesiredState[] => {
    const { revision, bundle } = agent;
    if (revision === null) return [];
    const labels = revision.communities.map(({ community }) => community);
    const speaker = writeSpeakerDocument({
      speaker: speakerModel(tx.tenantId, agent, peers, communities, settings),
      labels: labelModels(labels, communities),
      noExport: settings.guard_no_export,
      confirmSeconds: settings.deploy_confirm_timeout_seconds,
    });
    const fingerprint = secrets.fingerprint(`${revision.content_hash} ${speaker.toString()}`);
    const needsBundle =
      bundle === null ||
      !bundle.fingerprint.equals(fingerprint) ||
      bundle.revision_id !== revision.id ||
      !bundle.keys_hash.equals(signing.keysHash) ||
      bundle.expires_in < signing.validSeconds / 2 ||
      // The setting was lowered; a second is for what is rounded.
      bundle.expires_in > signing.validSeconds + 1;
    return [{ agent, revision, speaker, fingerprint, needsBundle }];
  });
  return { states, signing };
}

function signingOf(keys: readonly SigningKeyRow[], validHours: number, now: Date): Signing {
  const left = ({ not_after: end }: SigningKeyRow): number =>
    end === null ? Infinity : (Date.parse(end) - now.getTime()) / 1_000;
  const announced = keys.filter((key) => left(key) > 0);
  const told = announced.map(({ key_id, not_after, active }) => ({ key_id, not_after, active }));
  const active = keys.find((key) => key.active)!;
  return {
    announced,
    keysHash: Buffer.from(hash('sha256', JSON.stringify(told)), 'hex'),
    validSeconds: Math.min(validHours * 3_600, left(active)),
  };
}
