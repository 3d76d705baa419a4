import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { Id, Nullable, Strict } from '../shapes/page.ts';

const PrefixText = Type.String({ minLength: 1, maxLength: 64 });

/** Every setting that something reads: what it may be, what holds where the tenant has not set it, and what it does. */
export const SETTINGS = {
  default_community_id: {
    schema: Nullable(Id),
    default: null,
    description: 'Community of modules without one of their own; null: their routes carry none',
  },
  auto_apply: {
    schema: Type.Boolean(),
    default: true,
    description: 'A revision with new content queues an apply',
  },
  auto_revision: {
    schema: Type.Boolean(),
    default: true,
    description:
      'Edits that change the announced routes lead to a revision automatically, after new and edited entries are collected; false: ' +
      'they wait for a refresh or POST /v1/revisions',
  },
  guard_allow_default_route: {
    schema: Type.Boolean(),
    default: false,
    description: 'Allows 0.0.0.0/0, ::/0 and sets that cover a whole family',
  },
  guard_max_coverage_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    default: 50,
    description:
      "Share of a family's unicast space that may be covered, before exclusions as well; 90 % or more counts as a default route",
  },
  guard_scope: {
    schema: Type.Enum(['module', 'revision']),
    default: 'module',
    description:
      'What is held if a module breaks a guardrail by itself: `module` holds the module, and the revision uses its last accepted ' +
      'snapshot; `revision` holds the whole revision',
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
      'Special-purpose addresses (RFC 6890 and successors): `drop` removes them from sources and refuses them as ranges; `allow` allows them',
  },
  guard_protected_prefixes: {
    schema: Type.Array(PrefixText, { maxItems: 1_000, uniqueItems: true }),
    default: [] as string[],
    description:
      'Prefixes that are never announced, whole or in part. The addresses of speakers, peers, resolvers, the service and its database are always protected',
  },
  guard_max_change_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    default: 30,
    description:
      "Share of the accepted prefixes or addresses of a module's unchanged entries that may appear or vanish without an edit, by " +
      'family, of all of them together and of each alone. If there were fewer than 100 prefixes, 100 may appear, and at least half may vanish',
  },
  guard_max_withdraw_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    default: 50,
    description:
      "Share of a speaker's prefixes or addresses that operators' edits may withdraw at once, by family; all of them if there are fewer than 100 prefixes",
  },
  fit_max_added_percent: {
    schema: Type.Number({ minimum: 0, maximum: 1_000 }),
    default: 10,
    description:
      'A feed or a peer with `when_too_many` `fit` keeps what it has if fitting would add more than this share of foreign addresses to its own, by family',
  },
  guard_empty_result: {
    schema: Type.Enum(['keep', 'allow']),
    default: 'keep',
    description:
      'An entry that had prefixes and now has none: `keep` keeps the last good ones and marks the entry stale, unless its module has ' +
      '`can_be_empty`; `allow` empties it',
  },
  guard_max_rejected_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    default: 20,
    description:
      'Share of the lines or values of a source that may be unreadable, without comments and blank lines: of a list with more, and more than two, ' +
      'nothing is taken, and the last good prefixes stay',
  },
  guard_stale_max_hours: {
    schema: Type.Integer({ minimum: 1, maximum: 87_600 }),
    default: 168,
    description: 'Prefixes of an entry that was not read successfully for longer than this are stale',
  },
  guard_stale_action: {
    schema: Type.Enum(['alert', 'drop']),
    default: 'alert',
    description:
      'Stale prefixes: `alert` keeps them with a warning in the revision, `drop` removes them with the next revision',
  },
  guard_max_prefixes: {
    schema: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    default: 1_000_000,
    description: 'A revision with more prefixes, both families together, is held',
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
      'Source address of sessions with IPv4 peers if neither the speaker nor its `policies_json` names one; null: the system chooses',
  },
  bgp_source_ipv6: {
    schema: Nullable(Type.String({ format: 'ipv6' })),
    default: null,
    description:
      'Source address of sessions with IPv6 peers if neither the speaker nor its `policies_json` names one; null: the system chooses',
  },
  bgp_default_hold_time: {
    schema: Type.Integer({ minimum: 3, maximum: 65_535 }),
    default: 90,
    description: 'Hold time in seconds of new peers for which none is given (RFC 4271, section 4.2)',
  },
  bgp_default_router_id: {
    schema: Nullable(Type.String({ format: 'ipv4' })),
    default: null,
    description:
      'BGP identifier of new speakers for which none is given; null: the service chooses one for each',
  },
  bgp_restart_time: {
    schema: Type.Integer({ minimum: 1, maximum: 4_095 }),
    default: 120,
    description:
      'Seconds for which peers with `graceful_restart` are asked to keep routes while the speaker is down (RFC 4724); of builtin and GoBGP speakers',
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
      'How long the sessions of canaries must stay up, with the expected route counts, before the other speakers follow',
  },
  deploy_wave_size: {
    schema: Type.Integer({ minimum: 0, maximum: 10_000 }),
    default: 0,
    description:
      'Number of speakers that an apply goes to at once; the next ones follow when these have ended. 0: all at once',
  },
  deploy_wave_max_failures: {
    schema: Type.Integer({ minimum: 0, maximum: 10_000 }),
    default: 0,
    description: 'If more speakers of an apply have failed, the remaining waves are skipped',
  },
  deploy_max_failed_peers_percent: {
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    default: 50,
    description:
      'If more of the peers that were healthy before an apply cannot take it, the apply is undone for the whole speaker; otherwise ' +
      'only those peers are reverted',
  },
  deploy_calm_milliseconds: {
    schema: Type.Integer({ minimum: 0, maximum: 10_000 }),
    default: 3_500,
    description:
      'How long sessions must be up with all routes before an apply that changes something is confirmed; BIRD may take three seconds ' +
      'to report too many routes',
  },
  deploy_confirm_timeout_seconds: {
    schema: Type.Integer({ minimum: 5, maximum: 3_600 }),
    default: 60,
    description:
      'A daemon returns to its previous configuration by itself unless the apply is confirmed in this time',
  },
  deploy_freeze: {
    schema: Type.Boolean(),
    default: false,
    description: 'Stops every apply, including those that refreshes queue',
  },
  deploy_freeze_reason: {
    schema: Nullable(Type.String({ maxLength: 500 })),
    default: null,
    description: 'Why `deploy_freeze` is on, for others who meet it; the end of the freeze takes it away',
  },
  bundle_valid_hours: {
    schema: Type.Integer({ minimum: 1, maximum: 8_760 }),
    default: 168,
    description:
      'How long after its signature a node accepts a bundle. It keeps announcing what it has accepted; bundles are signed again in time',
  },
  revision_retention_minutes: {
    schema: Type.Integer({ minimum: 1, maximum: 5_256_000 }),
    default: 43_200,
    description:
      'A prune removes older revisions, but never the latest, a pinned one, or one that a speaker runs',
  },
  removed_retention_days: {
    schema: Type.Integer({ minimum: 1, maximum: 3_650 }),
    default: 30,
    description:
      'How long deleted modules and removed entries can be restored. Older ones are forgotten within an hour',
  },
  runtime_logs_auto_enabled: {
    schema: Type.Boolean(),
    default: false,
    description:
      'Cleans log files by `runtime_logs_auto_schedule`; read from the settings of the home tenant',
  },
  runtime_logs_auto_schedule: {
    schema: Type.String({ maxLength: 100 }),
    default: '0 3 * * *',
    description:
      'When log files are cleaned: minute, hour, day of the month, month and weekday (cron), in UTC',
  },
  runtime_logs_max_file_bytes: {
    schema: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    default: 100 * 1024 * 1024,
    description: 'A larger log file is cleaned',
  },
  runtime_logs_max_total_bytes: {
    schema: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    default: 1024 * 1024 * 1024,
    description:
      'While all log files together are larger, the one that was not written to for the longest time is cleaned',
  },
  runtime_logs_auto_mode: {
    schema: Type.Enum(['truncate', 'delete']),
    default: 'truncate',
    description: 'How the automatic cleanup cleans a log file: `truncate` empties it, `delete` removes it',
  },
} as const satisfies Record<string, { schema: TSchema; default: unknown; description: string }>;

