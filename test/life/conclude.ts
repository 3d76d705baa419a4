/** The end of a step: the service has settled, the model follows, and everything is compared. */
import {
  checkBird,
  checkDiff,
  checkFeeds,
  checkHashes,
  checkHeld,
  checkHistory,
  checkLookups,
  checkPreview,
} from './checks.ts';
import { isMoved, keepBroughtBack, settleKept } from './kept.ts';
import type { ModuleModel, RevisionModel, Routes } from './model.ts';
import type { Life } from './life.ts';
import { isTooMuchLeft, settleSlips } from './slips.ts';
import { collect } from './collected.ts';
import { brokenBy } from './guardrails.ts';
import { judge, routesOf } from './oracle.ts';
import { brokenTogether, takenBackNow } from './judging.ts';
import { isDrawnAlike, isEmpty, isSame } from './snapshots.ts';
import { checkPlan } from './check-plan.ts';
import { differenceOf } from './routes.ts';
import { Contradiction, type Happened, type Walk } from './walk.ts';
import type { Expected } from './expected.ts';

/** Waits until the service has settled, and compares everything. */
export async function conclude(walk: Walk, expected: Expected): Promise<void> {
  const { life } = walk;
  const happened = await walk.settled();
  checkJobs(walk, happened, expected);
  await collectEdited(walk, happened, expected);
  walk.conclude();
  const isHeld = checkRevision(walk, happened, expected);
  const made = happened.revisions.at(-1);
  if (expected.revision === undefined) build(life, happened, isHeld);
  else if (made !== undefined) rollBack(life, made, expected.revision);
  if (made?.state === 'ready' && life.autoApply) bring(life, made);
  else if (life.latest !== null && isBroughtAgain(life, happened)) bring(life, life.latest);
  checkHashes(walk);
  await checkPlan(walk, happened);
  await Promise.all([
    made === undefined ? null : checkDiff(walk),
    checkPreview(walk),
    checkBird(walk),
    checkFeeds(walk),
    checkLookups(walk),
    checkHistory(walk),
    made === undefined ? null : checkHeld(walk),
  ]);
  life.endStep();
}

/** Of a build stays which modules are held; and where nothing is held against the revision, what is accepted of the others. */
function build(life: Life, { jobs, revisions }: Happened, isHeld: boolean): void {
  const isBuilt = jobs.some(
    ({ type, state }) => state === 'succeeded' && (type === 'module_refresh' || type === 'revision_build'),
  );
  if (!isBuilt) return;
  const verdicts = judge(life);
  for (const { module, isHeld } of verdicts) module.heldFor = isHeld ? module.snapshot : null;
  const inputs = new Map(
    verdicts.flatMap(({ module, used }) => (used === null ? [] : [[module.id, used] as const])),
  );
  const held = new Set(
    verdicts.filter(({ isHeld, isKept }) => isHeld || isKept).map(({ module }) => module.id),
  );
  settleSlips(
    life,
    isHeld ? null : revisions.length > 0 ? inputs : (life.revisions.at(-1)?.inputs ?? inputs),
  );
  settleKept(life);
  for (const made of revisions) {
    const findings = brokenTogether(life, verdicts, made.routes);
    Object.assign(made, { inputs, held, findings });
  }
  if (isHeld) return;
  for (const module of life.modules) {
    const share = inputs.get(module.id);
    if (share === undefined || held.has(module.id)) continue;
    const isAgain = isSame(share.snapshot, takenBackNow(life, module));
    if (isAgain || !isSame(share.snapshot, module.accepted?.snapshot ?? null)) module.takenBack = null;
  }
  accept(life, { inputs, held });
}

/** The old content comes back, and what it was built from is what is accepted. Modules stay without what is taken back of them. */
function rollBack(life: Life, made: RevisionModel, old: RevisionModel): void {
  const { communities, inputs } = old;
  Object.assign(made, { communities, inputs, findings: brokenBy(life, old), isRollback: true });
  if (made.state !== 'ready') return;
  takeBack(
    life,
    made,
    life.revisions.findLast(({ number, state }) => number < made.number && state === 'ready') ?? null,
  );
}

