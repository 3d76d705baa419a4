/** Which way a guardrail's setting is looser, and who may go that way. */
import { Problem, type FieldFault } from '../../api/problems/problem.ts';
import { roleHas, type Role } from '../../api/access/permissions.ts';
import { SETTINGS, type SettingsPatch } from '../../api/operation/settings.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listSettings, lockSettings } from '../../store/tenants/settings.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { allowedSets, allowsPrefix } from '../../policy/limits.ts';

type IsLooser = (before: unknown, after: unknown) => boolean;

const higher: IsLooser = (before, after) => Number(after) > Number(before);
const lower: IsLooser = (before, after) => Number(after) < Number(before);
const to =
  (loose: unknown): IsLooser =>
  (before, after) =>
    before !== after && after === loose;

/** The guardrails by their settings. What is not named here is taken to be looser whenever it is another. */
const LOOSER: Readonly<Record<string, IsLooser>> = {
  guard_allow_default_route: to(true),
  guard_min_prefix_length_ipv4: lower,
  guard_min_prefix_length_ipv6: lower,
  guard_bogons: to('allow'),
  guard_protected_prefixes: (before, after) => !holdsAll(after as string[], before as string[]),
  guard_max_change_percent: higher,
  guard_max_coverage_percent: higher,
  guard_max_withdraw_percent: higher,
  guard_empty_result: to('allow'),
  guard_max_rejected_percent: higher,
  guard_stale_max_hours: higher,
  guard_stale_action: to('alert'),
  guard_max_prefixes: higher,
  guard_no_export: to(false),
  guard_scope: to('module'),
};

/** From here on a coverage is a default route by other means. */
const DEFAULT_ROUTE_PERCENT = 90;

/** Settings of guardrails that only super roles override, and from when on they are such. */
const OF_SUPER_ROLES: Readonly<Record<string, (after: unknown) => boolean>> = {
  guard_allow_default_route: () => true,
  guard_max_coverage_percent: (after) => Number(after) >= DEFAULT_ROUTE_PERCENT,
};

/** Whether the list covers every prefix of the others. */
function holdsAll(list: readonly string[], others: readonly string[]): boolean {
  const allowed = allowedSets(list);
  return others.every((text) => {
    const parsed = parsePrefix(text);
    return !parsed.ok || allowsPrefix(allowed, parsed.value);
  });
}

export function isGuard(key: string): boolean {
  return key.startsWith('guard_') && Object.hasOwn(SETTINGS, key);
}

/** Whether {@link isLooser} knows the setting. */
export function hasDirection(key: string): boolean {
  return Object.hasOwn(LOOSER, key);
}

export function isLooser(key: string, before: unknown, after: unknown): boolean {
  const rule = LOOSER[key];
  return rule === undefined ? before !== after : rule(before, after);
}

/**
 * Refuses what loosens a guardrail for whoever may not. Super roles may; operators may where the policy of the tenant says so, except what
 * only super roles override.
 * @throws {Problem} `guard_loosening_forbidden`
 */
export async function refuseLoosening(tx: TenantTx, patch: SettingsPatch, role: Role): Promise<void> {
  const keys = Object.keys(patch).filter((key) => isGuard(key) && patch[key] !== undefined);
  if (keys.length === 0 || roleHas(role, 'tenants:write')) return;
  // What it is compared with is what it takes the place of.
  await lockSettings(tx, patch);
  const { policy } = await readOwnTenant(tx);
  const set = await listSettings(tx);
  const faults = keys.flatMap((key): FieldFault[] => {
    const { default: fallback } = SETTINGS[key as keyof typeof SETTINGS] as { readonly default: unknown };
    const after = patch[key] ?? fallback;
    if (!isLooser(key, Object.hasOwn(set, key) ? set[key] : fallback, after)) return [];
    if (OF_SUPER_ROLES[key]?.(after) === true)
      return [
        { pointer: `/${key}`, detail: `Only a key of the role super_admin may set ${key} so loosely.` },
      ];
    if (policy.may_loosen_guards) return [];
    const detail = `The policy of the tenant lets its operators tighten ${key} and not loosen it (may_loosen_guards).`;
    return [{ pointer: `/${key}`, detail }];
  });
  const [first] = faults;
  if (first === undefined) return;
  throw new Problem(
    'guard_loosening_forbidden',
    `${first.pointer}: ${first.detail} Ask the operator of the service.`,
    {
      errors: faults,
    },
  );
}
