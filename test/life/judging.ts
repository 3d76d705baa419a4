/** The part of the oracle that says what a revision is to have of each module while some stay as they were: what is held, what is kept, and the routes of all. */
import type { BigPrefix } from '../oracle/big-prefix.ts';
import type { Input, ModuleModel, Routes, Snapshot } from './model.ts';
import type { Life } from './life.ts';
import { brokenByList, isAsRunning, isMergedTooShort } from './guardrails.ts';
import { inputOf, keptNow } from './kept.ts';
import { coverOf, FAMILIES } from './prefixes.ts';
import { contributionsIn, isEmpty, isSame } from './snapshots.ts';

/** A module that stays as it was. */
export interface Stay {
  readonly module: ModuleModel;
  /** Null: it stays away. */
  readonly input: Input | null;
}

/** What a revision that is built now has of a module. */
export interface Verdict {
  readonly module: ModuleModel;
  /** Null: nothing. */
  readonly used: Input | null;
  /** Whether that is not what was collected last, which breaks a guardrail. */
  readonly isHeld: boolean;
  /** Whether it stays as it was, and its list does not matter. */
  readonly isKept: boolean;
  /** The codes of those that what is used breaks, and that nobody let it through for. */
  readonly broken: readonly string[];
}

/** Modules that stay as a rollback brought them back. */
export function keptStays(life: Life): Stay[] {
  return keptNow(life).map(({ input }) => ({ module: input.module, input }));
}

/** The same while these stay as they were. */
export function judgeWith(life: Life, stays: readonly Stay[], isJustRolledBack = false): Verdict[] {
  const enabled = life.modules.filter((module) => module.enabled);
  const excluding = excludingInputs(life, stays);
  const excluded = excludedBy(life, excluding);
  const kept = isJustRolledBack ? [] : stays;
  const brokenOf = (input: Input | null): string[] =>
    input?.purpose === 'announce'
      ? brokenByList(life, contributionsIn(life, input), excluded).filter((code) => !input.released.has(code))
      : [];
  const instead = (input: Input | null): Pick<Verdict, 'used' | 'broken'> => {
    const broken = brokenOf(input);
    if (input === null || broken.length === 0 || !isAsRunning(life, input, excluding))
      return { used: input, broken };
    return { used: { ...input, released: new Set([...input.released, ...broken]) }, broken: [] };
  };
  const verdicts = enabled.map((module): Verdict => {
    const counted = new Set(module.entries.filter((entry) => entry.enabled).map(({ id }) => id));
    const latest = inputOf(life, module, { snapshot: module.snapshot, counted });
    const { accepted } = module;
    const isBack =
      isStillTakenBack(life, module, module.snapshot) && (isJustRolledBack || !isSettled(life, module));
    if (brokenOf(latest).length === 0 && !isBack)
      return { module, used: latest, isHeld: false, isKept: false, broken: [] };
    const share = accepted === null ? null : inputOf(life, module, accepted);
    return { module, isHeld: true, isKept: false, ...instead(share) };
  });
  const keptVerdicts = kept.map(({ module, input }): Verdict => {
    const isHeld = verdicts.find((one) => one.module === module)?.isHeld === true;
    return { module, isHeld, isKept: true, ...instead(input) };
  });
  const others = verdicts.filter(({ module }) => !keptVerdicts.some((one) => one.module === module));
  return [...others, ...keptVerdicts].sort((one, other) => (one.module.id < other.module.id ? -1 : 1));
}

/** Codes of the guardrails about routes that a revision breaks which is built of these. */
export function brokenTogether(life: Life, verdicts: readonly Verdict[], routes: Routes): string[] {
  const lists = verdicts.flatMap(({ used }) =>
    used?.purpose === 'announce'
      ? [{ released: used.released, contributions: contributionsIn(life, used) }]
      : [],
  );
  const merged = isMergedTooShort(life, routes, lists) ? ['prefix_too_short'] : [];
  return [...new Set([...verdicts.flatMap(({ broken }) => broken), ...merged])].sort();
}

/** What a rollback took back: what is left of it, once entries have left by themselves, is taken back as that was. */
export function takenBackNow(
  { left }: Pick<Life, 'left'>,
  { takenBack, snapshot }: Pick<ModuleModel, 'takenBack' | 'snapshot'>,
): Snapshot | null {
  if (takenBack === null) return null;
  const rowsOf = (of: Snapshot, id: string): string => [...(of.get(id) ?? [])].sort().join();
  const isLeftOver = [...new Set([...takenBack.keys(), ...snapshot.keys()])].every(
    (id) => rowsOf(snapshot, id) === rowsOf(takenBack, id) || (rowsOf(snapshot, id) === '' && left.has(id)),
  );
  return isLeftOver ? snapshot : takenBack;
}