type Table = typeof SETTINGS;
export type SettingKey = keyof Table;
export type Settings = { readonly [K in SettingKey]: Static<Table[K]['schema']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** Keys of the tenant's own, beside those of {@link SETTINGS}. */
export const SETTING_KEY_PATTERN = '^[A-Za-z0-9_.-]{1,128}$';
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

export const KnownSetting = Strict({
  key: Type.String(),
  type: Type.String({ description: 'boolean, integer, a list, an id, or the values allowed' }),
  default: Type.Union(
    [Type.Boolean(), Type.Number(), Type.String(), Type.Array(Type.String()), Type.Null()],
    {
      examples: [1_000_000],
    },
  ),
  minimum: Nullable(Type.Number()),
  maximum: Nullable(Type.Number()),
  description: Type.String({ examples: [SETTINGS.guard_max_prefixes.description] }),
});

/** An apply that the freeze stopped, and what comes of it. */
export const StoppedApply = Strict({
  stopped_job_id: Id,
  revision_id: Id,
  revision_number: Type.Integer({ minimum: 1 }),
  speaker_ids: Nullable(
    Type.Array(Id),
    'Those of its speakers that no later apply went to; null: all speakers',
  ),
  apply_job_id: Nullable(
    Id,
    'The apply that this change has queued in its place; null: it waits for the end of the freeze or, if that is over, for POST /v1/apply',
  ),
});
export type StoppedApply = Static<typeof StoppedApply>;

export const SettingsAnswer = Strict({
  settings: ofEveryKey((schema, key) => ({
    ...schema,
    default: SETTINGS[key].default,
    description: SETTINGS[key].description,
  })),
  known: Type.Array(KnownSetting),
  hints: Type.Array(Strict({ key: Type.String(), did_you_mean: Type.String() }), {
    description: 'Keys that mean nothing to the service although they look like one that does',
  }),
  stopped_applies: Type.Array(StoppedApply, {
    description:
      'Applies that ended with `deploy_frozen`, and that no later apply to the same speakers has replaced, the oldest first',
  }),
});
export interface SettingsAnswer {
  settings: Settings & Record<string, unknown>;
  known: {
    key: string;
    type: string;
    default: boolean | number | string | string[] | null;
    minimum: number | null;
    maximum: number | null;
    description: string;
  }[];
  hints: { key: string; did_you_mean: string }[];
  stopped_applies: StoppedApply[];
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