/** A rollback that is ready: modules stay without what it takes back of them. @param before the revision that is left */
export function takeBack(life: Life, made: RevisionModel, before: RevisionModel | null): void {
  const { inputs } = made;
  life.releasedSlips.clear();
  // What brought the same since has made no revision of its own.
  const acceptedOf = new Map(life.modules.map(({ id, accepted }) => [id, accepted]));
  accept(life, made);
  for (const module of life.modules) {
    const input = before?.inputs.get(module.id);
    const now = acceptedOf.get(module.id) ?? null;
    const taken = input !== undefined && now !== null && isDrawnAlike(input, now) ? now : input;
    const restored = inputs.get(module.id);
    if (module.enabled && restored !== undefined && isSame(module.snapshot, restored.snapshot))
      module.heldFor = null;
    if (taken === undefined || isSame(taken.snapshot, restored?.snapshot ?? null)) continue;
    if ([taken, restored].every((share) => share === undefined || isEmpty(share.snapshot))) continue;
    module.takenBack = taken.snapshot;
    module.takenCounted = taken.counted;
    if (restored === undefined) Object.assign(module, { accepted: null, released: null });
    const isHeld = judge(life, true).find((one) => one.module === module)?.isHeld === true;
    if (module.enabled && isHeld) module.heldFor = module.snapshot;
  }
  keepBroughtBack(life, made, before);
  for (const id of life.slips.keys())
    if (life.kept.has(id) || isMoved(before?.inputs.get(id), inputs.get(id))) life.slips.delete(id);
  life.built = builtAfter(life, made);
}

/** What is built once this revision is the one that stands: modules whose edits take too much away stay as it has them. */
function builtAfter(life: Life, revision: RevisionModel): Routes {
  const { standing } = life;
  life.standing = revision;
  const routes = routesOf(life);
  life.standing = standing;
  return routes;
}

/** What modules were let through for ends with whatever else is accepted of them. */
export function accept(life: Life, { inputs, held }: Pick<RevisionModel, 'inputs' | 'held'>): void {
  for (const module of life.modules) {
    const share = inputs.get(module.id);
    if (share === undefined || held.has(module.id)) continue;
    // What an entry had in the same content stays accepted when the entry is disabled.
    const before = isSame(module.accepted?.snapshot ?? null, share.snapshot) ? module.accepted!.counted : [];
    module.accepted = { ...share, counted: new Set([...before, ...share.counted]) };
    if (!isSame(share.snapshot, module.released)) module.released = null;
  }
}

/** Whether whoever built something took the edits of the module's ranges along: these need no collecting. */
async function isTakenAlong(walk: Walk, { jobs }: Happened, module: ModuleModel): Promise<boolean> {
  const isBuilt = jobs.some(
    ({ type, state }) => state === 'succeeded' && (type === 'module_refresh' || type === 'revision_build'),
  );
  if (!isBuilt || module.type !== 'IP_RANGES' || !module.enabled || !walk.life.toCollect.has(module))
    return false;
  const path = `/v1/modules/${module.id}`;
  return (await walk.get<{ pending_changes: { count: number } }>(path)).pending_changes.count === 0;
}

/** The model collects what the service had to collect, and what it was asked to. */
async function collectEdited(walk: Walk, happened: Happened, { collects = false }: Expected): Promise<void> {
  const { life } = walk;
  const isAsked = async (module: ModuleModel): Promise<boolean> =>
    happened.jobs.some(({ type, resource }) => type === 'module_refresh' && resource?.id === module.id) ||
    isTakenAlong(walk, happened, module);
  const follows = life.autoRevision || collects;
  for (const module of life.modules) {
    const isEdited = life.toCollect.has(module) && module.enabled;
    const asked = await isAsked(module);
    if (follows && isEdited && !asked)
      throw new Contradiction(`Module ${module.name} was edited, and not collected`);
    const kept = life.kept.get(module.id);
    if (asked && isEdited && kept !== undefined) kept.isCollected = true;
    if (asked) collect(life, module);
    if (asked || !module.enabled) life.toCollect.delete(module);
  }
  for (const module of life.toCollect) if (!life.modules.includes(module)) life.toCollect.delete(module);
}

