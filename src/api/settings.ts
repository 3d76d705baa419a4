import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { Id, Nullable, Strict } from './page.ts';

const PrefixText = Type.String({ minLength: 1, maxLength: 64 });

/** Every setting that something reads: what it may be, what holds where the tenant has not set it, and what it does. */
export const SETTINGS = {
  default_community_id: {
    schema: Nullable(Id),
    default: null,
    description: 'Community of modules that have none of their own; null: their routes carry none',
  },
  auto_apply: {
    schema: Type.Boolean(),
    default: true,
    description: 'A revision of other content queues an apply',
  },
  auto_revision: {
    schema: Type.Boolean(),
    default: true,
    description:
      'Edits that change what is announced lead to a revision by themselves, new and edited entries are collected for it; false: ' +
      'they wait for a refresh or POST /v1/revisions',
  },
  guard_allow_default_route: {
    schema: Type.Boolean(),
    default: false,
    description: 'Lets 0.0.0.0/0, ::/0 and sets that cover a whole family through',
  },
  guard_max_coverage_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    default: 50,
    description:
      "How much of a family's unicast space may be covered, before exclusions as well; from 90 % on it is a default route",
  },
  guard_scope: {
    schema: Type.Enum(['module', 'revision']),
    default: 'module',
    description:
      'What is held when a module breaks a guardrail by itself: the module, and the revision has what was accepted of it before; or ' +
      'the revision',
  },
  guard_min_prefix_length_ipv4: {
    schema: Type.Integer({ minimum: 0, maximum: 32 }),
    default: 8,
    description: 'A shorter IPv4 prefix holds the revision',
  },
  guard_min_prefix_length_ipv6: {
    schema: Type.Integer({ minimum: 0, maximum: 128 }),
    default: 19,
    description: 'A shorter IPv6 prefix holds the revision',
  },
  guard_bogons: {
    schema: Type.Enum(['drop', 'allow']),
    default: 'drop',
    description:
      'Special-purpose addresses (RFC 6890 and successors): dropped out of sources and refused as ranges, or allowed',
  },
  guard_protected_prefixes: {
    schema: Type.Array(PrefixText, { maxItems: 1_000, uniqueItems: true }),
    default: [] as string[],
    description:
      'Prefixes that are never announced, not in part either. The addresses of speakers, peers, resolvers, the service and its ' +
      'database always belong to them',
  },
  guard_max_change_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    default: 30,
    description:
      "How much of what was accepted of a module's unchanged entries may appear or vanish by itself, in " +
      'prefixes or covered addresses, of a family; 100 prefixes where they were fewer than 100',
  },
  guard_max_withdraw_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    default: 50,
    description:
      "How much of a speaker's routes edits of operators may take away at once, in prefixes or covered addresses, of a family; " +
      'where there are fewer than 100 prefixes, all',
  },
  guard_empty_result: {
    schema: Type.Enum(['keep', 'allow']),
    default: 'keep',
    description:
      'An entry that had prefixes and now has none keeps the last good ones and turns stale, unless its module has `can_be_empty`; or becomes empty',
  },
  guard_stale_max_hours: {
    schema: Type.Integer({ minimum: 1, maximum: 87_600 }),
    default: 168,
    description: 'Prefixes of an entry that was not read with success for longer are stale',
  },
  guard_stale_action: {
    schema: Type.Enum(['alert', 'drop']),
    default: 'alert',
    description: 'What is stale stays with a warning at the revision, or leaves with the next revision',
  },
  guard_max_prefixes: {
    schema: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    default: 1_000_000,
    description: 'A revision of more prefixes, both families together, is held',
  },
  guard_no_export: {
    schema: Type.Boolean(),
    default: true,
    description: 'Every route also carries NO_EXPORT (RFC 1997)',
  },
  bgp_source_ipv4: {
    schema: Nullable(Type.String({ format: 'ipv4' })),
    default: null,
    description:
      'Address that speakers call IPv4 peers from where neither the speaker nor its `policies_json` names one; null: the system chooses',
  },
  bgp_source_ipv6: {
    schema: Nullable(Type.String({ format: 'ipv6' })),
    default: null,
    description:
      'Address that speakers call IPv6 peers from where neither the speaker nor its `policies_json` names one; null: the system chooses',
  },
  deploy_canary_speaker_ids: {
    schema: Type.Array(Id, { maxItems: 100, uniqueItems: true }),
    default: [] as string[],
    description: 'Speakers that an apply goes to first',
  },
  deploy_canary_soak_seconds: {
    schema: Type.Integer({ minimum: 0, maximum: 86_400 }),
    default: 60,
    description:
      'How long the sessions of canaries must stay up, with the counts expected, before the others follow',
  },
  deploy_wave_size: {
    schema: Type.Integer({ minimum: 0, maximum: 10_000 }),
    default: 0,
    description:
      'An apply goes to so many speakers at once, and on to the next when these have ended; 0: to all at once',
  },
  deploy_wave_max_failures: {
    schema: Type.Integer({ minimum: 0, maximum: 10_000 }),
    default: 0,
    description: 'When more speakers of an apply have failed, the waves after that are skipped',
  },
  deploy_max_failed_peers_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    default: 50,
    description:
      'When more of the peers that were well before an apply do not bear it, the speaker is taken back as a whole; else those peers alone',
  },
  deploy_calm_milliseconds: {
    schema: Type.Integer({ minimum: 0, maximum: 10_000 }),
    default: 3_500,
    description:
      'An apply stays once all has been well for so long where something changed; BIRD may take three seconds to say that it has a route too many',
  },
  deploy_confirm_timeout_seconds: {
    schema: Type.Integer({ minimum: 5, maximum: 3_600 }),
    default: 60,
    description: 'A daemon returns to its old configuration by itself unless the apply is confirmed in time',
  },
  deploy_freeze: {
    schema: Type.Boolean(),
    default: false,
    description: 'Stops every apply, those that refreshes queue too',
  },
  bundle_valid_hours: {
    schema: Type.Integer({ minimum: 1, maximum: 8_760 }),
    default: 168,
    description:
      'So long after it was signed a node takes a bundle. What it took it goes on announcing; bundles are signed anew in time',
  },
  revision_retention_minutes: {
    schema: Type.Integer({ minimum: 1, maximum: 5_256_000 }),
    default: 43_200,
    description:
      'A prune removes revisions that are older, but never the latest, a pinned one, or one that a speaker runs',
  },
} as const satisfies Record<string, { schema: TSchema; default: unknown; description: string }>;

