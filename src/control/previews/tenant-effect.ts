/** What a change of a tenant does to its sessions and their routes, without a name: super roles see nothing of a tenant's contents. */
import { isDeepStrictEqual } from 'node:util';
import type { DiffSummary } from '../../api/revisions/diff.ts';
import { MAXIMUM_SPEAKERS, type Effect, type TenantSessions } from '../../api/revisions/plan.ts';
import { previewRoutes } from '../../speakers/exports/preview.ts';
import type { RoutesVersion } from '../../speakers/routes-version.ts';
import { asTenant } from '../../store/database/as-tenant.ts';
import { asSystem, type TenantTx } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { findTenantSlug, readOwnTenant } from '../../store/tenants/tenants.ts';
import { readAttributesOnRouters } from '../peer-routes/route-attributes.ts';
import { limitByPolicy } from '../policy/limit-sessions.ts';
import {
  comparePeers,
  readSpeakerModels,
  routesReaders,
  sentNow,
  type ModelledSpeaker,
  type Sent,
} from './speaker-effects.ts';

/** A speaker with the sessions that its tenant's policy allows. */
interface Announcing {
  readonly speaker: ModelledSpeaker;
  readonly routes: RoutesVersion;
  readonly sent: Sent;
}

type State = ReadonlyMap<string, Announcing>;
type Counts = TenantSessions['before'];

/**
 * Carries out `work`, as {@link measureEffect} does for the tenant that asks, and adds what becomes of the sessions of these tenants. What
 * their lists bring once they are built again under another policy is not counted.
 */
export async function withTenants<T>(
  tx: TenantTx,
  secrets: SecretBox,
  tenantIds: readonly string[],
  measure: () => Promise<{ readonly result: T; readonly effect: Effect }>,
): Promise<{ readonly result: T; readonly effect: Effect }> {
  const ids = [...new Set(tenantIds)];
  if (ids.length === 0) return measure();
  const before = await readStates(tx, secrets, ids);
  const { result, effect } = await measure();
  const after = await readStates(tx, secrets, ids);
  const parts = ids.map((id, index) => compareStates(id, before[index]!, after[index]!));
  const summary = mostOf([effect.summary, ...parts.flatMap(({ summaries }) => summaries)]);
  return { result, effect: { ...effect, summary, tenants: parts.flatMap(({ sessions }) => sessions) } };
}

async function readStates(tx: TenantTx, secrets: SecretBox, ids: readonly string[]): Promise<State[]> {
  const states: State[] = [];
  for (const id of ids) {
    const isThere = (await asSystem(tx, (system) => findTenantSlug(system, id))) !== null;
    states.push(isThere ? await asTenant(tx, id, (tenant) => readState(tenant, secrets)) : new Map());
  }
  return states;
}

async function readState(tx: TenantTx, secrets: SecretBox): Promise<State> {
  const { status, policy } = await readOwnTenant(tx);
  if (status === 'stopped') return new Map();
  const { speakers, attributes } = await readSpeakerModels(tx, secrets, MAXIMUM_SPEAKERS);
  const attributesOf = await readAttributesOnRouters(tx);
  const read = routesReaders(tx);
  const state = new Map<string, Announcing>();
  for (const one of speakers) {
    const limited = limitByPolicy(one.model, policy);
    const peers = limited.peers.filter(({ refusal }) => refusal === undefined);
    const speaker = { ...one, model: { ...limited, peers } };
    const id = limited.speakerId;
    const routes = await read(one.appliedId, attributesOf.get(id) ?? attributes);
    state.set(id, { speaker, routes, sent: await sentNow(tx, speaker, routes) });
  }
  return state;
}

interface Compared {
  readonly sessions: readonly TenantSessions[];
  readonly summaries: readonly DiffSummary[];
}

function compareStates(tenantId: string, before: State, after: State): Compared {
  const sessions: Omit<TenantSessions, 'count'>[] = [];
  const summaries: DiffSummary[] = [];
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(id), after.get(id)];
    const [sentBefore, sentAfter]: [Sent, Sent] = [was?.sent ?? new Map(), is?.sent ?? new Map()];
    const others = new Map(comparePeers(sentBefore, sentAfter).map((one) => [one.peer_id, one]));
    for (const peerId of new Set([...sentBefore.keys(), ...sentAfter.keys()])) {
      const session = !sentAfter.has(peerId) ? 'ends' : sentBefore.has(peerId) ? 'same' : 'begins';
      const other = others.get(peerId);
      if (other === undefined && session === 'same') continue;
      const [from, to] = [sentBefore.get(peerId)?.counts ?? NONE, sentAfter.get(peerId)?.counts ?? NONE];
      sessions.push({
        ...{ tenant_id: tenantId, session, before: { ...from }, after: { ...to } },
        updated: other?.updated ?? 0,
      });
      if (session === 'ends') summaries.push({ ...NOTHING, withdrawn: total(from) });
      if (session === 'begins') summaries.push({ ...NOTHING, announced: total(to) });
    }
    if (was === undefined || is === undefined || sentAfter.size === 0) continue;
    const { announced, withdrawn, changed } = previewRoutes(
      { ...is.speaker.model, peers: [] },
      is.routes,
      was.routes,
    ).outcome;
    summaries.push({ announced, withdrawn, changed });
  }
  return { sessions: grouped(sessions), summaries };
}

const NONE: Counts = { ipv4: 0, ipv6: 0 };
const NOTHING: DiffSummary = { announced: 0, withdrawn: 0, changed: 0 };

/** Those of which the same becomes, together. */
function grouped(all: readonly Omit<TenantSessions, 'count'>[]): TenantSessions[] {
  const groups: TenantSessions[] = [];
  for (const one of all) {
    const at = groups.findIndex(({ count: _, ...group }) => isDeepStrictEqual(group, one));
    if (at === -1) groups.push({ ...one, count: 1 });
    else groups[at] = { ...groups[at]!, count: groups[at]!.count + 1 };
  }
  return groups;
}

/** Sessions are sent the same routes: a sum over them would be a number that nobody has seen anywhere. */
function mostOf(all: readonly DiffSummary[]): DiffSummary {
  const most = (member: keyof DiffSummary): number => Math.max(...all.map((one) => one[member]));
  return { announced: most('announced'), withdrawn: most('withdrawn'), changed: most('changed') };
}

function total({ ipv4, ipv6 }: Counts): number {
  return ipv4 + ipv6;
}
