import { type FieldFault, Problem, type ProblemCode } from '../../api/problem.ts';
import type { Role } from '../../api/permissions.ts';
import type { Finding, Revision } from '../../api/revisions.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findRailsHash, listRevisionInputs } from '../../store/revision-history.ts';
import { getSetting } from '../../store/settings.ts';
import { refuseFaults } from '../body-faults.ts';
import { CHANGE_RAIL, draftChanges, judgeChanges, readAgainst } from './guard-revision.ts';
import { type Rails, hashOfRails } from './rails.ts';
import { inspectContent } from '../revisions/table-threads.ts';

/** What only super roles override. */
const OF_SUPER_ROLES: readonly string[] = [
  'default_route_forbidden',
  'tenant_policy',
] satisfies ProblemCode[];

/** A wish to apply what a rail holds. */
export interface Override {
  /** Codes of all the rails that the revision breaks. */
  readonly override?: readonly string[];
  readonly reason?: string;
}

/** @throws {Problem} `deploy_frozen` */
export async function refuseFrozen(tx: TenantTx): Promise<void> {
  if (!(await getSetting(tx, 'deploy_freeze'))) return;
  throw new Problem(
    'deploy_frozen',
    'The setting deploy_freeze is on, so nothing is applied. Set it to false, and apply again.',
  );
}

/** {@link refuseFrozen} for an apply that has begun. */
export async function refuseFreeze(tx: TenantTx): Promise<void> {
  if (!(await getSetting(tx, 'deploy_freeze'))) return;
  throw new Problem(
    'deploy_frozen',
    'The setting deploy_freeze was set to true in the middle of this apply: speakers that had taken the revision keep it, the others were not touched. Set it to false, and retry.',
  );
}

/** The rails about routes that the revision breaks; those of when it was built are known. */
export async function routeFindings(
  tx: TenantTx,
  { id, content_hash, findings }: Revision,
  rails: Rails,
): Promise<readonly Finding[]> {
  const stand = (await findRailsHash(tx, id)) === hashOfRails(rails);
  if (stand) return findings.filter(({ code }) => code !== CHANGE_RAIL);
  return inspectContent(await loadStored(tx, content_hash!), rails);
}

/**
 * The rails that the revision breaks as they are now, which may not be those of when it was built. What its routes break is known from
 * then as long as no rail has changed; what changed by itself is measured anew, since another revision may have been applied since. A
 * rollback is what an operator wants, however much it changes.
 */
export async function currentFindings(tx: TenantTx, revision: Revision): Promise<Finding[]> {
  const { rails, baseline } = await readAgainst(tx);
  const ofRoutes = await routeFindings(tx, revision, rails);
  if (revision.trigger.kind === 'rollback') return [...ofRoutes];
  const inputs = await listRevisionInputs(tx, revision.id);
  return [...ofRoutes, ...(await judgeChanges(await draftChanges(tx, inputs, baseline), rails))];
}

/**
 * Refuses to apply a revision that breaks a rail which nobody overrides.
 * @throws {Problem} with the code of the first such rail
 */
export function refuseFindings(
  { number }: Pick<Revision, 'number'>,
  findings: readonly Finding[],
  overridden: readonly string[],
): void {
  const broken = findings.filter(({ code }) => !overridden.includes(code));
  const [first] = broken;
  if (first === undefined) return;
  const codes = [...new Set(broken.map(({ code }) => code))];
  const advice = `Mend what is wrong and refresh, or apply revision ${number} with {"override": ${JSON.stringify(codes)}, "reason": "…"}.`;
  throw new Problem(first.code as ProblemCode, `${first.detail} ${advice}`);
}

/**
 * Checks that an override names exactly rails that are broken, says why, and comes from somebody who may.
 * @throws {Problem} `validation_failed`, `forbidden`
 */
export function checkOverride(
  { override = [], reason }: Override,
  findings: readonly Finding[],
  role: Role,
): void {
  const broken = [...new Set(findings.map(({ code }) => code))];
  const faults: FieldFault[] = override.flatMap((code, index) =>
    broken.includes(code)
      ? []
      : [
          {
            pointer: `/override/${index}`,
            detail: `The revision does not break a rail of the code ${JSON.stringify(code)}. ${broken.length === 0 ? 'It breaks none: leave override out' : `It breaks ${broken.join(', ')}`}.`,
          },
        ],
  );
  if (override.length > 0 && reason === undefined) {
    const detail = 'is required with override: say in 10 to 500 characters why the rail may be broken.';
    faults.push({ pointer: '/reason', detail });
  }
  refuseFaults(faults);
  const reserved = override.find((code) => OF_SUPER_ROLES.includes(code));
  if (reserved !== undefined && !role.startsWith('super_')) {
    throw new Problem(
      'forbidden',
      `Only a key of the role super_admin may override ${reserved}. Ask somebody who holds one.`,
    );
  }
}
