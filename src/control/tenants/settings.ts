import type { TSchema } from 'typebox';
import { type FieldFault, Problem, fieldProblem } from '../../api/problems/problem.ts';
import {
  MAXIMUM_SETTING_BYTES,
  MAXIMUM_SETTINGS,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type Settings,
  type SettingsAnswer,
  type SettingsPatch,
  type StoppedApply,
} from '../../api/operation/settings.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import { forgetValidators } from '../../store/entries/fetched-entries.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  getSetting,
  listSettings,
  lockSettings,
  putSettings,
  readSettingsVersion,
} from '../../store/tenants/settings.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import { withHostAddresses } from '../models/bgp-values.ts';
import { findRepeats, refuseFaults } from '../body-faults.ts';
import type { ControlContext } from '../context.ts';
import { scheduleFault } from '../maintenance/cron.ts';
import { checkSourceSettings } from '../policy/written.ts';
import { listStoppedApplies, resumeApplies } from '../rollout/resume-applies.ts';
import { requestPeerReconcile } from '../speakers/reconcile-peers.ts';
import { SESSION_SETTINGS, SOURCE_SETTINGS } from '../models/speaker-model.ts';

/** What an apply of what speakers run brings to them. */
const APPLIED_SETTINGS = [...SESSION_SETTINGS, 'guard_no_export'] as const;

export type SettingsRead = Omit<SettingsAnswer, 'hints' | 'stopped_applies'>;

/** Every known setting, with its default where the tenant has not set it, and the tenant's own. */
export async function readSettings(tx: TenantTx): Promise<SettingsRead> {
  const defaults = Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].default]));
  const settings = { ...defaults, ...(await listSettings(tx)) } as unknown as Settings &
    Record<string, unknown>;
  return { settings, known: SETTING_KEYS.map(describe) };
}

function describe(key: SettingKey): SettingsAnswer['known'][number] {
  const { schema, default: fallback, description } = SETTINGS[key];
  const { minimum = null, maximum = null } = schema as { minimum?: number; maximum?: number };
  return { key, type: typeOf(schema), default: fallback, minimum, maximum, description };
}

/** What a value may be, in a word or two. */
function typeOf(schema: TSchema): string {
  const { type, format, items, anyOf, ...rest } = schema as TSchema & {
    readonly type?: string;
    readonly format?: string;
    readonly items?: TSchema;
    readonly anyOf?: readonly TSchema[];
    readonly enum?: readonly string[];
  };
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (rest.enum !== undefined) return rest.enum.join(', ');
  if (items !== undefined) return `list of ${typeOf(items)}s`;
  return format === 'uuid' ? 'id' : type!;
}

/**
 * What is set takes effect with the next refresh or apply; what changes routes leads to a revision by itself.
 * @param version what the caller read last; null: any
 * @throws {Problem} `precondition_failed` when they were changed since
 */
export async function changeSettings(
  tx: TenantTx,
  patch: SettingsPatch,
  version: number | null = null,
): Promise<SettingsRead> {
  // Two changes at once must not go over the number of keys together.
  await lockSettings(tx, patch);
  if (version !== null && version !== (await readSettingsVersion(tx)))
    throw new Problem(
      'precondition_failed',
      'The settings have been changed since they were read. Read them again, and repeat the change with their new ETag.',
    );
  const canonical = {
    ...withHostAddresses(patch, SOURCE_SETTINGS),
    ...canonicalPrefixes(patch),
    // The next freeze has another reason.
    ...(patch.deploy_freeze === false || patch.deploy_freeze === null ? { deploy_freeze_reason: null } : {}),
  };
  await refuseUnknownIds(tx, patch);
  refuseFaults([...misspelt(patch), ...tooLarge(patch), ...scheduleFaults(patch)]);
  await checkSourceSettings(tx, canonical);
  await putSettings(tx, canonical);
  const count = Object.keys(await listSettings(tx)).length;
  if (count > MAXIMUM_SETTINGS) {
    throw new Problem(
      'conflict',
      `The tenant would have ${count} settings, and ${MAXIMUM_SETTINGS} is the most. Set keys that nobody needs to null.`,
    );
  }
  if (patch.guard_bogons !== undefined) await forgetValidators(tx);
  return readSettings(tx);
}

