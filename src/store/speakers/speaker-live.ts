import { sql } from 'kysely';
import {
  announcerAtNode,
  type LastKnownSession,
  type LiveSession,
  type Speaker,
  type SpeakerLive,
} from '../../api/speakers/speakers.ts';
import type { TenantTx } from '../database/database.ts';
import { RIVAL } from '../nodes/agents.ts';
import { LEASE_SECONDS, notSilent, conflictOf } from '../holding/leases.ts';
import { listLockedOut } from '../keys/locked-out.ts';
import { REVERTED } from './peer-sessions.ts';
import { SILENT_SINCE } from '../holding/sessions.ts';

/**
 * The last reports of these speakers' holders. A speaker whose holder does not report is not reachable and has no sessions, but those that
 * were known last. A node goes on with what it ran until it is reached, so those of a disabled speaker of mode `agent` are known until it
 * has reported that they have ended.
 * @param uptimeSeconds of what nodes report to: one that has just started has heard of none of them yet
 */
export async function readLive(
  tx: TenantTx,
  speakers: readonly Speaker[],
  uptimeSeconds = Infinity,
): Promise<Map<string, SpeakerLive>> {
  const ids = speakers.map(({ id }) => id);
  const reports = await readReports(tx, ids);
  const sessions = await readSessions(tx, ids);
  const silent = speakers.filter(({ id, enabled, mode }) => {
    const report = reports.get(id);
    // An agent that was stopped may have left sessions to its daemon.
    if (mode === 'agent') return report?.is_current !== true || !report.reachable;
    return enabled && report?.is_current !== true;
  });
  const nodes = speakers.filter(({ mode }) => mode === 'agent');
  const known = await readLastKnown(tx, { silent: idsOf(silent), nodes: idsOf(nodes) });
  const away = silent.filter(({ id, agent }) => agent !== null && reports.get(id)?.is_current !== true);
  const lockedOut = await listLockedOut(tx, idsOf(away));
  const expected = away.filter(
    ({ id, enabled }) => !lockedOut.has(id) && (enabled || known.get(id)?.some((one) => one.was_established)),
  );
  const awaited = await readAwaited(tx, idsOf(expected), uptimeSeconds);
  return new Map(
    speakers.map((speaker) => {
      const { id } = speaker;
      const last = known.get(id);
      const isLockedOut = lockedOut.has(id);
      const isAwaited = awaited.has(id);
      const daemon = presentDaemon(speaker, reports.get(id), { known: last ?? [], isLockedOut, isAwaited });
      return [
        id,
        {
          ...daemon,
          sessions: daemon.reachable ? (sessions.get(id) ?? []) : [],
          ...(last === undefined ? {} : { last_known_sessions: last }),
          ...(isLockedOut ? { is_locked_out: true } : {}),
          ...(isAwaited ? { is_awaited: true } : {}),
        },
      ];
    }),
  );
}

function idsOf(speakers: readonly Speaker[]): string[] {
  return speakers.map(({ id }) => id);
}

type DaemonLive = Omit<SpeakerLive, 'sessions' | 'last_known_sessions' | 'is_locked_out' | 'is_awaited'>;

const UNKNOWN = {
  reachable: false,
  version: null,
  router_id: null,
  uptime_seconds: null,
  last_reconfigured_at: null,
} as const;

interface KnownOfNode {
  readonly known: readonly LastKnownSession[];
  readonly isLockedOut: boolean;
  readonly isAwaited: boolean;
}

function presentDaemon(
  speaker: Speaker,
  report: Report | undefined,
  { known, isLockedOut, isAwaited }: KnownOfNode,
): DaemonLive {
  if (isAwaited) return { ...UNKNOWN, error: awaitedText(speaker) };
  const left = speaker.enabled ? null : leftOnNode(speaker, known, isLockedOut);
  if (report?.is_current !== true) {
    const cause = report?.conflict ?? unreachable(speaker, report);
    return { ...UNKNOWN, error: left ?? (isLockedOut ? lockedOutText(speaker) : cause) };
  }
  const { reachable, version, router_id, uptime_seconds, reconfigured_at, rival } = report;
  const error = rival === null ? (left ?? report.error) : rivalled(rival);
  return { reachable, version, router_id, uptime_seconds, last_reconfigured_at: reconfigured_at, error };
}

