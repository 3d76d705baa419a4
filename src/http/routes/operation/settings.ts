import {
  SETTING_KEYS,
  SettingsAnswer,
  SettingsPatch,
  type StoppedApply,
} from '../../../api/operation/settings.ts';
import { refuseLoosening } from '../../../control/policy/loosening.ts';
import { listStoppedApplies } from '../../../control/rollout/resume-applies.ts';
import {
  type SettingsRead,
  changeSettings,
  followSettings,
  readSettings,
} from '../../../control/tenants/settings.ts';
import type { Versioned } from '../../../store/database/database.ts';
import { readSettingsVersion } from '../../../store/tenants/settings.ts';
import { nearest } from '../../../api/problems/nearest.ts';
import { readResource } from '../../answer.ts';
import { tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'settings';
const path = '/v1/settings';

async function read({ tx }: ReadRequest): Promise<Versioned<SettingsAnswer>> {
  const version = await readSettingsVersion(tx);
  return { resource: answerOf(await readSettings(tx), await listStoppedApplies(tx)), version };
}

export const settingRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'getSettings',
    permission: 'bgp:settings:read',
    tag,
    summary: "Read the tenant's settings, and list all known settings",
    status: 200,
    response: SettingsAnswer,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path,
    operation: 'changeSettings',
    permission: 'bgp:settings:write',
    audit: 'settings.change',
    read,
    locksRevision: (body) => (body as SettingsPatch).deploy_freeze !== undefined,
    tag,
    summary: 'Change settings',
    description:
      'null resets a known setting to its default. A change that affects routes leads to a revision automatically; others take ' +
      'effect with the next refresh or apply, and `bgp_source_ipv4`, `bgp_source_ipv6` and `guard_no_export` at once, by a job `peer_reconcile`. When ' +
      '`deploy_freeze` ends, the applies that it stopped follow, those of revisions only if `auto_apply` is on: `stopped_applies` names ' +
      'them. Beside the known keys a tenant can store up to 1,000 of its own, each with any JSON of up to 16 KiB; null removes one. `hints` names ' +
      'own keys that look like a mistyped known one. Loosening a guardrail may need a super role, or a policy of the tenant that ' +
      'allows it.',
    status: 200,
    body: SettingsPatch,
    problems: ['conflict', 'tenant_policy', 'guard_loosening_forbidden'],
    example: { auto_apply: false },
    response: SettingsAnswer,
    handler: async ({ tx, context, body, ifMatch }) => {
      await refuseLoosening(tx, body, context.role);
      const settings = await changeSettings(tx, body, ifMatch);
      const stopped = await followSettings(tx, context, body);
      return {
        ...{ body: answerOf(settings, stopped), version: await readSettingsVersion(tx) },
        recordedName: namesOf(body),
      };
    },
  }),
];

/** Names that a record has of the settings that one request changed. */
const NAMED_SETTINGS = 20;

/** The settings have no name of their own: the audit log is searched for which of them changed. */
function namesOf(patch: object): string {
  const keys = Object.keys(patch);
  const more = keys.length > NAMED_SETTINGS ? ' …' : '';
  return `${keys.slice(0, NAMED_SETTINGS).join(', ')}${more}`;
}

/** A slip in a name changes nothing and is no error, since names are free: so the answer warns of it. */
function answerOf(read: SettingsRead, stopped: StoppedApply[]): SettingsAnswer {
  const own = Object.keys(read.settings).filter((key) => !(SETTING_KEYS as readonly string[]).includes(key));
  const hints = own.flatMap((key) => {
    const known = nearest(key, SETTING_KEYS);
    return known === undefined ? [] : [{ key, did_you_mean: known }];
  });
  return { ...read, hints, stopped_applies: stopped };
}
