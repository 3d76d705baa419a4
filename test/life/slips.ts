/** Modules that stay as they were, because edits of them would take too much away from speakers. */
import type { Family } from '../../src/core/address.ts';
import { idsOf, isMoved, listOf } from './kept.ts';
import type { Input, ListState, ModuleModel, ReleasedSlip, RevisionModel, Routes, Slip } from './model.ts';
import type { Life } from './life.ts';
import { judgeWith, routesWith, keptStays } from './judging.ts';
import { contributionsIn } from './snapshots.ts';
import { differenceOf, familyOf } from './routes.ts';
import { plainText } from '../oracle/aggregate.ts';
import { FAMILIES } from './prefixes.ts';

/** A speaker that runs fewer prefixes of a family may lose all of them. */
const FEW = 100;

/** What a module would take away in one family. */
interface Loss {
  readonly module: ModuleModel;
  readonly lost: ReadonlySet<string>;
  /** Of that, what somebody let through. */
  readonly released: ReadonlySet<string>;
  /** Whether it may stay as the latest ready revision has it: it has changed since. */
  readonly isHoldable: boolean;
}

/** What would leave a speaker in one family. */
interface Losses {
  readonly before: ReadonlySet<string>;
  /** What vanishes, without what sources took away and what somebody let through. */
  readonly left: ReadonlySet<string>;
  /** Of modules that nobody has let through as they are. */
  readonly losses: readonly Loss[];
  /** Modules that take away what was let through, by their ids. */
  readonly released: readonly string[];
}

/** The modules of slips that a revision has as they were, if it is built now. */
export function slipsNow(life: Life): Map<string, Slip> {
  const held = new Map<string, Slip>();
  if (!life.hasSlips || life.standing === null) return held;
  for (;;) {
    const more = toHold(life, held).filter(({ id }) => !held.has(id));
    if (more.length === 0) return held;
    for (const module of more) {
      const bound = boundSlip(life, module.id);
      const input = life.standing.inputs.get(module.id) ?? null;
      const now = { module, input, state: stateOf(life, module), limit: life.maxWithdraw };
      held.set(module.id, bound === null ? now : { ...bound, input });
    }
  }
}

/**
 * A revision was built. What was let through stays so until speakers have it, also once the list is edited again: then less of it counts.
 * @param inputs of the revision that has it now; null: it is held, so that none gets it
 */
export function settleSlips(life: Life, inputs: RevisionModel['inputs'] | null): void {
  const stays = releasesThatStay(life);
  life.slips = slipsNow(life);
  life.releasedSlips = new Map(
    stays.map(([id, slip]) => {
      const isFirst = slip.input === undefined && inputs !== null;
      return [id, isFirst ? { ...slip, input: inputs.get(id) ?? null } : slip];
    }),
  );
}

function releasesThatStay(life: Life): [string, ReleasedSlip][] {
  const known = [...life.releasedSlips];
  if (known.length === 0) return [];
  const running = runningOf(life);
  const stays = [...keptStays(life), ...slipsNow(life).values()];
  const next = routesWith(life, stays);
  const isAsBefore = running === null || differenceOf(next, life.standing?.routes ?? new Map()) === null;
  const all = new Map(life.modules.map((module) => [module.id, module]));
  if (isAsBefore)
    return known.filter(([id, { input, state }]) => {
      const module = all.get(id) ?? life.slips.get(id)?.module;
      return input !== undefined || (module !== undefined && stateOf(life, module) === state);
    });
  const move = moveWith(life, slipsNow(life));
  if (move === null) return [];
  const losing = FAMILIES.flatMap((family) => lossesIn(family, life, move).released);
  return known.filter(([id]) => losing.includes(id));
}

/**
 * Whether a revision that is built now is held: of what a speaker runs that is behind, modules have taken too much away in revisions that it
 * has not got, and none can stay for that.
 */