type Table = typeof SETTINGS;
export type SettingKey = keyof Table;
export type Settings = { readonly [K in SettingKey]: Static<Table[K]['schema']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** Keys of the tenant's own, beside those of {@link SETTINGS}; those that begin with `runtime_logs_` are for the cleanup of logs. */
export const SETTING_KEY_PATTERN = '^[a-z][a-z0-9_]{0,63}$';
export const MAXIMUM_SETTINGS = 1_000;
/** Of a value of such a key, as JSON. */
export const MAXIMUM_SETTING_BYTES = 16 * 1024;

/** An object with a member for every known key, and any others whose names may be keys. */
function ofEveryKey(memberOf: (schema: TSchema, key: SettingKey) => TSchema): TObject {
  const members = SETTING_KEYS.map((key) => [key, memberOf(SETTINGS[key].schema, key)] as const);
  return Type.Object(Object.fromEntries(members), {
    additionalProperties: false,
    patternProperties: { [SETTING_KEY_PATTERN]: {} },
  });
}

export const SettingsAnswer = Strict({
  settings: ofEveryKey((schema, key) => ({ ...schema, description: SETTINGS[key].description })),
  known: Type.Array(
    Strict({
      key: Type.String(),
      type: Type.String({ description: 'boolean, integer, a list, an id, or the values allowed' }),
      default: Type.Unknown(),
      minimum: Nullable(Type.Number()),
      maximum: Nullable(Type.Number()),
      description: Type.String(),
    }),
  ),
  hints: Type.Array(Strict({ key: Type.String(), did_you_mean: Type.String() }), {
    description: 'Keys that mean nothing to the service although they look like one that does',
  }),
});
export interface SettingsAnswer {
  settings: Settings & Record<string, unknown>;
  known: {
    key: string;
    type: string;
    default: unknown;
    minimum: number | null;
    maximum: number | null;
    description: string;
  }[];
  hints: { key: string; did_you_mean: string }[];
}

/** `null` puts a known setting back to its default, and removes any other. */
export const SettingsPatch = Type.Partial(
  ofEveryKey((schema, key) => ({
    ...(SETTINGS[key].default === null ? schema : Nullable(schema)),
    description: SETTINGS[key].description,
  })),
  {
    additionalProperties: false,
    patternProperties: { [SETTING_KEY_PATTERN]: {} },
    minProperties: 1,
    maxProperties: MAXIMUM_SETTINGS,
  },
);
export type SettingsPatch = { readonly [K in SettingKey]?: Settings[K] | null } & Readonly<
  Record<string, unknown>
>;
