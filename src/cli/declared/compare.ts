/** What differs between the files and the tenant. */
import { isDeepStrictEqual } from 'node:util';
import { memberOf } from '../render/formats.ts';
import type { FileFault } from './documents.ts';
import type { EntriesImport } from './entry-changes.ts';
import { KIND_NAMES, referencesOf, type KindName, type Members } from './kinds.ts';
import type { LiveObject, LiveState } from './live-state.ts';
import { digestOf, formerly, type OwnRecords } from './ownership.ts';
import type { Declared, DeclaredSet } from './read-set.ts';
import { SETTING_REFERENCES } from './schema.ts';

export interface MemberChange {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: KindName;
  readonly name: string;
  readonly live: LiveObject | null;
  readonly declared: Declared | null;
  readonly members: readonly MemberChange[];
  /** Names of the secrets that are written. */
  readonly secrets: readonly string[];
  /** What brings its entries to what its file says; empty where they are that, or have no file. */
  readonly imports: readonly EntriesImport[];
  /** Somebody has changed or deleted it since the set was applied last. */
  readonly byHand: boolean;
}

export type LiveOf = (declared: Declared) => LiveObject | null;

/**
 * The live object that a declared one is: by its name, by the one that it had, by what the set has applied under one of these, which somebody
 * has renamed by hand, or by what the set called so before it renamed it, as files of before do: a rename that is taken back in git.
 */
export function matching({ objects }: DeclaredSet, live: LiveState, own: OwnRecords): LiveOf {
  const ids = new Map<Declared, string>();
  const namesOf = ({ name, renamedFrom }: Declared): string[] => [
    name,
    ...(renamedFrom === null ? [] : [renamedFrom]),
  ];
  for (const one of objects) {
    const found = namesOf(one).map((name) => live.find(one.kind.name, name));
    const id = found.find((object) => object !== null)?.id;
    if (id !== undefined) ids.set(one, id);
  }
  const taken = new Set(ids.values());
  const applied = new Map([...own].map(([id, [kind, name]]) => [keyOf(kind, name), id]));
  const appliedTo = (one: Declared): (LiveObject | null)[] =>
    namesOf(one).map((name) => live.withId(applied.get(keyOf(one.kind.name, name)) ?? ''));
  const formerOf = (one: Declared): (LiveObject | null)[] => {
    const object = live.withId(formerly(own, one.kind.name, one.name) ?? '');
    return [object !== null && mayBecome(object, one) ? object : null];
  };
  for (const candidatesOf of [appliedTo, formerOf])
    for (const one of objects) {
      if (ids.has(one)) continue;
      const object = candidatesOf(one).find((known) => known !== null && !taken.has(known.id)) ?? null;
      if (object === null) continue;
      ids.set(one, object.id);
      taken.add(object.id);
    }
  return (declared) => live.withId(ids.get(declared) ?? '');
}

/** Another thing of an old name is none that was renamed: what the service does not change would have to be another. */
function mayBecome({ members }: LiveObject, { kind, members: wanted }: Declared): boolean {
  return kind.fixed.every((member) => isDeepStrictEqual(members[member], wanted[member]));
}

function keyOf(kind: string, name: string): string {
  return `${kind} ${name.toLowerCase()}`;
}

/** What the files call the objects whose names of before nothing has once the set is applied. */
function newNames({ objects }: DeclaredSet, liveOf: LiveOf): ReadonlyMap<string, string> {
  return new Map(
    objects.flatMap((one) => {
      const { kind, name, renamedFrom } = one;
      const before = liveOf(one)?.name ?? renamedFrom;
      const old = before?.toLowerCase() === name.toLowerCase() ? renamedFrom : before;
      return old === null ? [] : [[keyOf(kind.name, old), name] as const];
    }),
  );
}

