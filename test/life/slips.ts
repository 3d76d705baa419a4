/** Modules that stay as they were, because edits of them would take too much away from speakers. */
import type { Family } from '../../src/core/address.ts';
import { listOf } from './kept.ts';
import type { Input, Life, ListState, ModuleModel, Routes, Slip } from './model.ts';
import { contributionsIn, judgeWith, keptStays, routesWith } from './oracle.ts';
import { familyOf, differenceOf } from './routes.ts';
import { plainText } from '../oracle/aggregate.ts';

/** A speaker that runs fewer prefixes of a family may lose all of them. */
const FEW = 100;

/** What a module would take away in one family. */
interface Loss {
  readonly module: ModuleModel;
  readonly lost: ReadonlySet<string>;
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

/** A revision was built. What was let through stays so until speakers have it. */
export function settleSlips(life: Life): void {
  life.slips = slipsNow(life);
  if (runningOf(life) !== null) life.releasedSlips.clear();
}

/** What an operator has made of the module, by which an edit is told. */
export function stateOf(life: Life, module: ModuleModel): string {
  const { absence, purpose, families, entries, keys }: ListState = listOf(life, module);
  if (absence !== null) return absence;
  const told = Array.from(entries, ([id, [own, ofModule]]) => [
    ...[id, own?.id ?? null],
    (own ?? ofModule ?? life.defaultCommunity)?.id ?? null,
  ]);
  return JSON.stringify([purpose, families, told.sort(), keys.split('\n').sort()]);
}

function boundSlip(life: Life, id: string): Slip | null {
  const slip = life.slips.get(id);
  if (slip === undefined || life.maxWithdraw > slip.limit || isReleased(life, slip.module)) return null;
  return slip.state === stateOf(life, slip.module) ? slip : null;
}

function isReleased(life: Life, module: ModuleModel): boolean {
  return life.releasedSlips.get(module.id) === stateOf(life, module);
}

/** What enabled speakers run; null: there is none that runs anything. */
function runningOf({ speakers }: Life): Routes | null {
  const running = speakers.find(({ enabled, applied }) => enabled && applied !== null);
  return running?.applied?.routes ?? null;
}

/** The modules to hold while the others are held already. */
function toHold(life: Life, held: ReadonlyMap<string, Slip>): ModuleModel[] {
  const running = runningOf(life);
  const bound = [...life.slips.values()].filter(({ module }) => boundSlip(life, module.id) !== null);
  if (running === null) return bound.map(({ module }) => module);
  const stays = [...keptStays(life), ...held.values()];
  const next = routesWith(life, stays);
  if (differenceOf(next, life.standing!.routes) === null) return [];
  const after = new Map(
    judgeWith(life, stays).flatMap(({ module, used }) => (used === null ? [] : [[module.id, used] as const])),
  );
  return [
    ...new Set(
      (['ipv4', 'ipv6'] as const).flatMap((family) => toHoldIn(family, life, { running, next, after })),
    ),
  ];
}

interface Move {
  readonly running: Routes;
  readonly next: Routes;
  readonly after: ReadonlyMap<string, Input>;
}

function toHoldIn(family: Family, life: Life, { running, next, after }: Move): ModuleModel[] {
  const before = hostsOf(family, running.keys());
  const gone = without(before, hostsOf(family, next.keys()));
  const inputs = life.standing!.inputs;
  const ids = [...new Set([...[...inputs.keys()].sort(), ...after.keys()])];
  const losses = ids.map((id): Loss => {
    const [then, now] = [inputs.get(id) ?? null, after.get(id) ?? null];
    const announced = without(share(life, family, then, 'announce'), share(life, family, now, 'announce'));
    const excluded = without(share(life, family, now, 'exclude'), share(life, family, then, 'exclude'));
    return { module: (then ?? now)!.module, lost: both(new Set([...announced, ...excluded]), gone) };
  });
  const released = losses.filter(({ module }) => isReleased(life, module));
  const byItself = ids.flatMap((id) => [
    ...movedByItself(life, family, inputs.get(id) ?? null, after.get(id) ?? null),
  ]);
  let left = without(without(gone, new Set(byItself)), unionOf(released));
  const ofSize = losses
    .filter((loss) => !released.includes(loss))
    .map(({ module, lost }) => ({ module, lost: both(lost, left) }))
    .sort((one, other) => other.lost.size - one.lost.size);
  const isBound = ({ module }: Loss): boolean => boundSlip(life, module.id) !== null;
  const ordered = [...ofSize.filter(isBound), ...ofSize.filter((loss) => !isBound(loss))];
  return ordered.flatMap((loss) => {
    const own = both(loss.lost, left);
    const isTooMuch = before.size >= FEW && left.size * 100 > life.maxWithdraw * before.size;
    if (own.size === 0 || !(isBound(loss) || isTooMuch)) return [];
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

function unionOf(losses: readonly Loss[]): ReadonlySet<string> {
  return new Set(losses.flatMap(({ lost }) => [...lost]));
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
