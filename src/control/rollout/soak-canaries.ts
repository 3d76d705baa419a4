import { setTimeout as sleep } from 'node:timers/promises';
import type { SpeakerLive } from '../../api/speakers/speakers.ts';
import { listAppliesOf, type SpeakerApply } from '../../store/rollout/applies.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listHeldSpeakers } from '../../store/holding/leases.ts';
import {
  listSpeakersRunning,
  listUnchangedPeers,
  noteSessions,
  secondsSinceCanaries,
} from '../../store/rollout/rollouts.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { readLive } from '../../store/speakers/speaker-live.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import { refuseFreeze } from '../revisions/guard-apply.ts';
import type { JobContext } from '../job.ts';
import { toBegin } from './to-begin.ts';
import { type SoakLook, afterSoak, judgeSessions, secondsDone } from './judge-soak.ts';

/** How long something may look wrong, in milliseconds: others report the state of sessions, and some of it a moment later. */
const TIMEOUT = 8_000;
const LOOK_MILLISECONDS = 250;

/**
 * Watches the canaries of the job until they have done well for as long as `deploy_canary_soak_seconds` says, by the clock of the
 * database. It looks and pauses: how far it is depends on nothing that this process knows.
 * @returns what they failed by, or null
 * @throws {JobPause} while it lasts; {Problem} `deploy_frozen`
 */
export async function soakCanaries(context: JobContext, revisionId: string): Promise<string | null> {
  const { db, tenantId, job, progress, signal } = context;
  const deadline = performance.now() + TIMEOUT;
  for (;;) {
    const { look, elapsed, seconds, later } = await db.inTenant(tenantId, async (tx) => {
      await refuseFreeze(tx);
      return {
        look: await lookAtCanaries(tx, job.id, revisionId),
        later: toBegin(await listAppliesOf(tx, job.id)),
        elapsed: await secondsSinceCanaries(tx, job.id),
        seconds: await getSetting(tx, 'deploy_canary_soak_seconds'),
      };
    });
    if (look === null) return null;
    progress('soak', secondsDone(elapsed, seconds), seconds, later);
    if (look.faults.length === 0) return afterSoak(look, elapsed, seconds, later);
    if (performance.now() > deadline)
      return `The canaries did not keep what they had. ${look.faults.join('; ')}`;
    await sleep(LOOK_MILLISECONDS, undefined, { signal });
  }
}

/**
 * Whether the canaries of the job still do what they did when they had taken the revision.
 * @returns null where there is nothing to watch, since every speaker ran that content before
 */
async function lookAtCanaries(tx: TenantTx, jobId: string, revisionId: string): Promise<SoakLook | null> {
  const applies = await listAppliesOf(tx, jobId);
  const canaries = applies.filter(({ wave }) => wave === 0);
  const running = await listSpeakersRunning(tx, revisionId);
  if (canaries.every(isUnchanged) && applies.every(({ speaker_id: id }) => running.has(id))) return null;
  const ids = canaries.map(({ speaker_id: id }) => id);
  const speakers = (await listAllSpeakers(tx)).filter(({ id }) => ids.includes(id));
  const held = await listHeldSpeakers(tx, ids);
  const live = await readLive(tx, speakers);
  const faults: string[] = [];
  const silent: string[] = [];
  const now = (await databaseTime(tx)).getTime();
  let upSessions = 0;
  let mayCome = false;
  for (const { id, name, applied_revision_id: applied } of speakers) {
    const apply = canaries.find(({ speaker_id }) => speaker_id === id)!;
    if (applied !== revisionId) faults.push(`${name}: another apply took it over`);
    else if (!held.has(id)) silent.push(name);
    else {
      const sessions = apply.sessions ?? (await adoptSessions(tx, apply, live.get(id)!));
      const witnesses = { unchanged: await listUnchangedPeers(tx, apply.id), now };
      const look = judgeSessions(sessions, live.get(id)!, witnesses);
      faults.push(...look.faults.map((fault) => `${name}: ${fault}`));
      if (look.isUntold) silent.push(name);
      upSessions += look.sessions;
      mayCome ||= look.mayCome;
    }
  }
  return { faults, silent, sessions: upSessions, mayCome };
}

/** Of a node, which verifies what it applies and reports no more than that: the sessions are watched as they are at the first look. */
async function adoptSessions(
  tx: TenantTx,
  { id }: SpeakerApply,
  { sessions }: SpeakerLive,
): Promise<AppliedSession[]> {
  const established = sessions.flatMap(({ peer_id, state, since, routes_exported: routes }) =>
    state === 'established' ? [{ peer_id, since, routes }] : [],
  );
  if (established.length > 0) await noteSessions(tx, id, established);
  return established;
}

function isUnchanged({ announced, withdrawn, changed }: SpeakerApply): boolean {
  return announced === 0 && withdrawn === 0 && changed === 0;
}
