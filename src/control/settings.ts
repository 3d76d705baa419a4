import { fieldProblem } from '../api/problem.ts';
import {
  SETTING_KEYS,
  SETTINGS,
  type Settings,
  type SettingsAnswer,
  type SettingsPatch,
} from '../api/settings.ts';
import { forgetValidators } from '../store/cdn-sources.ts';
import { listAllCommunities } from '../store/communities.ts';
import type { TenantTx } from '../store/database.ts';
import { getSetting, putSetting } from '../store/settings.ts';

const TYPES: Readonly<Record<keyof Settings, string>> = {
  default_community_id: 'id',
  auto_apply: 'boolean',
  guard_bogons: 'drop, allow',
  guard_no_export: 'boolean',
  revision_retention_minutes: 'integer',
};

export async function readSettings(tx: TenantTx): Promise<SettingsAnswer> {
  return {
    settings: {
      default_community_id: await getSetting(tx, 'default_community_id'),
      auto_apply: await getSetting(tx, 'auto_apply'),
      guard_bogons: await getSetting(tx, 'guard_bogons'),
      guard_no_export: await getSetting(tx, 'guard_no_export'),
      revision_retention_minutes: await getSetting(tx, 'revision_retention_minutes'),
    },
    known: SETTING_KEYS.map((key) => {
      const range = SETTINGS[key].schema as { readonly minimum?: number; readonly maximum?: number };
      return {
        key,
        type: TYPES[key],
        default: SETTINGS[key].default,
        minimum: range.minimum ?? null,
        maximum: range.maximum ?? null,
        description: SETTINGS[key].description,
      };
    }),
  };
}

/** What is set takes effect with the next refresh or apply. */
export async function changeSettings(tx: TenantTx, patch: SettingsPatch): Promise<SettingsAnswer> {
  const { default_community_id: community } = patch;
  if (typeof community === 'string' && !(await listAllCommunities(tx)).some(({ id }) => id === community)) {
    throw fieldProblem(
      '/default_community_id',
      `No community has the id ${community}. List /v1/communities to see which exist.`,
    );
  }
  for (const key of SETTING_KEYS) {
    const value = patch[key];
    if (value !== undefined) await putSetting(tx, key, value);
  }
  if (patch.guard_bogons !== undefined) await forgetValidators(tx);
  return readSettings(tx);
}