/** What a disabled speaker goes on with on a node that has not reported that its sessions have ended; null: nothing is known of that. */
function leftOnNode(
  { agent, daemon }: Speaker,
  known: readonly LastKnownSession[],
  isLockedOut: boolean,
): string | null {
  const up = known.filter((session) => session.was_established);
  if (up.length === 0) return null;
  const named = up.slice(0, NAMED_PEERS).map((one) => `${one.routes_exported} to ${one.peer_name}`);
  const more = up.length > named.length ? ` and to ${up.length - named.length} more peers` : '';
  const host = agent?.hostname ?? 'its node';
  return `The speaker is disabled, and the agent on ${host}, last seen at ${agent?.last_seen_at ?? up[0]!.reported_at}, has not said that its sessions have ended. ${announcerAtNode(daemon)} goes on announcing what it ran, if it runs (routes: ${named.join(', ')}${more}), and ${isLockedOut ? `does not withdraw that: ${LOCKED_OUT}` : `withdraws that when ${daemon === 'builtin' ? 'it' : 'the agent'} is back.`}`;
}

const LOCKED_OUT =
  'no key of the node works any more. Enroll it again with another token (POST /v1/speakers/{speaker_id}/enrollment-tokens), or stop it on its machine.';

function lockedOutText({ agent, daemon }: Speaker): string {
  return `The agent on ${agent?.hostname ?? 'its node'}, last seen at ${agent?.last_seen_at ?? 'no time that is known'}, takes nothing more: ${LOCKED_OUT} ${announcerAtNode(daemon)} goes on announcing what it ran, if it runs.`;
}

const NAMED_PEERS = 5;

function unreachable(speaker: Speaker, report: Report | undefined): string {
  if (!speaker.enabled) return 'The speaker is not enabled.';
  if (speaker.mode === 'agent') return silentAgent(speaker, report);
  const remedy = 'Start one with APP_SERVICE=app-all or app-speaker.';
  if (report === undefined) return `No process holds this speaker. ${remedy}`;
  const since = new Date(report.reported_at).toISOString();
  return `The process that holds this speaker has not reported since ${since}. If its daemon still runs, it keeps announcing the same routes. Any other process that can drive it takes over within a second. ${remedy}`;
}

function silentAgent({ agent, daemon }: Speaker, report: Report | undefined): string {
  if (agent === null)
    return 'No node has enrolled yet. Make a token (POST /v1/speakers/{speaker_id}/enrollment-tokens), and start an agent with it.';
  const since = `The agent on ${agent.hostname} has not reported since ${agent.last_seen_at}.`;
  // What it said of itself then holds until it is back.
  if (report?.reachable === false && report.error !== null) return `${since} It said then: ${report.error}`;
  return `${since} ${announcerAtNode(daemon)} goes on announcing what it ran, if it runs; look at its log there.`;
}

function awaitedText({ agent, daemon }: Speaker): string {
  return `The service has just started, and the agent on ${agent?.hostname ?? 'its node'} has not reported since; it does within ${AWAITED_SECONDS} s if it runs. ${announcerAtNode(daemon)} goes on announcing what it ran meanwhile.`;
}

function rivalled(rival: string): string {
  return `Two agents with the identity of this speaker report; the one on ${rival} was started earlier and is ignored. Stop one, and enroll the other again.`;
}

/** Agents try again after 30 s at most where nobody has answered them. */
const AWAITED_SECONDS = 40;

