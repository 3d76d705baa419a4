import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict } from './page.ts';

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
    description: 'A refresh that changed the content queues an apply',
  },
  guard_bogons: {
    schema: Type.Enum(['drop', 'allow']),
    default: 'drop',
    description:
      'Special-purpose addresses (RFC 6890 and successors): dropped out of sources and refused as ranges, or allowed',
  },
  guard_no_export: {
    schema: Type.Boolean(),
    default: true,
    description: 'Every route also carries NO_EXPORT (RFC 1997)',
  },
  revision_retention_minutes: {
    schema: Type.Integer({ minimum: 1, maximum: 5_256_000 }),
    default: 43_200,
    description:
      'A prune removes revisions that are older, but never the latest, a pinned one, or one that a speaker runs',
  },
} as const;

export type SettingKey = keyof typeof SETTINGS;
export type Settings = { readonly [K in SettingKey]: Static<(typeof SETTINGS)[K]['schema']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

export const SettingsAnswer = Strict({
  settings: Strict({
    default_community_id: SETTINGS.default_community_id.schema,
    auto_apply: SETTINGS.auto_apply.schema,
    guard_bogons: SETTINGS.guard_bogons.schema,
    guard_no_export: SETTINGS.guard_no_export.schema,
    revision_retention_minutes: SETTINGS.revision_retention_minutes.schema,
  }),
  known: Type.Array(
    Strict({
      key: Type.String(),
      type: Type.String({ description: 'boolean, integer, id, or the values allowed' }),
      default: Type.Unknown(),
      minimum: Nullable(Type.Number()),
      maximum: Nullable(Type.Number()),
      description: Type.String(),
    }),
  ),
});
export type SettingsAnswer = Static<typeof SettingsAnswer>;

/** `null` puts a setting back to its default. */
export const SettingsPatch = Type.Partial(
  Strict({
    default_community_id: SETTINGS.default_community_id.schema,
    auto_apply: Nullable(SETTINGS.auto_apply.schema),
    guard_bogons: Nullable(SETTINGS.guard_bogons.schema),
    guard_no_export: Nullable(SETTINGS.guard_no_export.schema),
    revision_retention_minutes: Nullable(SETTINGS.revision_retention_minutes.schema),
  }),
  { additionalProperties: false, minProperties: 1 },
);
export type SettingsPatch = Static<typeof SettingsPatch>;
