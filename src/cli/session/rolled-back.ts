/** What becomes of a list that a rollback holds, once an edit gives it other content: what the rollback took back counts again. */
import { ApiProblem, type Page, type Schemas } from '#client';
import { covers } from '../../core/bits.ts';
import { type Prefix, parsePrefix } from '../../core/prefix.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { counted, named } from '../render/counted.ts';
import { shellWord } from '../render/shell-word.ts';
import { isWithin } from './is-within.ts';
import type { Session } from './run-remote.ts';

type Effect = Pick<Schemas['Effect'], 'summary' | 'items' | 'has_more'>;
type Change = Effect['items'][number];

/** A list that is held for content that a rollback took back, as it is before the edit. */
export interface RolledBack {
  readonly id: string;
  readonly name: string;
  /** What its release would withdraw, which the rollback brought back, and what it would announce; null: too much to look through. */
  readonly differs: { readonly brought: readonly Prefix[]; readonly taken: readonly Prefix[] } | null;
  /** What was removed of it and can be put back, the last one first. */
  readonly removed: readonly Schemas['RemovedEntries'][];
}

/** Whether the module is held for content that a rollback took back. */
export function isRolledBack({ held }: Pick<Schemas['Module'], 'held'>): boolean {
  return held?.findings.some(({ code }) => code === 'rolled_back') === true;
}

/** Routes of a difference that are looked through, and removals. */
const LOOKED_THROUGH = 500;
const REMOVALS = 50;

export function readRolledBack(
  session: Session,
  modules: readonly Schemas['Module'][],
): Promise<RolledBack[]> {
  return Promise.all(
    modules.filter(isRolledBack).map(async ({ id, name }) => {
      const path = `${NOUNS.module.path}/${id}`;
      const diff = await read<Page<Change>>(session, `${path}/held/diff`, LOOKED_THROUGH);
      const removed = await read<Page<Schemas['RemovedEntries']>>(
        session,
        `${path}/removed-entries`,
        REMOVALS,
      );
      const isWhole = diff?.next_cursor === null;
      const of = (change: Change['change']): Prefix[] =>
        prefixesOf((diff?.items ?? []).filter((one) => one.change === change));
      return {
        ...{ id, name },
        differs: isWhole ? { brought: of('withdrawn'), taken: of('announced') } : null,
        removed: (removed?.items ?? []).filter((one) => one.restored_at === null),
      };
    }),
  );
}

/** Null: it may be held no more by now, or be a list whose removals the key may not read. Words for people are in no way of a write. */
async function read<T>({ client }: Session, path: string, limit: number): Promise<T | null> {
  try {
    return (await (await client.request('GET', path, { query: { limit } })).json()) as T;
  } catch (error) {
    if (error instanceof ApiProblem) return null;
    throw error;
  }
}

/** What an edit does that frees these lists; null: nothing that a rollback did. */
export function freedText(
  { contextWords }: Pick<Session, 'contextWords'>,
  freed: readonly RolledBack[],
  effect: Effect,
): string | null {
  const { announced } = effect.summary;
  if (freed.length === 0) return null;
  const { isBack, lost, isCut } = movedOf(freed, effect);
  const [is, of] = freed.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const what = `${freed.map(({ name }) => name).join(', ')} ${is} held no more, and what a rollback took back of ${of}`;
  if (lost.length === 0)
    return isBack ? `${what} comes back with this: ${counted(announced, 'route')} announced in all` : null;
  const count = isCut ? effect.summary.withdrawn : lost.length;
  const { names } = named('route', lost);
  const back = freed.flatMap((one) => restoreLine(one, lost, { contextWords, isCut }));
  return [
    `${what} counts again: with this, ${isCut ? 'up to ' : ''}${counted(count, 'route')} that it had brought back ${count === 1 ? 'is' : 'are'} withdrawn (${names}), and ${announced} announced`,
    ...back,
  ].join('\n');
}

interface Moved {
  /** Something comes back that the rollback took back. */
  readonly isBack: boolean;
  /** What goes that the rollback had brought back, by its prefixes. */
  readonly lost: readonly string[];
  /** There may be more of it. */
  readonly isCut: boolean;
}

function movedOf(freed: readonly RolledBack[], { items, has_more: isCut }: Effect): Moved {
  const known = freed.flatMap(({ differs }) => differs ?? []);
  const areKnown = known.length === freed.length;
  const isAmong = (some: readonly Prefix[], { prefix }: Change): boolean =>
    !areKnown || prefixesOf([{ prefix }]).some((one) => some.some((other) => overlap(one, other)));
  const brought = known.flatMap((one) => one.brought);
  const taken = known.flatMap((one) => one.taken);
  const announced = items.filter(({ change }) => change === 'announced');
  const withdrawn = items.filter(({ change }) => change === 'withdrawn');
  const lost = withdrawn.filter((one) => isAmong(brought, one) && !isMerged(one, announced));
  return { isBack: announced.some((one) => isAmong(taken, one)), lost: lost.map(prefixOf), isCut };
}

/** Whether a wider route of the same communities takes its place: its addresses stay what they are. */
function isMerged(gone: Change, announced: readonly Change[]): boolean {
  const before = communitiesOf(gone.communities_before);
  return announced.some(
    (one) => isWithin(gone.prefix, one.prefix) && communitiesOf(one.communities_after) === before,
  );
}

function communitiesOf(all: Change['communities_before']): string {
  return JSON.stringify(all.map(({ community }) => community).sort());
}

/** How that comes back first which was removed; empty where nothing of it was removed, as of what has ended by itself. */
function restoreLine(
  { name, removed }: RolledBack,
  lost: readonly string[],
  { contextWords, isCut }: { readonly contextWords: string; readonly isCut: boolean },
): string[] {
  const gone = prefixesOf(lost.map((prefix) => ({ prefix })));
  const batches = removed.filter(({ names }) =>
    prefixesOf(names.map((prefix) => ({ prefix }))).some((one) => gone.some((other) => overlap(one, other))),
  );
  const program = `prefixcast${contextWords} entry`;
  const word = shellWord(name);
  if (batches.length > 0)
    return batches.map(
      ({ id, names }) =>
        `To keep what was removed (${names.join(', ')}${names.length === 3 ? ', …' : ''}), put it back first: ${program} restore ${word} ${id}`,
    );
  // Of many entries three are named, and sources are not called by what they have.
  const isUnsure = removed.some(
    ({ names, entry_count: count }) =>
      isCut || count > names.length || prefixesOf(names.map((prefix) => ({ prefix }))).length < names.length,
  );
  return isUnsure ? [`What was removed of ${name}: ${program} removed ${word}`] : [];
}

function prefixOf({ prefix }: Pick<Change, 'prefix'>): string {
  return prefix;
}

/** What is no prefix, as a name of a source, is none of them. */
function prefixesOf(all: readonly Pick<Change, 'prefix'>[]): Prefix[] {
  return all.flatMap(({ prefix }) => {
    const parsed = parsePrefix(prefix);
    return parsed.ok ? [parsed.value] : [];
  });
}

function overlap(one: Prefix, other: Prefix): boolean {
  if (one.family !== other.family) return false;
  const [outer, inner] = one.length <= other.length ? [one, other] : [other, one];
  return covers(outer.words, 0, outer.length, inner.words, 0);
}
