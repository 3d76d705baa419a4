/** Modules that stay as a rollback brought them back, although their lists lack that. */
import type {
  CommunityModel,
  Input,
  Kept,
  ListState,
  ModuleModel,
  RevisionModel,
  Share,
  Snapshot,
} from './model.ts';
import type { Life } from './life.ts';
import { isEmpty, isSame } from './snapshots.ts';

/** What a revision that is built now has of a module whose list it follows. */
export function inputOf(life: Life, module: ModuleModel, share: Share): Input {
  const counted = module.entries.filter(({ id, enabled }) => enabled && share.counted.has(id));
  return {
    ...{ module, snapshot: share.snapshot, counted: new Set(counted.map(({ id }) => id)) },
    ...{ purpose: module.purpose, families: module.families },
    communities: new Map(counted.map(({ id, communities }) => [id, life.carriedBy(module, communities)])),
    released: isSame(module.released, share.snapshot) ? module.releasedFor : new Set(),
  };
}

/** The modules that a revision that is built now keeps: not those that lack nothing more, since it has left by itself. */
export function keptNow(life: Life): Kept[] {
  const hasLeft = life.left.size > 0;
  return [...life.kept.values()].filter(
    (kept) => !isEdited(life, kept) && !(hasLeft && !lacks(life, kept.input)),
  );
}

export function isKept(life: Life, { id }: ModuleModel): boolean {
  return keptNow(life).some(({ input }) => input.module.id === id);
}

/** A revision was built: who was edited is kept no more. */
export function settleKept(life: Life): void {
  const stays = keptNow(life);
  life.kept = new Map(stays.map((kept) => [kept.input.module.id, kept]));
  for (const kept of stays) {
    kept.list = listOf(life, kept.input.module);
    kept.isCollected = false;
  }
}

/** A rollback is ready. @param before the revision that is left */
export function keepBroughtBack(life: Life, { inputs }: RevisionModel, before: RevisionModel | null): void {
  const former = life.kept;
  life.kept = new Map();
  for (const [id, input] of inputs) {
    const left = before?.inputs.get(id);
    const isUnchanged = left !== undefined && isSameInput(left, input) && !former.has(id);
    if (isUnchanged || isEmpty(input.snapshot) || !lacks(life, input)) continue;
    life.kept.set(id, { input, list: listOf(life, input.module), isCollected: false });
  }
}

/** Whether a rollback changes what a revision has of a module. */
export function isMoved(before: Input | undefined, after: Input | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return !isSameInput(before, after);
}

function isSameInput(one: Input, other: Input): boolean {
  const textOf = ({ purpose, families, communities }: Input): string =>
    JSON.stringify([purpose, families, Array.from(communities, ([id, own]) => [id, idsOf(own)]).sort()]);
  return isSame(one.snapshot, other.snapshot) && textOf(one) === textOf(other);
}

/** Whether the list of the module, as it is now, brings other than all of the input. */
function lacks(life: Life, input: Input): boolean {
  const { module, purpose, families, communities, snapshot } = input;
  if (!life.modules.includes(module) || !module.enabled)
    return life.left.size === 0 || [...communities.keys()].some((id) => hasRows(life, snapshot, id));
  if (module.purpose !== purpose || module.families.join() !== families.join()) return true;
  const carried = (some: readonly CommunityModel[] | undefined): string | undefined =>
    some === undefined
      ? undefined
      : purpose === 'exclude'
        ? ''
        : some
            .map(({ value }) => value)
            .sort()
            .join();
  const now = inputOf(life, module, {
    snapshot,
    counted: new Set(module.entries.map(({ id }) => id)),
  }).communities;
  return [...snapshot.keys()].some(
    (id) => hasRows(life, snapshot, id) && carried(communities.get(id)) !== carried(now.get(id)),
  );
}

/** Of an entry that has not left by itself. */
function hasRows({ left }: Life, snapshot: Snapshot, id: string): boolean {
  return !left.has(id) && (snapshot.get(id)?.length ?? 0) > 0;
}

export function listOf(life: Life, module: ModuleModel): ListState {
  const { purpose, families, entries, community, keys, enabled } = module;
  const absence = life.modules.includes(module) ? (enabled ? null : 'disabled') : 'gone';
  const counted = entries.filter((entry) => entry.enabled);
  return {
    ...{ absence, purpose, families, keys },
    entries: new Map(counted.map((entry) => [entry.id, [entry.communities, community]])),
  };
}

/** What sources bring, and what leaves by itself, is no edit. */
function isEdited(life: Life, { input: { module }, list: then, isCollected }: Kept): boolean {
  const now = listOf(life, module);
  if (now.absence !== then.absence) return true;
  if (now.absence !== null) return false;
  if (groupsOf(life, now) !== groupsOf(life, then)) return true;
  return isCollected && keysOf(life, now) !== keysOf(life, then);
}

/** Communities by their ids, whatever their order. */
export function idsOf(communities: readonly CommunityModel[]): string {
  return communities
    .map(({ id }) => id)
    .sort()
    .join();
}

/** Entries by their own communities, with what each of these groups carries. */
function groupsOf({ left, defaultCommunity }: Life, { purpose, families, entries }: ListState): string {
  const counted = Array.from(entries, ([id, [own, ofModule]]) => ({ id, own, ofModule })).filter(
    ({ id }) => !left.has(id),
  );
  const groups = Map.groupBy(counted, ({ own }) => idsOf(own));
  const told = Array.from(groups, ([own, some]) => [
    own,
    ...some.map(({ id }) => id).sort(),
    own === '' ? (some[0]!.ofModule ?? defaultCommunity)?.id : own,
  ]);
  return JSON.stringify([
    purpose,
    families,
    told
      .map(([own, ...rest]) => ({ own, rest }))
      .sort((one, other) => (one.own! < other.own! ? -1 : 1))
      .map(({ rest }) => rest),
  ]);
}

function keysOf({ left }: Life, { keys }: ListState): string {
  return keys
    .split('\n')
    .filter((line) => !left.has(line.split(' ')[0]!))
    .join('\n');
}
