import { sql } from 'kysely';
import type { LiveSession, Speaker, SpeakerLive } from '../api/speakers.ts';
import type { TenantTx } from './database.ts';
import { AGENT_LEASE_SECONDS, RIVAL } from './agents.ts';
import { SILENT_SINCE } from './sessions.ts';

/** What the holders of these speakers told last. A speaker that nobody holds is not reachable and has no sessions. */
export async function readLive(
  tx: TenantTx,
  speakers: readonly Speaker[],
): Promise<Map<string, SpeakerLive>> {
  const ids = speakers.map(({ id }) => id);
  const held = await readHeld(tx, ids);
  const sessions = await readSessions(tx, ids);
  return new Map(
    speakers.map((speaker) => {
      const daemon = held.get(speaker.id) ?? { ...UNKNOWN, error: unreachable(speaker) };
      return [speaker.id, { ...daemon, sessions: daemon.reachable ? (sessions.get(speaker.id) ?? []) : [] }];
    }),
  );
}

type DaemonLive = Omit<SpeakerLive, 'sessions'>;

const UNKNOWN = {
  reachable: false,
  version: null,
  router_id: null,
  uptime_seconds: null,
  last_reconfigured_at: null,
} as const;

function unreachable(speaker: Speaker): string {
  if (!speaker.enabled) return 'The speaker is not enabled.';
  if (speaker.mode === 'agent') return silentAgent(speaker);
  return 'No process holds this speaker. Start one with APP_SERVICE=app-all or app-speaker.';
}

function silentAgent({ agent }: Speaker): string {
  if (agent === null)
    return 'No node has enrolled yet. Make a token (POST /v1/speakers/{speaker_id}/enrollment-tokens), and start an agent with it.';
  return `The agent on ${agent.hostname} has not reported for ${AGENT_LEASE_SECONDS} s, last at ${agent.last_seen_at}. It goes on announcing what it ran, if it runs; look at its log there.`;
}

function rivalled(rival: string): string {
  return `Two agents with the identity of this speaker report; the one on ${rival} was started earlier and is not believed. Stop one, and enroll the other anew.`;
}

async function readHeld(tx: TenantTx, ids: readonly string[]): Promise<Map<string, DaemonLive>> {
  const rows = await tx.sql
    .selectFrom('speaker_lease')
    .select([
      'speaker_id',
      'reachable',
      'version',
      'router_id',
      'reconfigured_at',
      'error',
      RIVAL.as('rival'),
    ])
    .select(sql<number | null>`floor(extract(epoch FROM now() - up_since))::integer`.as('uptime_seconds'))
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`speaker_id = ANY(${[...ids]}::uuid[])`)
    .where('expires_at', '>', sql<string>`now()`)
    .execute();
  return new Map(
    rows.map(({ speaker_id: id, reconfigured_at: last_reconfigured_at, rival, error, ...daemon }) => [
      id,
      { ...daemon, last_reconfigured_at, error: rival === null ? error : rivalled(rival) },
    ]),
  );
}

async function readSessions(tx: TenantTx, ids: readonly string[]): Promise<Map<string, LiveSession[]>> {
  const rows = await tx.sql
    .selectFrom('speaker_session as s')
    .innerJoin('peer as p', (join) =>
      join.onRef('p.tenant_id', '=', 's.tenant_id').onRef('p.id', '=', 's.peer_id'),
    )
    .select([
      's.speaker_id',
      's.peer_id',
      'p.name as peer_name',
      'p.address',
      'p.remote_asn',
      's.state',
      's.since',
    ])
    .select(['s.routes_exported', 's.routes_received', 's.updates_sent', 's.last_error'])
    .where('s.tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`s.speaker_id = ANY(${[...ids]}::uuid[])`)
    .where('s.reported_at', '>', SILENT_SINCE)
    .orderBy('s.peer_id')
    .execute();
  const sessions = new Map<string, LiveSession[]>();
  for (const { speaker_id: id, ...session } of rows) {
    sessions.set(id, [...(sessions.get(id) ?? []), session]);
  }
  return sessions;
}