/** An apply to all follows by itself: of what some speaker does not run. */
function bring(life: Life, revision: RevisionModel): void {
  if (!life.isFrozen) return life.bringToAll(revision);
  const { speakers } = life;
  if (!speakers.some(({ enabled, applied }) => enabled && applied?.contentHash !== revision.contentHash))
    return;
  life.stopped = revision;
  life.waiting.clear();
}

/** A build that finds the newest revision to hold everything makes none, and brings that one to speakers that run another. */
function isBroughtAgain({ isFrozen, latest }: Life, { jobs }: Happened): boolean {
  const asked = new Set(jobs.map(({ result }) => result?.apply_job_id));
  const end = isFrozen ? 'failed' : 'succeeded';
  return jobs.some(
    ({ id, type, state, resource }) =>
      type === 'apply' && state === end && asked.has(id) && resource?.id === latest?.id,
  );
}

function checkJobs(walk: Walk, { jobs }: Happened, { failures = [] }: Expected): void {
  for (const { type, state, error, resource } of jobs) {
    const module = walk.life.modules.find(({ id }) => id === resource?.id);
    // A module that can read nothing has nothing to build from, whoever asked for its refresh; and no other fails so.
    const isHopeless = type === 'module_refresh' ? walk.isHopeless(module) : 'never';
    if (error?.code === 'refresh_failed' && isHopeless !== 'never') continue;
    if (type === 'apply' && walk.life.isFrozen && error?.code === 'deploy_frozen') continue;
    // Nobody overrides for an apply that follows by itself; a guardrail may be tighter than when the revision became ready.
    const applied = walk.life.revisions.find(({ id }) => type === 'apply' && id === resource?.id);
    if (applied !== undefined && brokenBy(walk.life, applied).includes(error?.code ?? '')) continue;
    if (state === 'failed' && !failures.includes(error?.code ?? ''))
      throw new Contradiction(`The job ${type} failed: ${JSON.stringify(error)}`);
    if (state === 'succeeded' && isHopeless === 'always')
      throw new Contradiction(
        `The refresh of module ${module!.name} ended well, and nothing of it can be read`,
      );
  }
}

/** @returns whether something is found against what is built now */
function checkRevision(walk: Walk, { revisions }: Happened, expected: Expected): boolean {
  const { life } = walk;
  const wanted = expected.revision?.routes ?? routesOf(life);
  const made = revisions.at(-1);
  const isHeld =
    expected.revision === undefined
      ? wanted.size > life.maxPrefixes ||
        brokenTogether(life, judge(life), wanted).length > 0 ||
        isTooMuchLeft(life)
      : brokenBy(life, expected.revision).length > 0;
  if (made !== undefined && made.state !== (isHeld ? 'held' : 'ready'))
    throw new Contradiction(`Revision ${made.number} is ${made.state} without a cause`);
  const isDue =
    expected.builds === true ||
    expected.revision !== undefined ||
    (life.autoRevision && differenceOf(life.built, wanted) !== null);
  if (made === undefined && !isDue) return isHeld;
  if (made !== undefined && expected.makesNothing === true)
    throw new Contradiction(`Revision ${made.number} was made for nothing`);
  if (expected.revision === undefined) life.built = wanted;
  const newest = life.revisions.at(-1)?.routes ?? new Map<string, readonly string[]>();
  const difference = differenceOf(newest, wanted);
  if (difference !== null)
    throw new Contradiction(
      `${made === undefined ? 'No revision was made, and the latest' : `Revision ${made.number}`} has other routes than it is to have: ${difference}`,
    );
  return isHeld;
}
