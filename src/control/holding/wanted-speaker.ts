import type { Daemon } from '../../api/speakers/speakers.ts';
import type { Reach } from '../../core/reach.ts';
import { policyGuardrailOf } from '../../policy/policy-guardrail.ts';
import type { SpeakerModel } from '../../speakers/speaker.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listRevisionCommunities } from '../../store/revisions/stored-revisions.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { listPeersOf } from '../../store/speakers/peers.ts';
import { findSpeaker } from '../../store/speakers/speakers.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import { communityLabels } from '../models/community-labels.ts';
import { SESSION_SETTINGS, speakerModel } from '../models/speaker-model.ts';
import { limitSessions } from '../policy/limit-sessions.ts';

interface WantedOptions {
  readonly tenantId: string;
  readonly speakerId: string;
  readonly secrets: SecretBox;
  readonly daemon: Daemon;
  readonly peerReach: Reach;
}

/** What a speaker is to be, as operators have configured it. */
export interface WantedSpeaker {
  readonly model: SpeakerModel;
  /** What the tenant's policy says of routes. */
  readonly policy: string;
  /** Whether its tenant is that of the operator of the service. */
  readonly isHome: boolean;
}

/**
 * @param revisionIds beside the one that it runs, those whose routes its peers hold or are about to: communities that these name may have other values by now
 * @returns null: it was deleted
 */
export async function readWanted(
  tx: TenantTx,
  { tenantId, speakerId, secrets, daemon, peerReach }: WantedOptions,
  revisionIds: readonly (string | null)[],
): Promise<WantedSpeaker | null> {
  const speaker = await findSpeaker(tx, speakerId);
  if (speaker === null) return null;
  const peers = await listPeersOf(tx, speakerId, secrets);
  const areChosen = peers.some(({ community_ids: ids }) => ids.length > 0);
  const ids = areChosen ? [speaker.applied_revision_id, ...revisionIds] : [];
  const named = await listRevisionCommunities(
    tx,
    ids.filter((id) => id !== null),
  );
  const communities = await listAllCommunities(tx);
  const labels = communityLabels(communities, named);
  const settings = await getSettings(tx, SESSION_SETTINGS);
  const tenant = await readOwnTenant(tx);
  return {
    model: await limitSessions(
      tx,
      tenant,
      speakerModel(tenantId, speaker, peers, labels, settings),
      daemon,
      peerReach,
    ),
    policy: JSON.stringify(policyGuardrailOf(tenant.policy, communities)),
    isHome: tenant.slug === DEFAULT_TENANT,
  };
}
