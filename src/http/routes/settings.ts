import { SettingsAnswer, SettingsPatch } from '../../api/settings.ts';
import { changeSettings, readSettings } from '../../control/settings.ts';
import { tenantRoute } from '../route.ts';

const tag = 'settings';
const path = '/v1/settings';

export const settingRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'getSettings',
    permission: 'bgp:settings:read',
    tag,
    summary: "Read the tenant's settings, and which there are",
    status: 200,
    response: SettingsAnswer,
    handler: async ({ tx }) => ({ body: await readSettings(tx) }),
  }),
  tenantRoute({
    method: 'PATCH',
    path,
    operation: 'changeSettings',
    permission: 'bgp:settings:write',
    audit: 'settings.change',
    tag,
    summary: 'Change settings',
    description:
      'null puts a setting back to its default. What is set takes effect with the next refresh or apply.',
    status: 200,
    body: SettingsPatch,
    example: { auto_apply: false },
    response: SettingsAnswer,
    handler: async ({ tx, body }) => ({ body: await changeSettings(tx, body) }),
  }),
];
