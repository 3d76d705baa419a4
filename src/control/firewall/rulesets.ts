/** What each firewall client must apply: made when it asks, signed like bundles, and sent as a difference where possible. */
import type { FirewallRule } from '../../api/firewall/firewall-rules.ts';
import { hashOfRuleset, signRuleset, type RulesetContent, type RulesetRule } from '../../bundle/ruleset.ts';
import { inPieces } from '../../concurrency/paced-text.ts';
import { FAMILIES } from '../../core/address.ts';
import { formatLines } from '../../core/prefix-format.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import { writeScript, type ScriptSet } from '../../nftables/script.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import { giveRuleset, listRuledClients, type RuledClient } from '../../store/firewall/firewall-clients.ts';
import { listRulesToApply } from '../../store/firewall/firewall-rules.ts';
import {
  findLatestReadyRevision,
  findRevision,
  type StoredRevision,
} from '../../store/revisions/stored-revisions.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import type { SigningKeyRow } from '../../store/nodes/signing-keys.ts';
import { signingOf, type Signing } from '../nodes/desired-states.ts';
import { activeSigningKey, signingKeys } from '../nodes/signing-keys.ts';
import { differenceOf } from '../tables/difference-threads.ts';
import type { RuleContents } from './rule-contents.ts';

/** Channel with hints of triggers that clients may have something else to apply. */
export const FIREWALL_CHANNEL = 'prefixcast_firewall';

/** Prefixes that are written at once. */
const SLICE = 2_048;

/** What making rulesets takes beside the question for whom. */
export interface RulesetTools {
  readonly db: Database;
  readonly secrets: SecretBox;
  readonly contents: RuleContents;
}

/** What a client is to apply. */
export interface IssuedRuleset {
  readonly clientId: string;
  readonly sequence: number;
  readonly hash: string;
  readonly content: RulesetContent;
  readonly revision: StoredRevision | null;
  /** In the order of the content's rules. */
  readonly rules: readonly FirewallRule[];
  readonly keysHash: string;
}

