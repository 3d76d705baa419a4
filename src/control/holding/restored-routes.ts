/** What a speaker was brought to last, read again for a process that takes it over. */
import type { FitRules } from '../../speakers/fit-peers.ts';
import {
  EMPTY_ROUTES,
  asFinal,
  type PeerModel,
  type RoutesModel,
  type SpeakerModel,
} from '../../speakers/speaker.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listNewPeers } from '../../store/rollout/limited-peers.ts';
import { listRevertedPeers, type KnownReverted } from '../../store/rollout/reverted-peers.ts';
import { getSpeaker } from '../../store/speakers/speakers.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { readFitRules } from '../peer-routes/fit-rules.ts';
import { loadLimited } from '../peer-routes/limited-routes.ts';
import { loadSentRoutes } from '../peer-routes/load-routes.ts';
import { loadReverted } from '../peer-routes/reverted-routes.ts';
import { readUnproven } from './restored-unproven.ts';
import type { UnprovenPeers } from './unproven-peers.ts';

interface RestoreOptions {
  readonly speakerId: string;
  /** Whether its daemon can revert single peers. */
  readonly canRevert: boolean;
  /** How long all has to be well before an apply stays, in milliseconds; undefined: as the tenant has set it. */
  readonly calm: number | undefined;
}

interface AppliedRoutes {
  readonly calm: number;
  readonly unproven: UnprovenPeers;
  /** What the speaker runs, with what single peers hold in its place. */
  readonly whole: RoutesModel;
  readonly known: readonly KnownReverted[];
  /** What it runs, and the peers that were brought to that. */
  readonly before: { readonly routes: RoutesModel; readonly peers: readonly PeerModel[] };
  readonly rules: FitRules | null;
}

export async function readApplied(
  tx: TenantTx,
  model: SpeakerModel,
  { speakerId, canRevert, calm }: RestoreOptions,
): Promise<AppliedRoutes> {
  const { resource: speaker } = await getSpeaker(tx, speakerId);
  // Final: it was confirmed before.
  const own =
    speaker.applied_revision_id === null
      ? { ...EMPTY_ROUTES, isUnfinished: true as const }
      : asFinal(await loadSentRoutes(tx, speakerId, speaker.applied_revision_id));
  const strangers = await listNewPeers(tx, speakerId);
  const peers = model.peers.filter(({ id }) => !strangers.includes(id));
  const limited = await loadLimited(tx, speakerId);
  const sick = canRevert ? await listRevertedPeers(tx, speakerId) : [];
  const reverted = canRevert ? { reverted: await loadReverted(tx, speakerId, sick) } : {};
  const calmNow = calm ?? (await getSetting(tx, 'deploy_calm_milliseconds'));
  const held = new Map(sick.map(({ peer_id: id, revision_id: revision }) => [id, revision]));
  return {
    calm: calmNow,
    unproven: await readUnproven(tx, speakerId, held, calmNow),
    whole: { ...own, ...reverted, limited },
    known: sick,
    before: { routes: own, peers },
    rules: await readFitRules(tx, [model], speaker.applied_revision_id),
  };
}
