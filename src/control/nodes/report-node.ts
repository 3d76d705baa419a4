import type { ApplyStatus, ApplyStatusTaken } from '../../api/nodes/nodes.ts';
import { type KnownBundles, reportAsAgent } from '../../store/nodes/agents.ts';
import { outdateBundle } from '../../store/nodes/bundles.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { reportSessions } from '../../store/holding/sessions.ts';
import { reportApplied } from '../rollout/agent-applies.ts';

/** Agents may be newer than the service that they report to. */
const TAKEN: Pick<ApplyStatusTaken, 'session_members'> = { session_members: ['next_attempt_at'] };

/**
 * Writes down what the speaker's agent reports: how the last apply ended, the daemon, and its sessions, all as the processes of the
 * service report the speakers that they hold.
 */
export async function reportNode(
  tx: TenantTx,
  speakerId: string,
  { daemon, agent, ...applied }: ApplyStatus,
): Promise<ApplyStatusTaken> {
  const { run_id: runId, version, hostname } = agent;
  const known = await reportAsAgent(
    tx,
    speakerId,
    { runId, version, hostname },
    {
      reachable: daemon.reachable,
      version: daemon.version,
      routerId: daemon.router_id,
      uptimeSeconds: daemon.uptime_seconds,
      lastReconfiguredAt: daemon.last_reconfigured_at,
      error: daemon.error,
    },
    applied,
  );
  if (known === null) return { accepted: false, ...TAKEN };
  // What an agent that was stopped leaves to its daemon is known of then, and of no session that anybody reports.
  // If a session is reported twice, the last report counts.
  const sessions = new Map(daemon.sessions.map((session) => [session.peer_id.toLowerCase(), session]));
  await reportSessions(
    tx,
    speakerId,
    Array.from(sessions, ([peerId, session]) => ({
      peerId,
      state: daemon.reachable ? session.state : 'idle',
      since: session.since,
      routesExported: session.routes_exported,
      routesReceived: session.routes_received,
      updatesSent: session.updates_sent,
      lastError: session.last_error,
      nextAttempt: session.next_attempt_at ?? null,
    })),
  );
  await reportBundle(tx, speakerId, applied, known);
  return { accepted: true, ...TAKEN };
}

/** A thousand nodes report every few seconds what they have said before: then nothing is asked. */
async function reportBundle(
  tx: TenantTx,
  speakerId: string,
  applied: Omit<ApplyStatus, 'daemon' | 'agent'>,
  known: KnownBundles,
): Promise<void> {
  const { sequence, status } = applied;
  if (sequence === null || known.issued === null) return;
  // Whatever became of it: one that runs a bundle of before a restore is not to pull an older one first, which it refuses.
  if (sequence > known.issued) return outdateBundle(tx, speakerId, sequence);
  // An older one is late, and the node will report the latest soon.
  if (sequence < known.issued || (status !== 'failed' && sequence === known.applied)) return;
  await reportApplied(tx, speakerId, applied);
}