/** Of several clients, by id; those that do not exist are missing. What has not changed costs nothing to be looked at again. */
export async function latestRulesets(
  tools: RulesetTools,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, IssuedRuleset>> {
  const { db, secrets, contents } = tools;
  const { ruled, keysHash } = await db.inTenant(tenantId, async (tx) => ({
    ruled: await readRuled(tx, ids),
    keysHash: (await readSigning(tx, secrets)).signing.keysHash.toString('hex'),
  }));
  const issued = new Map<string, IssuedRuleset>();
  for (const [clientId, { client, ...wanted }] of await rulesetsOf(contents, tenantId, ruled)) {
    const { sequence, hash: before } = client;
    const { hash: name } = wanted;
    const given =
      name === before ? sequence : await db.inTenant(tenantId, (tx) => giveRuleset(tx, clientId, name));
    if (given === null) continue; // deleted while its ruleset was made
    issued.set(clientId, { clientId, sequence: given, ...wanted, keysHash });
  }
  return issued;
}

/** What a client should apply, whether it was given that or not. */
interface WantedRuleset extends Pick<IssuedRuleset, 'hash' | 'content' | 'revision' | 'rules'> {
  readonly client: RuledClient;
}

/** Of several clients, by id; those that do not exist are missing. */
export async function wantedRulesets(
  { db, contents }: Pick<RulesetTools, 'db' | 'contents'>,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WantedRuleset>> {
  const ruled = await db.inTenant(tenantId, (tx) => readRuled(tx, ids));
  return rulesetsOf(contents, tenantId, ruled);
}

/** What rulesets are made from. */
interface Ruled {
  readonly clients: readonly RuledClient[];
  readonly rules: readonly FirewallRule[];
  readonly revision: StoredRevision | null;
}

async function readRuled(tx: TenantTx, ids: readonly string[]): Promise<Ruled> {
  return {
    clients: await listRuledClients(tx, ids),
    rules: await listRulesToApply(tx),
    revision: await findLatestReadyRevision(tx),
  };
}

async function rulesetsOf(
  contents: RuleContents,
  tenantId: string,
  { clients, rules, revision }: Ruled,
): Promise<ReadonlyMap<string, WantedRuleset>> {
  const isWanted = ({ client_ids: of }: FirewallRule): boolean =>
    of.length === 0 || clients.some(({ id }) => of.includes(id));
  const made = new Map<string, RulesetRule>();
  for (const rule of rules.filter(isWanted)) {
    const { ipv4, ipv6 } = await contents.names(tenantId, revision, rule);
    const { id, name, action, direction, protocol, ports } = rule;
    made.set(id, { id, name, action, direction, protocol, ports, ipv4, ipv6 });
  }
  const wanted = new Map<string, WantedRuleset>();
  for (const client of clients) {
    const { id: clientId, policy, protected: kept } = client;
    const own = rules.filter(({ client_ids: of }) => of.length === 0 || of.includes(clientId));
    const content = { policy, protected: kept, rules: own.map(({ id }) => made.get(id)!) };
    wanted.set(clientId, { client, hash: hashOfRuleset(content), content, revision, rules: own });
  }
  return wanted;
}

/** A client also receives other keys. */
export function rulesetTag({ sequence, hash: name, keysHash }: IssuedRuleset): string {
  return `"${sequence}-${name.slice(0, 16)}-${keysHash.slice(0, 8)}"`;
}

async function readSigning(
  tx: TenantTx,
  secrets: SecretBox,
): Promise<{ readonly keys: readonly SigningKeyRow[]; readonly signing: Signing; readonly now: Date }> {
  const now = await databaseTime(tx);
  const keys = await signingKeys(tx, secrets);
  return { keys, signing: signingOf(keys, await getSetting(tx, 'bundle_valid_hours'), now), now };
}

/** What is signed of the ruleset. */
async function sign(
  { db, secrets }: RulesetTools,
  tenantId: string,
  { clientId, sequence, content, revision }: IssuedRuleset,
): Promise<{ readonly manifest: string; readonly signature: string }> {
  return db.inTenant(tenantId, async (tx) => {
    const { keys, signing, now } = await readSigning(tx, secrets);
    const pair = await activeSigningKey(tx, secrets, keys);
    const claims = {
      ...{ tenant_id: tenantId, client_id: clientId, sequence, ...content },
      protected: [...content.protected],
      rules: [...content.rules],
      revision_id: revision?.id ?? null,
      issued_at: now.toISOString(),
      expires_at: new Date(now.getTime() + signing.validSeconds * 1_000).toISOString(),
      key_id: pair.keyId,
      announced_keys: signing.announced.map(({ key_id, public_key, not_before, not_after }) => ({
        ...{ key_id, not_before, not_after },
        public_key: public_key.toString('base64'),
      })),
    };
    return signRuleset(claims, pair);
  });
}

interface SentSet {
  readonly hash: string;
  readonly base: string | null;
  readonly added: PrefixSet;
  readonly removed: PrefixSet | null;
}

/**
 * The ruleset as JSON text, in pieces.
 * @param from a revision of which the client may have the sets; one that is gone changes nothing but the length
 */
export async function* writeRulesetJson(
  tools: RulesetTools,
  tenantId: string,
  ruleset: IssuedRuleset,
  from: string | null,
): AsyncGenerator<string> {
  const { clientId: client_id, sequence, hash: ruleset_hash, revision } = ruleset;
  const sets = await setsToSend(tools, tenantId, ruleset, from);
  const { manifest, signature } = await sign(tools, tenantId, ruleset);
  const revision_id = revision?.id ?? null;
  const head = { client_id, ruleset_hash, sequence, revision_id, manifest, signature };
  yield* inPieces(tenantId, writeJson(head, sets));
}

function* writeJson(head: object, sets: readonly SentSet[]): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"sets":[`;
  let separator = '';
  for (const { hash: name, base, added, removed } of sets) {
    yield `${separator}{"hash":${JSON.stringify(name)},"base":${JSON.stringify(base)},"added":[`;
    yield* quoted(added);
    yield '],"removed":[';
    if (removed !== null) yield* quoted(removed);
    yield ']}';
    separator = ',';
  }
  yield ']}';
}

async function setsToSend(
  { db, contents }: RulesetTools,
  tenantId: string,
  { rules, revision }: IssuedRuleset,
  from: string | null,
): Promise<SentSet[]> {
  const before =
    from === null ? null : await db.inTenant(tenantId, (tx) => findRevision(tx, from.toLowerCase()));
  const sent = new Map<string, SentSet>();
  for (const rule of rules) {
    const sets = await contents.sets(tenantId, revision, rule);
    const base = before === null ? null : await contents.sets(tenantId, before, rule).catch(() => null);
    for (const family of FAMILIES) {
      const { hash: name, set } = sets[family];
      if (set.size === 0 || sent.has(name)) continue;
      const known = base?.[family] ?? null;
      if (known === null || known.set.size === 0)
        sent.set(name, { hash: name, base: null, added: set, removed: null });
      else sent.set(name, { hash: name, base: known.hash, ...(await differenceOf(known.set, set)) });
    }
  }
  return [...sent.values()];
}

/** A script for `nft -f`, with what was signed as a comment. */
export async function* writeRulesetScript(
  tools: RulesetTools,
  tenantId: string,
  ruleset: IssuedRuleset,
): AsyncGenerator<string> {
  const sets: ScriptSet[] = [];
  for (const [index, rule] of ruleset.rules.entries()) {
    const { ipv4, ipv6 } = await tools.contents.sets(tenantId, ruleset.revision, rule);
    sets.push({ rule: ruleset.content.rules[index]!, ipv4: ipv4.set, ipv6: ipv6.set });
  }
  const { manifest, signature } = await sign(tools, tenantId, ruleset);
  yield `# manifest ${manifest}\n# signature ${signature}\n`;
  const script = { ...ruleset.content, hash: ruleset.hash, sets, local: NOTHING_LOCAL };
  yield* inPieces(tenantId, writeScript(script));
}

/** Addresses that only the host knows. */
const NOTHING_LOCAL = { control: [], sessions: [], resolvers: [], connections: [] };

function* quoted(set: PrefixSet): Generator<string> {
  for (let at = 0; at < set.size; at += SLICE) {
    const lines = Buffer.from(formatLines(set, at, Math.min(set.size, at + SLICE))).toString('latin1');
    yield `${at === 0 ? '' : ','}"${lines.trimEnd().replaceAll('\n', '","')}"`;
  }
}