/** Names in the files that neither they nor the tenant have, once they are applied. */
export function unknownReferences(set: DeclaredSet, live: LiveState, liveOf: LiveOf): FileFault[] {
  const { objects, settings } = set;
  const declared = new Set(objects.map(({ kind, name }) => keyOf(kind.name, name)));
  const renamed = newNames(set, liveOf);
  const kept = new Set(objects.flatMap((one) => liveOf(one)?.id ?? []));
  const faultOf = (noun: KindName | 'client', name: string, at: string): FileFault[] => {
    const id = live.idOf(noun, name);
    // What the files name otherwise has this name only until they are applied.
    const isThere = declared.has(keyOf(noun, name)) || (id !== null && !kept.has(id));
    if (isThere) return [];
    const now = renamed.get(keyOf(noun, name));
    if (now !== undefined)
      return [{ at, detail: `the ${noun} ${name} is called ${now} in these files: write ${now}` }];
    const own = objects.filter((one) => one.kind.name === noun);
    const titled = own.find(({ members }) => String(members.title).toLowerCase() === name.toLowerCase());
    if (titled !== undefined)
      return [
        {
          at,
          detail: `${name} is the title of ${titled.name}, and files name a ${noun} by that: write ${titled.name}`,
        },
      ];
    const others = own.map((one) => one.name);
    const near = live.nearestTo(noun, name, others);
    const remedy =
      near === undefined ? `write a file for it, or correct the name` : `did you mean "${near}"?`;
    return [{ at, detail: `there is no ${noun} called ${name}: ${remedy}` }];
  };
  const ofObjects = objects.flatMap(({ kind, members, at }) =>
    referencesOf(kind, members).flatMap(({ noun, name, pointer }) =>
      faultOf(noun as KindName, name, at(pointer)),
    ),
  );
  const ofSettings = SETTING_REFERENCES.flatMap(({ name, noun }) => {
    const value = settings?.values[name];
    const names = value === undefined || value === null ? [] : [value].flat();
    return names.flatMap((one) => faultOf(noun as KindName, one as string, settings!.at(`/${name}`)));
  });
  return [...ofObjects, ...ofSettings];
}

/** @param isRenewed whether secrets are written that are there already */
export function compareObject(
  declared: Declared,
  live: LiveObject | null,
  own: OwnRecords,
  isRenewed: boolean,
): Change {
  const { kind, name, entries } = declared;
  const imports: EntriesImport[] = entries === null ? [] : [{ mode: 'replace', text: entries.text }];
  const base = { kind: kind.name, name, declared, live, imports };
  if (live === null) {
    const wasOwn = [...own.values()].some(([of, called]) => of === kind.name && called === name);
    const members = Object.entries(declared.members).filter(
      ([member, value]) => !isDeepStrictEqual(value, kind.defaults[member]),
    );
    return {
      ...base,
      action: 'create',
      members: members.map(([member, after]) => ({ name: member, before: undefined, after })),
      secrets: Object.keys(declared.secrets).filter((member) => declared.secrets[member] !== null),
      byHand: wasOwn,
    };
  }
  const members = Object.entries(declared.members).flatMap(([member, after]) => {
    const before = live.members[member];
    return isDeepStrictEqual(before, after) ? [] : [{ name: member, before, after }];
  });
  return {
    ...base,
    action: 'update',
    members,
    secrets: changedSecrets(declared, live, isRenewed),
    byHand: isByHand(live, own),
  };
}

export function isByHand(live: LiveObject, own: OwnRecords): boolean {
  const state = own.get(live.id)?.[2];
  return state !== undefined && state !== '' && state !== digestOf(live.members);
}

/** Secrets that have to be written: nobody can read whether those that are there are the same. */
function changedSecrets({ kind, secrets }: Declared, { item }: LiveObject, isRenewed: boolean): string[] {
  return Object.entries(secrets).flatMap(([member, value]) => {
    const shown = memberOf(item, kind.secrets[member]!);
    const hasNow = typeof shown === 'object' && shown !== null ? Object.keys(shown).sort() : shown === true;
    const wanted =
      value !== null && typeof hasNow === 'object' ? Object.keys(value as object).sort() : value !== null;
    return isDeepStrictEqual(hasNow, wanted) && !(isRenewed && value !== null) ? [] : [member];
  });
}

/** Own objects that the files name no more, in the order in which they may be deleted. */
export function noLongerDeclared(
  { objects }: DeclaredSet,
  live: LiveState,
  own: OwnRecords,
  liveOf: LiveOf,
): LiveObject[] {
  const kept = new Set(objects.flatMap((one) => liveOf(one)?.id ?? []));
  const gone = [...own.keys()].flatMap((id) => (kept.has(id) ? [] : (live.withId(id) ?? [])));
  const place = ({ kind }: LiveObject): number => KIND_NAMES.indexOf(kind.name);
  return gone.sort((a, b) => place(b) - place(a) || (a.name < b.name ? -1 : 1));
}

/** Members of an update that came to something else, once the service has said what it made of them. */
export function membersThatChanged(
  members: readonly MemberChange[],
  live: Members,
  made: Members,
): MemberChange[] {
  return members.filter(({ name }) => !isDeepStrictEqual(live[name], made[name]));
}
