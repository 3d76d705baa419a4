/** What an operator, a source or fate does, as a command of fast-check: do it, wait, compare everything. */
import fc from 'fast-check';
import { checkBird, checkDiff, checkHashes, checkLookups, checkPreview } from './checks.ts';
import type { Life, RevisionModel, Routes } from './model.ts';
import { differenceOf, isHopeless, routesOf } from './oracle.ts';
import { Contradiction, type Happened, type Walk } from './walk.ts';

/** What a deed that is no edit of lists is to bring about. */
export interface Expected {
  /** Routes of the revision that it makes, where that is not built from what there is now. */
  readonly revision?: Routes;
  /** Whether a revision has to be built although nothing leads to one by itself. */
  readonly builds?: boolean;
  /** Codes that jobs may fail with. */
  readonly failures?: readonly string[];
}

/** One kind of deed. `P` is what fast-check draws for it: mostly numbers that pick one of what there is when its turn comes. */
export interface Deed<P> {
  /** How often it is drawn, against the others. */
  readonly weight: number;
  readonly drawn: fc.Arbitrary<P>;
  /** Whether it makes sense now; a walk passes over what does not. */
  can(life: Life, drawn: P): boolean;
  /**
   * Does it to the service and to the model, and tells the story. Where it answers nothing it was an edit, which leads to a revision
   * by itself if it changes what is announced; in a tenant without `auto_revision` the walk refreshes the modules.
   */
  run(walk: Walk, drawn: P): Promise<Expected | undefined>;
}

export type AnyCommand = fc.AsyncCommand<Life, Walk>;

/** Makes the deed a command of fast-check. */
export function deed<P>(made: Deed<P>): {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<AnyCommand>;
} {
  const arbitrary = made.drawn.map((drawn): AnyCommand => ({
    check: (life) => made.can(life, drawn),
    async run(life, walk) {
      const before = routesOf(life);
      const expected = await made.run(walk, drawn);
      await conclude(walk, before, expected ?? (life.autoRevision ? {} : await walk.refresh(life.modules)));
    },
    toString: () => JSON.stringify(drawn),
  }));
  return { weight: made.weight, arbitrary };
}

/** Numbers that pick one of several. */
export const pick = fc.nat(59);

export function chosen<T>(from: readonly T[], number: number): T {
  return from[number % from.length]!;
}

async function conclude(walk: Walk, before: Routes, expected: Expected): Promise<void> {
  const { life } = walk;
  const happened = await walk.settled();
  checkJobs(walk, happened, expected);
  walk.replayRefreshes(happened);
  checkRevision(walk, happened, before, expected);
  const made = happened.revisions.at(-1);
  if (made?.state === 'ready' && (life.autoApply || expected.revision !== undefined)) bring(life, made);
  else if (life.latest !== null && isBroughtAgain(happened, life.latest)) bring(life, life.latest);
  checkHashes(walk);
  if (made !== undefined) await checkDiff(walk);
  await checkPreview(walk);
  await checkBird(walk);
  await checkLookups(walk);
}

function bring(life: Life, revision: RevisionModel): void {
  if (life.speakers.some(({ enabled }) => enabled)) life.applied = revision;
  for (const speaker of life.speakers) if (speaker.enabled) speaker.applied = revision;
}

/** A build that finds the newest revision to hold everything makes none, and brings that one to speakers that run another. */
function isBroughtAgain({ jobs }: Happened, { id: latestId }: RevisionModel): boolean {
  const asked = new Set(jobs.map(({ result }) => result?.apply_job_id));
  return jobs.some(
    ({ id, type, resource }) => type === 'apply' && asked.has(id) && resource?.id === latestId,
  );
}

function checkJobs({ life }: Walk, { jobs }: Happened, { failures = [] }: Expected): void {
  for (const { type, state, error, resource } of jobs) {
    if (state !== 'failed' || failures.includes(error?.code ?? '')) continue;
    const module = life.modules.find(({ id }) => id === resource?.id);
    // A module whose every source fails has nothing to build from, whoever asked for its refresh.
    if (error?.code === 'refresh_failed' && (module === undefined || isHopeless(life, module))) continue;
    throw new Contradiction(`The job ${type} failed: ${JSON.stringify(error)}`);
  }
}

function checkRevision(walk: Walk, { revisions }: Happened, before: Routes, expected: Expected): void {
  const { life } = walk;
  const wanted = expected.revision ?? routesOf(life);
  const made = revisions.at(-1);
  const findings = revisions.find(({ state }) => state !== 'ready');
  if (findings !== undefined)
    throw new Contradiction(`Revision ${findings.number} is ${findings.state} without a cause`);
  const isDue =
    expected.builds === true ||
    expected.revision !== undefined ||
    (life.autoRevision && differenceOf(before, wanted) !== null);
  if (made === undefined && !isDue) return;
  const latest = life.latest?.routes ?? new Map<string, readonly string[]>();
  const difference = differenceOf(latest, wanted);
  if (difference !== null)
    throw new Contradiction(
      `${made === undefined ? 'No revision was made, and the latest' : `Revision ${made.number}`} has other routes than it is to have: ${difference}`,
    );
}