export function isTooMuchLeft(life: Life): boolean {
  if (!life.hasSlips || life.standing === null) return false;
  const move = moveWith(life, slipsNow(life));
  if (move === null) return false;
  return FAMILIES.some((family) => {
    const { before, left } = lossesIn(family, life, move);
    return isTooMuch(life, before, left);
  });
}

/** What an operator has made of the module, by which an edit is told. */
export function stateOf(life: Life, module: ModuleModel): string {
  const { absence, purpose, families, entries, keys }: ListState = listOf(life, module);
  if (absence !== null) return absence;
  const told = Array.from(entries, ([id, [own, ofModule]]) => [
    ...[id, idsOf(own)],
    idsOf(life.carriedBy({ community: ofModule }, own)),
  ]);
  return JSON.stringify([purpose, families, told.sort(), keys.split('\n').sort()]);
}

function boundSlip(life: Life, id: string): Slip | null {
  const slip = life.slips.get(id);
  if (slip === undefined || life.maxWithdraw > slip.limit || isReleased(life, slip.module)) return null;
  return slip.state === stateOf(life, slip.module) ? slip : null;
}

function isReleased(life: Life, module: ModuleModel): boolean {
  return life.releasedSlips.get(module.id)?.state === stateOf(life, module);
}

/**
 * What enabled speakers run, as the newest ready revision of that content has it: one that changes nothing is not applied, although its modules
 * may have been edited. Null: there is none that runs anything.
 */
function runningOf({ speakers, revisions, standing }: Life): RevisionModel | null {
  const applied = speakers.find(({ enabled, applied: one }) => enabled && one !== null)?.applied ?? null;
  if (applied === null) return null;
  const { number: from, contentHash } = applied;
  const to = standing?.number ?? from;
  const newest = revisions.findLast(
    (one) =>
      one.contentHash === contentHash && one.state === 'ready' && from <= one.number && one.number <= to,
  );
  return newest ?? applied;
}

/** The modules to hold while the others are held already. */
function toHold(life: Life, held: ReadonlyMap<string, Slip>): ModuleModel[] {
  if (runningOf(life) === null)
    return [...life.slips.values()]
      .map(({ module }) => module)
      .filter(({ id }) => boundSlip(life, id) !== null);
  const move = moveWith(life, held);
  return move === null ? [] : [...new Set(FAMILIES.flatMap((family) => toHoldIn(family, life, move)))];
}

interface Move {
  readonly running: RevisionModel;
  readonly next: Routes;
  readonly after: ReadonlyMap<string, Input>;
}

/** From what speakers run to what is built now; null: nothing is taken away, or that was judged before. */
function moveWith(life: Life, held: ReadonlyMap<string, Slip>): Move | null {
  const running = runningOf(life);
  const stays = [...keptStays(life), ...held.values()];
  const next = routesWith(life, stays);
  if (running === null || differenceOf(next, life.standing!.routes) === null) return null;
  if (differenceOf(next, running.routes) === null) return null;
  const after = new Map(
    judgeWith(life, stays).flatMap(({ module, used }) => (used === null ? [] : [[module.id, used] as const])),
  );
  return { running, next, after };
}

function lossesIn(family: Family, life: Life, { running, next, after }: Move): Losses {
  const before = hostsOf(family, running.routes.keys());
  const gone = without(before, hostsOf(family, next.keys()));
  const ids = [...new Set([...[...running.inputs.keys()].sort(), ...after.keys()])];
  const losses = ids.map((id): Loss => {
    const [then, now] = [running.inputs.get(id) ?? null, after.get(id) ?? null];
    const { module } = (then ?? now)!;
    const lost = both(lostFrom(life, family, then, now), gone);
    const input = life.releasedSlips.get(id)?.input;
    const before = input === undefined ? new Set<string>() : both(lost, lostFrom(life, family, then, input));
    return {
      ...{ module, lost, released: isReleased(life, module) ? lost : before },
      isHoldable: isHoldable(life, id, then, now),
    };
  });
  const released = losses.filter((loss) => loss.released.size > 0);
  const byItself = ids.flatMap((id) => [
    ...movedByItself(life, family, running.inputs.get(id) ?? null, after.get(id) ?? null),
  ]);
  const left = without(
    without(gone, new Set(byItself)),
    new Set(released.flatMap((loss) => [...loss.released])),
  );
  return {
    ...{ before, left, released: released.map(({ module }) => module.id) },
    losses: losses.filter(({ module }) => !isReleased(life, module)),
  };
}