/** Whether a rollback keeps it from having this snapshot, of which entries may have left by themselves since. */
export function isStillTakenBack(life: Life, module: ModuleModel, snapshot: Snapshot): boolean {
  return isTakenBack({ ...module, snapshot, takenBack: takenBackNow(life, { ...module, snapshot }) });
}

/**
 * Whether a rollback keeps it from having what was collected last: that very content, or any that sources say of a module that the old revision
 * did not have. An exclusion that it did not have goes on.
 */
function isTakenBack({ accepted, takenBack, released, snapshot, purpose, type }: ModuleModel): boolean {
  if (takenBack === null || isSame(released, snapshot)) return false;
  if (accepted !== null && !isEmpty(accepted.snapshot))
    return isSame(takenBack, snapshot) && !isSame(accepted.snapshot, snapshot);
  // Nothing of a written list comes by itself.
  if (type === 'IP_RANGES' && isEmpty(snapshot)) return false;
  return purpose === 'announce' && (isSame(takenBack, snapshot) || type !== 'IP_RANGES');
}

/** Whether there is nothing left to decide about what was taken back. */
function isSettled(life: Life, module: ModuleModel): boolean {
  return isCorrected(life, module) || isAsGivenBack(life, module);
}

/** Whether all that differs from what a rollback gave back has left by itself, and nothing counts that did not then. */
function isAsGivenBack(life: Life, module: ModuleModel): boolean {
  const { left } = life;
  const { accepted, snapshot, entries } = module;
  if (left.size === 0 || accepted === null || !isSame(takenBackNow(life, module), snapshot)) return false;
  const enabled = new Set(entries.filter((entry) => entry.enabled).map(({ id }) => id));
  const rowsOf = (of: Snapshot, id: string): string => [...(of.get(id) ?? [])].sort().join();
  return [...new Set([...accepted.snapshot.keys(), ...snapshot.keys()])].every((id) => {
    const isLeft = left.has(id);
    const counts = accepted.counted.has(id) || isLeft || !enabled.has(id);
    const isEqual = rowsOf(snapshot, id) === rowsOf(accepted.snapshot, id);
    return counts && (isEqual || (rowsOf(snapshot, id) === '' && isLeft));
  });
}

/** Whether an entry that had something in what was taken back counts no more, and did not leave by itself: that is no content of then. */
function isCorrected(life: Life, module: ModuleModel): boolean {
  const { left } = life;
  const { entries, snapshot, takenCounted } = module;
  if (!isSame(takenBackNow(life, module), snapshot)) return false;
  const enabled = new Set(entries.filter((entry) => entry.enabled).map(({ id }) => id));
  const corrects = (id: string): boolean =>
    !enabled.has(id) && !left.has(id) && (snapshot.get(id)?.length ?? 0) > 0;
  return [...takenCounted].some(corrects);
}

/** The modules that take something out, as a revision has them that is built now. */
function excludingInputs(life: Life, stays: readonly Stay[]): Input[] {
  const stay = new Set(stays.map(({ module }) => module));
  const others = life.modules
    .filter((module) => module.enabled && module.purpose === 'exclude' && !stay.has(module))
    .map((module) => {
      const isBack = isTakenBack(module) && !isSettled(life, module);
      const counted = new Set(module.entries.map(({ id }) => id));
      return inputOf(life, module, isBack ? module.accepted! : { snapshot: module.snapshot, counted });
    });
  const kept = stays.flatMap(({ input }) => (input?.purpose === 'exclude' ? [input] : []));
  return [...others, ...kept];
}

/** What these take out. */
function excludedBy(life: Life, excluding: readonly Input[]): BigPrefix[] {
  return excluding.flatMap((input) => contributionsIn(life, input).flatMap(({ prefixes }) => prefixes));
}

/** {@link routesOf} while these stay as they were. */
export function routesWith(life: Life, stays: readonly Stay[]): Routes {
  const excluded = excludedBy(life, excludingInputs(life, stays));
  const byCommunity = new Map<string | null, BigPrefix[]>();
  for (const { used } of judgeWith(life, stays))
    for (const { communities, prefixes } of used?.purpose === 'announce' ? contributionsIn(life, used) : [])
      for (const community of communities.length === 0 ? [null] : communities) {
        const known = byCommunity.get(community) ?? [];
        byCommunity.set(community, known);
        for (const prefix of prefixes) known.push(prefix);
      }
  const routes = new Map<string, string[]>();
  for (const [community, prefixes] of byCommunity)
    for (const family of FAMILIES)
      for (const prefix of coverOf(family, prefixes, excluded)) {
        const communities = routes.get(prefix) ?? [];
        routes.set(prefix, communities);
        if (community !== null) communities.push(community);
      }
  for (const communities of routes.values()) communities.sort();
  return routes;
}