/** Those of these nodes that had no time yet to report to what has just started. */
async function readAwaited(
  tx: TenantTx,
  ids: readonly string[],
  uptimeSeconds: number,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0 || uptimeSeconds > AWAITED_SECONDS) return new Set();
  const { rows } = await sql<{ readonly id: string }>`
    SELECT id FROM speaker
     WHERE tenant_id = ${tx.tenantId} AND id = ANY(${[...ids]}::uuid[])
       AND agent_last_seen_at < now() - make_interval(secs => ${uptimeSeconds})`.execute(tx.sql);
  return new Set(rows.map(({ id }) => id));
}

/** The last report of a speaker's holder, and whether it still reports. */
interface Report {
  readonly is_current: boolean;
  readonly reported_at: string;
  readonly reachable: boolean;
  readonly version: string | null;
  readonly router_id: string | null;
  readonly uptime_seconds: number | null;
  readonly reconfigured_at: string | null;
  readonly error: string | null;
  readonly rival: string | null;
  readonly conflict: string | null;
}

async function readReports(tx: TenantTx, ids: readonly string[]): Promise<Map<string, Report>> {
  const rows = await tx.sql
    .selectFrom('speaker_lease as lease')
    .select(['lease.speaker_id', 'lease.reachable', 'lease.version', 'lease.router_id'])
    .select(['lease.reconfigured_at', 'lease.error', RIVAL.as('rival')])
    .select([notSilent('lease').as('is_current'), conflictOf('lease').as('conflict')])
    .select(sql<string>`lease.expires_at - make_interval(secs => ${LEASE_SECONDS})`.as('reported_at'))
    .select(sql<number | null>`floor(extract(epoch FROM now() - up_since))::integer`.as('uptime_seconds'))
    .where('lease.tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`lease.speaker_id = ANY(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ speaker_id: id, ...report }) => [id, report]));
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
    .select(['s.routes_exported', 's.routes_received', 's.updates_sent', 's.last_error', 's.next_attempt_at'])
    .select(REVERTED.as('reverted'))
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

/**
 * @param silent enabled speakers that nobody reports
 * @param nodes those of mode `agent`: they may go on with sessions that they are not to have any more, and a session may be missing in what
 *   they reported for a while
 */
async function readLastKnown(
  tx: TenantTx,
  { silent, nodes }: { readonly silent: readonly string[]; readonly nodes: readonly string[] },
): Promise<ReadonlyMap<string, LastKnownSession[]>> {
  if (silent.length + nodes.length === 0) return new Map();
  // One that was marked as idle since keeps its routes.
  const wasUp = sql`(s.state = 'established' OR s.routes_exported > 0)`;
  const isOnNode = sql`s.speaker_id = ANY(${[...nodes]}::uuid[])`;
  const { rows } = await sql<LastKnownSession & { readonly speaker_id: string }>`
    SELECT s.speaker_id, s.peer_id, coalesce(p.name, s.deleted_peer->>'name') AS peer_name,
           coalesce(p.address, s.deleted_peer->>'address') AS address,
           coalesce(p.remote_asn, (s.deleted_peer->>'remote_asn')::bigint) AS remote_asn,
           ${wasUp} AS was_established, s.routes_exported, s.reported_at
      FROM speaker_session s
      JOIN speaker sp ON sp.tenant_id = s.tenant_id AND sp.id = s.speaker_id
      LEFT JOIN peer p ON p.tenant_id = s.tenant_id AND p.id = s.peer_id
     WHERE s.tenant_id = ${tx.tenantId}
       AND (s.speaker_id = ANY(${[...silent]}::uuid[]) OR ${isOnNode} AND s.reported_at <= ${SILENT_SINCE})
       AND (p.enabled AND sp.enabled OR ${isOnNode} AND ${wasUp})
     ORDER BY s.peer_id`.execute(tx.sql);
  const bySpeaker = Map.groupBy(rows, (row) => row.speaker_id);
  return new Map(
    [...bySpeaker].map(([id, own]) => [id, own.map(({ speaker_id: _, ...session }) => session)]),
  );
}
