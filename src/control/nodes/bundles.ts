import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LatestBundle } from '../../api/nodes/bundles.ts';
import { Problem } from '../../api/problems/problem.ts';
import { digestPieces, packBundle } from '../../bundle/bundle.ts';
import { digestOf, makeManifest, signManifest } from '../../bundle/manifest.ts';
import type { SigningKeyPair } from '../../bundle/signing-key.ts';
import {
  bindAgentApplies,
  failUnbound,
  outdateFailed,
  renewForCalls,
  startAgentApplies,
} from '../../store/rollout/agent-applies.ts';
import { listAgentStates, putBundle, type IssuedBundle } from '../../store/nodes/bundles.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { desiredStates, type DesiredState, type Signing } from './desired-states.ts';
import type { RoutesCache, RoutesFile } from './routes-cache.ts';
import { activeSigningKey } from './signing-keys.ts';

/** What issuing takes beside the question for whom. */
export interface BundleTools {
  readonly db: Database;
  readonly secrets: SecretBox;
  readonly routes: RoutesCache;
}

/** Speakers whose bundles are issued in one transaction: others wait for its end. */
const AT_ONCE = 100;
/** The first finds out which routes are missing, the second has them, unless others change meanwhile what is to run. */
const MOST_LOOKS = 4;

/** Of some speakers by id; those that are to run nothing yet, or are no node's, are missing. */
export interface LatestBundles {
  readonly speakerIds: readonly string[];
  readonly bundles: ReadonlyMap<string, IssuedBundle>;
}

/**
 * The bundle that each of these speakers is to run now: begins the applies that wait for them, and reissues what is not what it should
 * be. Many speakers cost little more than one, and where nothing is to be done nothing is written. Those that have theirs come first, then the
 * others by and by.
 */
export async function* latestBundles(
  tools: BundleTools,
  tenantId: string,
  speakerIds: readonly string[],
): AsyncGenerator<LatestBundles> {
  const seen = await tools.db.inTenant(tenantId, (tx) => look(tx, tools.secrets, speakerIds));
  const settled = [...seen.bundles].filter(([id]) => !seen.due.has(id));
  yield { speakerIds: speakerIds.filter((id) => !seen.due.has(id)), bundles: new Map(settled) };
  const due = [...seen.due];
  for (let at = 0; at < due.length; at += AT_ONCE) {
    const some = due.slice(at, at + AT_ONCE);
    yield { speakerIds: some, bundles: await issueTo(tools, tenantId, some) };
  }
}