/** What the module announces no more, and what it has begun to take out. */
function lostFrom(life: Life, family: Family, then: Input | null, now: Input | null): Set<string> {
  const announced = without(share(life, family, then, 'announce'), share(life, family, now, 'announce'));
  const excluded = without(share(life, family, now, 'exclude'), share(life, family, then, 'exclude'));
  return new Set([...announced, ...excluded]);
}

/** What a speaker that is behind still has of a module that has left it since is no reason to bring it back. */
function isHoldable({ standing }: Life, id: string, then: Input | null, now: Input | null): boolean {
  const ready = standing!.inputs.get(id) ?? null;
  if (ready === null) return then === null && now !== null;
  return isMoved(ready, now ?? undefined);
}

function isTooMuch(life: Life, before: ReadonlySet<string>, left: ReadonlySet<string>): boolean {
  return before.size >= FEW && left.size * 100 > life.maxWithdraw * before.size;
}

function toHoldIn(family: Family, life: Life, move: Move): ModuleModel[] {
  const { before, left: vanished, losses } = lossesIn(family, life, move);
  let left = vanished;
  const ofSize = losses
    .filter((loss) => loss.isHoldable)
    .map((loss) => ({ ...loss, lost: both(loss.lost, left) }))
    .sort((one, other) => other.lost.size - one.lost.size);
  const isBound = ({ module }: Loss): boolean => boundSlip(life, module.id) !== null;
  const ordered = [...ofSize.filter(isBound), ...ofSize.filter((loss) => !isBound(loss))];
  return ordered.flatMap((loss) => {
    const own = both(loss.lost, left);
    if (own.size === 0 || !(isBound(loss) || isTooMuch(life, before, left))) return [];
    left = without(left, own);
    return [loss.module];
  });
}

/** What sources that nobody edited have ceased to say, or begun to say of what is excluded. */
function movedByItself(life: Life, family: Family, then: Input | null, now: Input | null): Set<string> {
  if (then === null || now?.purpose !== then.purpose || then.module.type === 'IP_RANGES') return new Set();
  const [asked, asks] = [then, now].map(({ snapshot }) => life.askedFor.get(snapshot));
  const said = ({ snapshot }: Input): Set<string> =>
    hostsOf(
      family,
      Array.from(snapshot).flatMap(([id, rows]) => (asked?.get(id) === asks?.get(id) ? rows : [])),
    );
  return then.purpose === 'exclude' ? without(said(now), said(then)) : without(said(then), said(now));
}

function without(set: ReadonlySet<string>, other: ReadonlySet<string>): Set<string> {
  return new Set([...set].filter((one) => !other.has(one)));
}

function both(set: ReadonlySet<string>, other: ReadonlySet<string>): Set<string> {
  return new Set([...set].filter((one) => other.has(one)));
}

/** What the module takes in, or out, as this says. All prefixes of such walks are single addresses. */
function share(life: Life, family: Family, input: Input | null, purpose: Input['purpose']): Set<string> {
  if (input?.purpose !== purpose) return new Set();
  return hostsOf(
    family,
    contributionsIn(life, input).flatMap(({ prefixes }) => prefixes.map(plainText)),
  );
}

function hostsOf(family: Family, texts: Iterable<string>): Set<string> {
  return new Set([...texts].filter((text) => familyOf(text) === family));
}
