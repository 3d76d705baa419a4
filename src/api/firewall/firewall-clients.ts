/** Firewall clients: Linux hosts that take lists into their packet filter, how they join, and what they report. */
import { Type, type Static } from 'typebox';
import { SigningKey } from '../nodes/bundles.ts';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { MAXIMUM_TOKEN_SECONDS } from '../nodes/nodes.ts';
import { Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from '../shapes/page.ts';

export const FirewallPolicy = Type.Enum(['block', 'accept'], {
  description:
    '`block`: what no rule names passes. `accept`: only what a rule accepts passes, in both directions, beside what protects the host',
});
export type FirewallPolicy = Static<typeof FirewallPolicy>;

export const Cidr = Type.String({
  minLength: 1,
  maxLength: 50,
  description: 'A network, or one address, such as `192.0.2.0/24` or `2001:db8::1`',
  examples: ['192.0.2.0/24'],
});

const Hostname = Type.String({ minLength: 1, maxLength: 253, description: 'Host name of the machine' });
const ClientVersion = Type.String({ minLength: 1, maxLength: 100, description: 'Of the program' });
const RULESET_HASH = '^[0-9a-f]{64}$';
export const RulesetHash = Type.String({
  pattern: RULESET_HASH,
  description: 'SHA-256 of what a ruleset does: equal rulesets have equal hashes',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60'],
});
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** What a rule has matched on the host since its counter began. */
export const FirewallRuleCounter = Strict({ rule_id: Id, packets: Count, bytes: Count });
export type FirewallRuleCounter = Static<typeof FirewallRuleCounter>;

const writable = {
  name: Name('Unique in the tenant, without case'),
  policy: FirewallPolicy,
  protected: Type.Array(Cidr, {
    maxItems: 1_000,
    uniqueItems: true,
    description: 'Networks that no rule cuts off from the host, such as those that it is administered from',
  }),
};

export const FirewallClientStatus = Type.Enum(['pending', 'applied', 'failed', 'reverted'], {
  description:
    '`pending`: it has applied nothing yet; `failed`: it could not apply the last ruleset; `reverted`: it went back, because it ' +
    'could not reach the service with the last ruleset. In both cases the ruleset before stays in force',
});

export const FirewallClient = Strict({
  ...resourceMembers,
  ...writable,
  hostname: Hostname,
  version: Nullable(ClientVersion, 'Of the program, as it reported; null: not yet'),
  last_seen_at: Nullable(
    Timestamp,
    'When it last reported, or asked what it is to apply, to within seconds; null: it has never reported',
  ),
  online: Type.Boolean({ description: 'Whether it was seen in the last 35 seconds' }),
  ruleset_hash: Nullable(RulesetHash, 'Of the ruleset that it was last given; null: none yet'),
  applied_ruleset_hash: Nullable(RulesetHash, 'Of the ruleset that its kernel holds; null: none'),
  wanted_ruleset_hash: Type.Optional(
    Type.String({
      pattern: RULESET_HASH,
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60'],
      description:
        'With `wanted=true`: of the ruleset that it is to apply by the rules and the latest revision. A client whose kernel holds another one has not all of it yet',
    }),
  ),
  status: FirewallClientStatus,
  last_error: Nullable(Type.String(), 'Why the last ruleset is not in force, and what to do; null: it is'),
  counters: Type.Array(FirewallRuleCounter, { description: 'What each rule has matched there' }),
});
export type FirewallClient = Static<typeof FirewallClient>;

export const FirewallClientPatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type FirewallClientPatch = Static<typeof FirewallClientPatch>;

export const FirewallClientQuery = listQuery({
  policy: Type.Optional(FirewallPolicy),
  status: Type.Optional(FirewallClientStatus),
  q: Type.Optional(SearchText),
  wanted: Type.Optional(Type.Boolean({ description: 'Adds what each client is to apply now' })),
});
export type FirewallClientQuery = Static<typeof FirewallClientQuery>;

export const FirewallTokenCreate = Strict({
  policy: Type.Optional(
    Type.Enum(['block', 'accept'], { description: 'Policy of the new client; default: `block`' }),
  ),
  client_id: Type.Optional(
    Nullable(
      Id,
      'A client that enrolls again, on a machine that was set up again; null or absent: a new client',
    ),
  ),
  valid_seconds: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: MAXIMUM_TOKEN_SECONDS,
      default: 3_600,
      description: 'How long it is valid',
    }),
  ),
});
export type FirewallTokenCreate = Static<typeof FirewallTokenCreate>;

export const FirewallEnroll = Strict({
  name: Type.Optional(
    Name('Unique in the tenant; default: the host name, with a number where a client has it already'),
  ),
  hostname: Hostname,
  version: ClientVersion,
});
export type FirewallEnroll = Static<typeof FirewallEnroll>;

export const FirewallEnrolled = Strict({
  tenant_id: Id,
  client_id: Id,
  client: Strict({ name: writable.name, policy: FirewallPolicy }),
  api_key: Strict({
    id: Id,
    secret: Type.String({
      description: 'The key that the client uses from now on, shown only in this answer',
    }),
  }),
  signing_keys: Type.Array(SigningKey, { description: 'The keys whose signatures the client trusts' }),
});
export type FirewallEnrolled = Static<typeof FirewallEnrolled>;

export const FirewallApplyStatus = Strict({
  ruleset_hash: Nullable(RulesetHash, 'Of the ruleset that the kernel holds; null: none'),
  status: Type.Enum(['applied', 'failed', 'reverted'], {
    description: 'How the last attempt ended; `failed` and `reverted`: what was in force before is again',
  }),
  error: Nullable(Type.String({ maxLength: 4_000 }), 'Why it is not in force; null: it is'),
  highest_sequence: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      'Of the rulesets that it has verified: it takes none with a lower one; null: none yet',
    ),
  ),
  hostname: Hostname,
  version: ClientVersion,
  counters: Type.Array(FirewallRuleCounter, { maxItems: 2_000 }),
});
export type FirewallApplyStatus = Static<typeof FirewallApplyStatus>;

export const FirewallApplyStatusTaken = Strict({
  ruleset_hash: Nullable(RulesetHash, 'Of the ruleset that the client was last given; null: none yet'),
});
export type FirewallApplyStatusTaken = Static<typeof FirewallApplyStatusTaken>;

export const FirewallInstallContext = Strict({
  control_plane_url: Type.String({ description: 'Where clients reach the service' }),
  control_plane_url_source: Type.Enum(['app_public_url', 'request'], {
    description: '`request`: APP_PUBLIC_URL is not set, so this is what the request came by',
  }),
  configuration: Strict({
    ready: Type.Boolean({ description: 'Whether a client that enrolls now would work' }),
    missing: Type.Array(Type.String(), { description: 'What to do first' }),
  }),
  bundle_seed: Type.Array(SigningKey, {
    description: 'The public keys that a client pins: it takes no ruleset that another key signed',
  }),
  install_command: Type.String({
    description: 'What to run on the host as root, with an enrollment token in place of TOKEN',
  }),
});
export type FirewallInstallContext = Static<typeof FirewallInstallContext>;
