import { type FieldFault, Problem, type ProblemCode } from '../../api/problems/problem.ts';
import type { Role } from '../../api/access/permissions.ts';
import { SUPER_GUARDRAILS } from '../../api/revisions/guardrail-codes.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listExpiredIds } from '../../store/entries/expiries.ts';
import { listAccepted } from '../../store/revisions/held-modules.ts';
import { identifyModule, listModuleNames } from '../../store/modules/modules.ts';
import {
  type RevisionInput,
  findGuardrailsHash,
  listRevisionInputs,
} from '../../store/revisions/revision-history.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { refuseFaults } from '../body-faults.ts';
import type { Override } from '../override.ts';
import {
  type Against,
  draftChange,
  judgeMeasured,
  readAgainst,
  readEntries,
} from '../drafts/guard-revision.ts';
import { findWithdrawals } from '../drafts/large-withdrawal.ts';
import { withTitles } from '../drafts/titled-findings.ts';
import { type Guardrails, hashOfRouteGuardrails } from '../guards/guardrails.ts';
import { inspectRoutes } from './inspect-routes.ts';
import { inspectContent } from '../tables/table-threads.ts';
import type { ReleasedContent } from '../tables/table-tasks.ts';
import type { StoredRevision } from '../../store/revisions/stored-revisions.ts';

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

/**
 * The guardrails about routes that the revision breaks; those of when it was built are known. What modules were released for may stay.
 * Of how much was covered before exclusions nothing is left to measure, so what was found then stands as long as the limit does.
 */
export async function routeFindings(
  tx: TenantTx,
  { id, content_hash, findings }: StoredRevision,
  guardrails: Guardrails,
): Promise<readonly Finding[]> {
  const ofRoutes = findings.filter(({ code }) => !MEASURED_AGAIN.has(code));
  if ((await findGuardrailsHash(tx, id)) === hashOfRouteGuardrails(guardrails)) return ofRoutes;
  const released: ReleasedContent[] = [];
  for (const { content_hash: hash, released: codes } of await listRevisionInputs(tx, id))
    if (codes.length > 0) released.push({ codes, stored: (await loadStored(tx, hash)).stored });
  const now =
    released.length === 0
      ? await inspectRoutes(tx, content_hash!, guardrails)
      : await inspectContent(await loadStored(tx, content_hash!), guardrails, released);
  const stands = ofRoutes.filter((finding) => isStillTooWide(finding, guardrails));
  return [...now, ...stands.filter(({ code }) => !now.some((other) => other.code === code))];
}

/** What depends on more than routes: on what was accepted, and what speakers run. */
const MEASURED_AGAIN: ReadonlySet<string> = new Set<ProblemCode>(['max_change_exceeded', 'large_withdrawal']);

function isStillTooWide({ code, measured }: Finding, guardrails: Guardrails): boolean {
  if (guardrails.allowDefaultRoute || measured === null) return false;
  if (code === 'default_route_forbidden') return true;
  return code === 'coverage_exceeded' && measured > guardrails.maxCoveragePercent;
}

/**
 * The guardrails that the revision breaks as they are now, which may not be those of when it was built. What its routes break is known
 * from then as long as no guardrail has changed. How much changed by itself, or would be withdrawn, was judged when it became ready; of
 * one that is held it is measured again, since another revision may have been accepted or applied since. A rollback is what an
 * operator wants, however much it changes.
 */
export async function currentFindings(tx: TenantTx, revision: StoredRevision): Promise<Finding[]> {
  const against = await readAgainst(tx);
  const findings = [...(await routeFindings(tx, revision, against.guardrails))];
  if (revision.trigger.kind === 'rollback' || revision.state !== 'held') return findings;
  const found = new Set(revision.findings.map(({ code }) => code));
  const inputs = await listRevisionInputs(tx, revision.id);
  if (found.has('max_change_exceeded'))
    findings.push(...(await changesSince(tx, inputs, against.guardrails)));
  if (found.has('large_withdrawal')) findings.push(...(await withdrawalsNow(tx, revision, inputs, against)));
  return findings;
}

/** How much changed by itself since what is accepted now. */
async function changesSince(
  tx: TenantTx,
  inputs: readonly RevisionInput[],
  guardrails: Guardrails,
): Promise<readonly Finding[]> {
  const accepted = new Map((await listAccepted(tx)).map((input) => [input.module_id, input]));
  const findings: Finding[] = [];
  for (const input of inputs) {
    const before = accepted.get(input.module_id);
    if (before === undefined || input.released.includes('max_change_exceeded')) continue;
    const module = await identifyModule(tx, input.module_id);
    const change = await draftChange(tx, module, before, input);
    if (change !== null) findings.push(...(await judgeMeasured(change, guardrails)));
  }
  const titled = await withTitles({ findings, held: [] }, (work) => work(tx));
  return titled.findings;
}

async function withdrawalsNow(
  tx: TenantTx,
  { content_hash }: StoredRevision,
  inputs: readonly RevisionInput[],
  against: Against,
): Promise<readonly Finding[]> {
  const read = (hash: string) => loadStored(tx, hash);
  const { findings } = await findWithdrawals(
    { content: await read(content_hash!), content_hash: content_hash!, inputs },
    against,
    {
      read,
      names: await listModuleNames(tx),
      staleIds: await listExpiredIds(tx),
      entriesOf: (before, after) => readEntries(tx, before, after),
      policyOf: () => Promise.resolve(null),
      wayOf: () => null,
      releasedOf: () => undefined,
    },
  );
  return findings;
}

/**
 * Refuses to apply a revision that breaks a guardrail which nobody overrides.
 * @throws {Problem} with the code of the first such guardrail
 */
export function refuseFindings(
  { number }: Pick<StoredRevision, 'number'>,
  findings: readonly Finding[],
  overridden: readonly string[],
): void {
  const broken = findings.filter(({ code }) => !overridden.includes(code));
  const [first] = broken;
  if (first === undefined) return;
  const codes = [...new Set(broken.map(({ code }) => code))];
  const advice = `Fix what is wrong and refresh, or apply revision ${number} with {"override": ${JSON.stringify(codes)}, "reason": "…"}.`;
  throw new Problem(first.code as ProblemCode, `${first.detail} ${advice}`);
}

/**
 * Checks that an override names exactly guardrails that are broken, says why, and comes from somebody who may.
 * @throws {Problem} `validation_failed`, `forbidden`
 */
export function checkOverride(
  { override = [], reason }: Override,
  findings: readonly Finding[],
  role: Role,
  what = 'The revision',
): void {
  const broken = [...new Set(findings.map(({ code }) => code))];
  const faults: FieldFault[] = override.flatMap((code, index) =>
    broken.includes(code)
      ? []
      : [
          {
            pointer: `/override/${index}`,
            detail: `${what} does not break a guardrail of the code ${JSON.stringify(code)}. ${broken.length === 0 ? 'It breaks none: leave override out' : `It breaks ${broken.join(', ')}`}.`,
          },
        ],
  );
  if (override.length > 0 && reason === undefined) {
    const detail = 'is required with override: say in 10 to 500 characters why the guardrail may be broken.';
    faults.push({ pointer: '/reason', detail });
  }
  refuseFaults(faults);
  const reserved = override.find((code) => SUPER_GUARDRAILS.includes(code));
  if (reserved !== undefined && !role.startsWith('super_')) {
    throw new Problem(
      'forbidden',
      `Only a key of the role super_admin may override ${reserved}. Ask somebody who holds one.`,
    );
  }
}