async function issueTo(
  tools: BundleTools,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, IssuedBundle>> {
  const routes: Routes = new Map();
  for (let looks = 1; ; looks++) {
    const seen = await tools.db.inTenant(tenantId, async (tx) => {
      await lockTenant(tx, 'bundles');
      await startAgentApplies(tx, ids);
      await outdateFailed(tx, ids);
      await renewForCalls(tx, ids);
      await issue(tx, tools.secrets, await look(tx, tools.secrets, ids), routes);
      return look(tx, tools.secrets, ids);
    });
    const needed = seen.states.filter(({ needsBundle }) => needsBundle);
    const missing = needed.map(({ revision }) => revision.content_hash).filter((hash) => !routes.has(hash));
    if (missing.length === 0 || looks === MOST_LOOKS) return seen.bundles;
    // Outside of transactions: a large table takes a while to be read and written.
    for (const hash of new Set(missing)) routes.set(hash, await routesOrFault(tools, tenantId, hash));
  }
}

/** Routes by content hash, or what is wrong with them. */
type Routes = Map<string, RoutesFile | Error>;

/** A content that cannot be read is no reason for the nodes of others to wait. */
async function routesOrFault(
  { routes }: BundleTools,
  tenantId: string,
  contentHash: string,
): Promise<RoutesFile | Error> {
  try {
    return await routes.whole(tenantId, contentHash);
  } catch (error) {
    if (!(error instanceof Error) || (error instanceof Problem && error.code === 'database_unavailable'))
      throw error;
    return error;
  }
}

interface Look {
  readonly now: Date;
  readonly states: readonly DesiredState[];
  /** To whom a bundle is to be issued, or whose apply may begin. */
  readonly due: ReadonlySet<string>;
  readonly signing: Signing;
  readonly bundles: ReadonlyMap<string, IssuedBundle>;
}

async function look(tx: TenantTx, secrets: SecretBox, ids: readonly string[]): Promise<Look> {
  const now = await databaseTime(tx);
  const agents = await listAgentStates(tx, ids);
  const { states, signing } = await desiredStates(tx, secrets, agents, now);
  const due = new Set([
    ...agents.filter((agent) => agent.has_applies).map(({ id }) => id),
    ...states.filter(({ needsBundle }) => needsBundle).map(({ agent }) => agent.id),
  ]);
  const issued = states.flatMap(({ agent: { id, bundle } }) =>
    bundle === null ? [] : [[id, bundle] as const],
  );
  return { now, states, due, signing, bundles: new Map(issued) };
}

/** Issues what is due and whose routes are at hand, and notes which applies that carries, or that it cannot be. */
async function issue(
  tx: TenantTx,
  secrets: SecretBox,
  { now, states, signing }: Look,
  routes: Routes,
): Promise<void> {
  const carried = states.filter(({ needsBundle }) => !needsBundle).map(({ agent }) => agent.id);
  const due = states.filter(({ revision, needsBundle }) => needsBundle && routes.has(revision.content_hash));
  const pair = due.length === 0 ? null : await activeSigningKey(tx, secrets, signing.announced);
  for (const state of due) {
    const file = routes.get(state.revision.content_hash)!;
    if (file instanceof Error) await failUnbound(tx, state.agent.id, unreadable(state, file));
    else {
      await issueOne(tx, secrets, { state, routes: file, signing, pair: pair!, now });
      carried.push(state.agent.id);
      // Hashing a large bundle holds the event loop for some milliseconds.
      await nextTurn();
    }
  }
  await bindAgentApplies(tx, carried);
}

function unreadable({ revision }: DesiredState, { message }: Error): string {
  return `Revision ${revision.number} cannot be read: ${message}. Refresh a module to build another one, and apply that.`;
}

interface Issue {
  readonly state: DesiredState;
  readonly routes: RoutesFile;
  readonly signing: Signing;
  readonly pair: SigningKeyPair;
  readonly now: Date;
}

async function issueOne(
  tx: TenantTx,
  secrets: SecretBox,
  { state, routes, signing, pair, now }: Issue,
): Promise<void> {
  const { agent, revision, fingerprint } = state;
  const speaker = await state.document();
  const { bundle: before } = agent;
  const isSame = before?.fingerprint.equals(fingerprint) === true;
  const sequence = isSame ? before.sequence : nextSequence(before, now);
  const expiresAt = new Date(now.getTime() + signing.validSeconds * 1_000).toISOString();
  const manifest = makeManifest(
    {
      tenant_id: tx.tenantId,
      speaker_id: agent.id,
      sequence,
      revision_id: revision.id,
      revision_number: revision.number,
      content_hash: revision.content_hash,
      issued_at: now.toISOString(),
      expires_at: expiresAt,
      key_id: pair.keyId,
      announced_keys: signing.announced.map(({ key_id, public_key, not_before, not_after }) => ({
        ...{ key_id, not_before, not_after },
        public_key: public_key.toString('base64'),
      })),
    },
    digestOf(speaker),
    routes,
  );
  const text = { ...signManifest(manifest, pair), speaker };
  const { sha256, length } = digestPieces(packBundle({ ...text, routes: routes.bytes }));
  await putBundle(tx, secrets, {
    speaker_id: agent.id,
    sequence,
    issue: isSame ? before.issue + 1 : 1,
    revision_id: revision.id,
    expires_at: expiresAt,
    length,
    sha256: Buffer.from(sha256, 'hex'),
    fingerprint,
    keys_hash: signing.keysHash,
    text,
  });
}

/**
 * Seconds since 1970, or one more than before: it also rises over a database that was restored from a backup, whose nodes would refuse
 * everything for an old one otherwise.
 */
function nextSequence(before: IssuedBundle | null, now: Date): number {
  return Math.max((before?.sequence ?? 0) + 1, Math.floor(now.getTime() / 1_000));
}

/** What the API shows of a bundle. */
export function describeBundle(speakerId: string, bundle: IssuedBundle): LatestBundle {
  const {
    sequence,
    issue: issued,
    revision_id,
    revision_number,
    content_hash,
    length,
    sha256,
    expires_at,
  } = bundle;
  const query = `sequence=${sequence}&issue=${issued}`;
  return {
    ...{ speaker_id: speakerId, sequence, revision_id, revision_number, content_hash },
    bundle: { url: `/v1/speakers/${speakerId}/bundle/${revision_id}?${query}`, length, sha256 },
    expires_at,
  };
}

/** The entity tag of {@link describeBundle}'s answer, and of the whole bundle. */
export function bundleTag({ sequence, sha256 }: IssuedBundle): string {
  return `"${sequence}-${sha256.slice(0, 16)}"`;
}
