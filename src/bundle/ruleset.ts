/**
 * Rulesets of firewall clients: a signed manifest that names every rule, and the sets of prefixes by their hashes. It corresponds to a
 * bundle's `manifest.json`; the prefixes are sent beside it, whole or as a difference, and are trusted once their hash matches the signed
 * one.
 */
import { createHash, hash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { FirewallPolicy } from '../api/firewall/firewall-clients.ts';
import { FirewallAction, FirewallDirection, FirewallProtocol } from '../api/firewall/firewall-rules.ts';
import type { FirewallRuleset, RulesetElements } from '../api/firewall/firewall-rulesets.ts';
import { FAMILIES, type Family } from '../core/address.ts';
import { lazily } from '../core/lazily.ts';
import { parsePrefix } from '../core/prefix.ts';
import { linesOf } from '../core/prefix-format.ts';
import { PrefixSetBuilder, emptySet, subtract, union, type PrefixSet } from '../core/sets/prefix-set.ts';
import { BundleError, corrupt } from './bundle-error.ts';
import { canonicalJson, parseCanonicalJson } from './canonical-json.ts';
import { AnnouncedKeys, KeyId, Sha256, Time, Uuid } from './manifest.ts';
import { requireSignature } from './open-bundle.ts';
import { signBytes, type SigningKeyPair, type TrustedKey } from './signing-key.ts';

const FORMAT = 1;
const TYPE = 'prefixcast-firewall-ruleset';

const strict = { additionalProperties: false };
const SetName = Type.Object({ hash: Sha256, size: Type.Integer({ minimum: 0 }) }, strict);

const Rule = Type.Object(
  {
    id: Uuid,
    name: Type.String({ maxLength: 200 }),
    action: FirewallAction,
    direction: FirewallDirection,
    protocol: FirewallProtocol,
    ports: Type.Array(Type.String({ pattern: '^[0-9]{1,5}(-[0-9]{1,5})?$' }), { maxItems: 100 }),
    ipv4: SetName,
    ipv6: SetName,
  },
  strict,
);
export type RulesetRule = Readonly<Static<typeof Rule>>;

const Content = {
  policy: FirewallPolicy,
  protected: Type.Array(Type.String({ maxLength: 50 }), { maxItems: 1_000 }),
  rules: Type.Array(Rule, { maxItems: 2_000 }),
};

/** The content of a ruleset. Its hash is the hash of the ruleset. */
export interface RulesetContent {
  readonly policy: FirewallPolicy;
  /** Networks that no rule may block. */
  readonly protected: readonly string[];
  /** In the order in which they apply. */
  readonly rules: readonly RulesetRule[];
}

const RulesetManifest = Type.Object(
  {
    format: Type.Literal(FORMAT),
    type: Type.Literal(TYPE),
    tenant_id: Uuid,
    client_id: Uuid,
    /** Higher than that of every earlier content of the client. */
    sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    /** The revision that the sets come from; null: there was none. */
    revision_id: Type.Union([Uuid, Type.Null()]),
    issued_at: Time,
    expires_at: Time,
    key_id: KeyId,
    announced_keys: AnnouncedKeys,
    ...Content,
  },
  strict,
);
export type RulesetManifest = Readonly<Static<typeof RulesetManifest>>;
export type RulesetClaims = Omit<RulesetManifest, 'format' | 'type'>;

const check = lazily(() => Compile(RulesetManifest));

export function hashOfRuleset({ policy, protected: kept, rules }: RulesetContent): string {
  return hash('sha256', canonicalJson({ policy, protected: kept, rules }));
}

/** SHA-256 of the prefixes, one a line. */
export function hashOfSet(set: PrefixSet): string {
  const digest = createHash('sha256');
  for (const lines of linesOf(set)) digest.update(lines);
  return digest.digest('hex');
}

/** The text of the manifest, and its signature in base64. */
export function signRuleset(
  claims: RulesetClaims,
  key: SigningKeyPair,
): { readonly manifest: string; readonly signature: string } {
  const manifest = canonicalJson({ format: FORMAT, type: TYPE, ...claims });
  return { manifest, signature: signBytes(key, Buffer.from(manifest)).toString('base64') };
}

/** What a client knows beforehand. */
export interface RulesetReader {
  readonly trusted: readonly TrustedKey[];
  readonly tenantId: string;
  readonly clientId: string;
  /** The highest sequence that was ever accepted; null: none was. */
  readonly highestSequence: number | null;
  /** Null: it was valid when it was accepted, and its age no longer matters. */
  readonly now: Date | null;
  /** Available sets, by hash, from which differences may start. */
  readonly known: ReadonlyMap<string, PrefixSet>;
}

export interface OpenedRuleset {
  readonly manifest: RulesetManifest;
  readonly hash: string;
  /** Every set that the manifest names, by hash. */
  readonly sets: ReadonlyMap<string, PrefixSet>;
}

/**
 * Verifies a ruleset and reads it. Its content is not trusted before the signature was verified.
 * @throws {BundleError}
 */
export function openRuleset(answer: Signed, reader: RulesetReader): OpenedRuleset {
  const bytes = Buffer.from(answer.manifest);
  const claimed = parseCanonicalJson(bytes, 'the ruleset');
  const signature = Buffer.from(answer.signature, 'base64');
  requireSignature(claimed, bytes, signature, reader.trusted, reader.now ?? new Date(0));
  if (!check().Check(claimed)) throw corrupt('the ruleset says something unknown');
  refuseUnfit(claimed, reader);
  return {
    manifest: claimed,
    hash: hashOfRuleset(claimed),
    sets: readSets(claimed, answer.sets, reader.known),
  };
}

/** The members of an answer that are read. */
export type Signed = Pick<FirewallRuleset, 'manifest' | 'signature' | 'sets'>;

/** @throws {BundleError} `bundle_foreign`, `bundle_replayed`, `bundle_expired` */
function refuseUnfit(
  { tenant_id: tenantId, client_id: clientId, sequence, expires_at: expiresAt }: RulesetManifest,
  reader: RulesetReader,
): void {
  if (tenantId !== reader.tenantId || clientId !== reader.clientId)
    throw new BundleError(
      'bundle_foreign',
      `The ruleset is for the client ${clientId} of the tenant ${tenantId}, not for ${reader.clientId} of ${reader.tenantId}.`,
    );
  if (reader.highestSequence !== null && sequence < reader.highestSequence)
    throw new BundleError(
      'bundle_replayed',
      `The ruleset has the sequence ${sequence}, and ${reader.highestSequence} was taken before. It is an old one.`,
    );
  if (reader.now !== null && reader.now.getTime() > Date.parse(expiresAt))
    throw new BundleError(
      'bundle_expired',
      `The ruleset expired at ${expiresAt}, and it is ${reader.now.toISOString()}. See that the clock is right.`,
    );
}

function readSets(
  { rules }: RulesetManifest,
  elements: readonly RulesetElements[],
  known: ReadonlyMap<string, PrefixSet>,
): ReadonlyMap<string, PrefixSet> {
  const given = new Map(elements.map((one) => [one.hash, one]));
  const sets = new Map<string, PrefixSet>();
  for (const rule of rules)
    for (const family of FAMILIES) {
      const { hash: name, size } = rule[family];
      if (sets.has(name) && size > 0) continue;
      const set = size === 0 ? emptySet(family) : readSet(family, name, given.get(name), known);
      if (set.size !== size || hashOfSet(set) !== name)
        throw corrupt(`the ${family} prefixes of the rule ${rule.name} are not those that were signed`);
      if (size > 0) sets.set(name, set);
    }
  return sets;
}

function readSet(
  family: Family,
  name: string,
  given: RulesetElements | undefined,
  known: ReadonlyMap<string, PrefixSet>,
): PrefixSet {
  const same = known.get(name);
  if (same !== undefined) return same;
  if (given === undefined) throw corrupt(`the set ${name.slice(0, 16)} is missing`);
  const added = setOf(family, given.added);
  if (given.base === null) return added;
  const base = known.get(given.base);
  if (base === undefined)
    throw new BundleError(
      'base_missing',
      `The set ${name.slice(0, 16)} came as the changes since ${given.base.slice(0, 16)}, which this client does not have. Fetch the whole ruleset.`,
    );
  return union(subtract(base, setOf(family, given.removed)), added);
}

/** @throws {BundleError} `bundle_corrupt` */
function setOf(family: Family, prefixes: readonly string[]): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  for (const text of prefixes) {
    const parsed = parsePrefix(text);
    if (!parsed.ok || parsed.value.family !== family)
      throw corrupt(`${text} is not an ${family === 'ipv4' ? 'IPv4' : 'IPv6'} prefix`);
    builder.add(parsed.value.words, parsed.value.length);
  }
  return builder.build();
}
