/** A plan that is kept, so that an apply does what was looked at or nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Session } from '../session/run-remote.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { digestOf } from './ownership.ts';
import { planData, planLines } from './plan-text.ts';
import type { SetPlan } from './plan.ts';

const FORMAT = 1;

/** Options of a plan that decide what it does. */
const CHOICES = ['prune', 'take-over', 'renew-secrets', 'allow-empty'] as const;
export type PlanChoices = Readonly<Record<(typeof CHOICES)[number], boolean>>;

interface PlanFile {
  readonly format: typeof FORMAT;
  /** Those that it was made with; a file of before has none. */
  readonly choices?: PlanChoices;
  readonly service: string;
  readonly tenant: string;
  /** Of the changes and what they announce and withdraw. */
  readonly digest: string;
  /** The latest ready revision when it was planned. */
  readonly base: { readonly number: number; readonly content_hash: string | null } | null;
  readonly text: readonly string[];
  readonly plan: Record<string, unknown>;
}

/** One of them, or a plan for each of several tenants. */
type Kept = PlanFile | { readonly format: typeof FORMAT; readonly tenants: readonly PlanFile[] };

export interface Planned {
  readonly session: Session;
  readonly plan: SetPlan;
}

export async function writePlanFile(
  path: string,
  planned: readonly Planned[],
  given: PlanChoices,
): Promise<void> {
  const choices = choicesOf(given);
  const plans: PlanFile[] = [];
  for (const one of planned) plans.push({ ...(await fileOf(one)), choices });
  const [first] = plans;
  const kept: Kept = plans.length === 1 ? first! : { format: FORMAT, tenants: plans };
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`);
}

async function fileOf({ session, plan }: Planned): Promise<PlanFile> {
  return {
    format: FORMAT,
    ...(await placeOf(session)),
    ...decided(plan),
    text: planLines(plan),
    plan: planData(plan),
  };
}

function choicesOf(given: PlanChoices): PlanChoices {
  return Object.fromEntries(CHOICES.map((name) => [name, given[name]])) as PlanChoices;
}

/**
 * What an apply of the plan goes by: whoever looked at it has agreed to that.
 * @throws {UsageError} for an option of the apply that the plan was made without
 */
export function choicesOfPlan(path: string, given: PlanChoices): PlanChoices {
  const { choices } = readPlanFile(path)[0]!;
  if (choices === undefined) return choicesOf(given);
  const more = CHOICES.filter((name) => given[name] && !choices[name]);
  if (more.length === 0) return choices;
  throw new UsageError(
    `${path} is a plan without ${more.map((name) => `--${name}`).join(' and ')}: plan again with it, or leave it out`,
  );
}

/** @throws {CommandError} where it would do something else now, or elsewhere */
export async function requireSamePlan(path: string, { session, plan }: Planned): Promise<void> {
  const plans = readPlanFile(path);
  const { service, tenant, base } = await placeOf(session);
  const kept = plans.find((one) => one.tenant === tenant && one.service === service);
  if (kept === undefined) {
    const of = plans.map((one) => `${one.tenant} at ${one.service}`).join(', ');
    throw new CommandError(
      `${path} is a plan for the tenant ${of}, and this is ${tenant} at ${service}: plan again`,
      EXIT.conflict,
    );
  }
  if (kept.digest === decided(plan).digest) return;
  const revisions =
    isDeepStrictEqual(kept.base, base) || base === null
      ? ''
      : ` The revision was ${kept.base?.number ?? 'none'}, and is ${base.number}.`;
  throw new CommandError(
    `The base has moved since ${path} was written: an apply would do something else now, so nothing was changed.${revisions} Plan again, and look at what it shows`,
    EXIT.conflict,
  );
}

function readPlanFile(path: string): readonly PlanFile[] {
  let file: Partial<PlanFile & { readonly tenants: readonly PlanFile[] }>;
  try {
    file = JSON.parse(readFileSync(path, 'utf8')) as Partial<PlanFile>;
  } catch (error) {
    throw new CommandError(`${path} can't be read: ${(error as Error).message}`, EXIT.noInput);
  }
  const plans = file.tenants ?? [file as PlanFile];
  if (file.format === FORMAT && plans.every(({ digest }) => typeof digest === 'string')) return plans;
  throw new CommandError(
    `${path} is not a plan of this version: write it with prefixcast plan --out`,
    EXIT.usage,
  );
}

/** Whatever somebody who looks at a plan agrees to; counts that sources change by themselves are not among it. */
function decided(plan: SetPlan): Pick<PlanFile, 'digest'> {
  const { effect: _, left: __, ...data } = planData(plan);
  return { digest: digestOf(data) };
}

async function placeOf({ client }: Session): Promise<Pick<PlanFile, 'service' | 'tenant' | 'base'>> {
  const { tenant } = await client.get('/v1/auth/session');
  const { items } = await client.get('/v1/revisions', { params: { query: { limit: 1 } } });
  const [latest] = items;
  const base = latest === undefined ? null : { number: latest.number, content_hash: latest.content_hash };
  return { service: client.baseUrl, tenant: tenant.slug, base };
}