/**
 * Queues what has to follow such a change by itself: sessions from another address are new ones, NO_EXPORT is on every route, and what a freeze
 * stopped goes on.
 * @returns what a freeze has stopped
 */
export async function followSettings(
  tx: TenantTx,
  context: ControlContext,
  patch: SettingsPatch,
): Promise<StoppedApply[]> {
  const isOver = patch.deploy_freeze !== undefined && !(await getSetting(tx, 'deploy_freeze'));
  const stopped = isOver ? await resumeApplies(tx, context) : await listStoppedApplies(tx);
  if (APPLIED_SETTINGS.some((key) => patch[key] !== undefined)) await requestPeerReconcile(tx, context, null);
  return stopped;
}

/** The protected prefixes in canonical text. */
function canonicalPrefixes({
  guard_protected_prefixes: texts,
}: SettingsPatch): Pick<SettingsPatch, 'guard_protected_prefixes'> {
  if (texts === undefined || texts === null) return {};
  const at = (index: number): string => `/guard_protected_prefixes/${index}`;
  const parsed = texts.map((text) => parsePrefix(text.trim()));
  const canonical = parsed.map((read) => (read.ok ? formatPrefix(read.value) : null));
  refuseFaults([
    ...parsed.flatMap((read, index) => (read.ok ? [] : [{ pointer: at(index), detail: read.reason }])),
    ...findRepeats(canonical, at),
  ]);
  return { guard_protected_prefixes: canonical.filter((text) => text !== null) };
}

async function refuseUnknownIds(tx: TenantTx, patch: SettingsPatch): Promise<void> {
  const { default_community_id: community, deploy_canary_speaker_ids: canaries } = patch;
  if (typeof community === 'string' && !(await listAllCommunities(tx)).some(({ id }) => id === community)) {
    throw fieldProblem(
      '/default_community_id',
      `No community has the id ${community}. List /v1/communities to see which exist.`,
    );
  }
  if (canaries === undefined || canaries === null || canaries.length === 0) return;
  const speakers = new Set((await listAllSpeakers(tx)).map(({ id }) => id));
  refuseFaults(
    canaries.flatMap((id, index) =>
      speakers.has(id.toLowerCase())
        ? []
        : [
            {
              pointer: `/deploy_canary_speaker_ids/${index}`,
              detail: `No speaker has the id ${id}. List /v1/speakers to see which exist.`,
            },
          ],
    ),
  );
}

function scheduleFaults({ runtime_logs_auto_schedule: schedule }: SettingsPatch): FieldFault[] {
  const detail = typeof schedule === 'string' ? scheduleFault(schedule) : null;
  return detail === null ? [] : [{ pointer: '/runtime_logs_auto_schedule', detail }];
}

/** A tenant's own key that differs from a known one only in case: the known one was probably meant. An existing one can be removed. */
function misspelt(patch: SettingsPatch): FieldFault[] {
  const known = new Map(SETTING_KEYS.map((key) => [lettersOf(key), key]));
  return Object.entries(patch).flatMap(([key, value]) => {
    const meant = known.get(lettersOf(key));
    if (meant === undefined || meant === key || value === null) return [];
    return [{ pointer: `/${key}`, detail: `is not a key that the service knows; did you mean "${meant}"?` }];
  });
}

function lettersOf(key: string): string {
  return key.toLowerCase().replace(/[_.-]/g, '');
}

/** Known keys have limits of their own. */
function tooLarge(patch: SettingsPatch): FieldFault[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    if (Object.hasOwn(SETTINGS, key)) return [];
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes <= MAXIMUM_SETTING_BYTES) return [];
    const detail = `has ${bytes} bytes as JSON, and ${MAXIMUM_SETTING_BYTES} is the most. Split it over several keys.`;
    return [{ pointer: `/${key}`, detail }];
  });
}
