/** What an apply of a set would do: its changes as the service would carry them out, and what these announce and withdraw. */
import { isDeepStrictEqual } from 'node:util';
import type { Schemas } from '#client';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import type { Session } from '../session/run-remote.ts';
import { standingHolds, type StandingHolds } from '../session/standing-holds.ts';
import { NONE_DOWN, downSessions, type DownSessions } from '../session/without-session.ts';
import { matching, unknownReferences, type LiveOf } from './compare.ts';
import { differingObjects } from './differing-objects.ts';
import { readEntries } from './entry-changes.ts';
import type { KindName, Members } from './kinds.ts';
import { LiveState, withReferred, type LiveObject } from './live-state.ts';
import { readOwnership, settingId, type OwnRecord, type OwnRecords } from './ownership.ts';
import { refuseFileFaults, type Declared, type DeclaredSet } from './read-set.ts';
import { recordsAfter } from './records-after.ts';
import { planned } from './secrets.ts';
import { compareSettings, type SettingChange } from './setting-changes.ts';
import { asCarriedOut, tryOut, type PlannedObject, type Tried } from './tried-writes.ts';
import { writesOf, type StandIns } from './writes.ts';

type Effect = Schemas['Effect'];

export interface PlanOptions {
  /** Delete what the set owns and the files name no more. */
  readonly prune: boolean;
  readonly 'take-over': boolean;
  readonly 'renew-secrets': boolean;
  /** Files say what there is, and nobody owns it: of an import. */
  readonly isImport?: boolean;
}

export interface SetPlan {
  readonly set: string | null;
  readonly changes: readonly PlannedObject[];
  readonly settings: readonly SettingChange[];
  /** Own objects that the files name no more, and that stay. */
  readonly left: readonly LiveObject[];
  /** Null: nothing changes, or there was too much of it to try. */
  readonly effect: Effect | null;
  /** What is held whatever becomes of it. */
  readonly standing: StandingHolds;
  readonly down: DownSessions;
  /** Writes that were too many or too large to be tried; 0: they were tried. */
  readonly untried: number;
  readonly live: LiveState;
  readonly standIns: StandIns;
  readonly etags: ReadonlyMap<string, string>;
  /** Exports of the lists that change, by module: imports have no ETag. */
  readonly entriesBefore: ReadonlyMap<string, string>;
  /** What the set owns once this is applied, by ids or what stands for them; null: no set. */
  readonly owns: OwnRecords | null;
  /** Settings that hold what other sets own, without what this one takes over. */
  readonly others: readonly { readonly set: string; readonly owns: OwnRecords }[];
}

/** @throws {CommandError} for names that nothing has, for what another set owns, and for what the service would refuse */
export async function makePlan(session: Session, set: DeclaredSet, options: PlanOptions): Promise<SetPlan> {
  const setName = options.isImport === true ? null : set.name;
  const { live, ownership, own, liveOf } = await readTenant(session, set, setName);
  const others =
    options.isImport === true
      ? []
      : takenOver(set, liveOf, ownership, { setName, isMeant: options['take-over'] });
  const differing = await differingObjects(session, set, { live, own, liveOf }, options);
  const { gone, states, standIns, etags } = differing;
  const dropped = droppedSettings(set, own);
  const settings = compareSettings(set, live, own, options.prune ? dropped : []);
  const writes = writesOf(differing.changes, settings, { live, standIns, etags, readSecret: planned });
  const tried = await tryOut(session, writes);
  const changes = differing.changes.flatMap(
    (change) => asCarriedOut(change, { writes, tried, live, states }) ?? [],
  );
  const effect = changes.length + settings.length === 0 ? null : (tried?.effect ?? null);
  return {
    set: setName,
    ...{ changes, settings, effect },
    left: options.prune ? [] : gone,
    standing: await standingHolds(session, effect),
    down: effect === null ? NONE_DOWN : await downSessions(session, effect),
    untried: tried === null ? writes.length : 0,
    ...{ live, standIns, etags, others },
    entriesBefore: new Map(
      [...states].flatMap(([id, one]) => (one.imports.length > 0 ? [[id, one.live]] : [])),
    ),
    owns:
      setName === null
        ? null
        : recordsAfter(set, {
            ...{ live, own, liveOf, writes, tried, standIns, states },
            kept: options.prune ? { objects: [], settings: [] } : { objects: gone, settings: dropped },
            filled: filledBy(changes, tried),
          }),
  };
}

/** What the tenant has of the kinds that the set names or owns, and who owns what. */
async function readTenant(
  session: Session,
  set: DeclaredSet,
  setName: string | null,
): Promise<{
  readonly live: LiveState;
  readonly ownership: ReadonlyMap<string, OwnRecords>;
  readonly own: OwnRecords;
  readonly liveOf: LiveOf;
}> {
  const answer = await session.client.request('GET', '/v1/settings');
  const ownership = readOwnership(((await answer.json()) as { settings: Members }).settings);
  const own: OwnRecords =
    (setName === null ? undefined : ownership.get(setName)) ?? new Map<string, OwnRecord>();
  const kinds = new Set<KindName>([
    ...set.objects.map(({ kind }) => kind.name),
    ...[...own.values()].map(([kind]) => kind as KindName),
  ]);
  const live = await LiveState.read(session, withReferred([...kinds].filter((kind) => kind in NOUNS)));
  const liveOf = matching(set, live, own);
  refuseFileFaults(unknownReferences(set, live, liveOf));
  if (!isDeepStrictEqual(readOwnership(live.settings.values), ownership))
    throw new CommandError('Another set was applied just now: plan again', EXIT.conflict);
  return { live, ownership, own, liveOf };
}

/** Settings that the set owns and its files name no more. */
function droppedSettings({ settings }: DeclaredSet, own: OwnRecords): string[] {
  return [...own].flatMap(([id, [, key]]) =>
    id === settingId(key) && settings?.values[key] === undefined ? [key] : [],
  );
}

/** Objects whose entries are written; imports that were not tried may change anything. */
function filledBy(changes: readonly PlannedObject[], tried: Tried | null): ReadonlySet<Declared> {
  return new Set(
    changes.flatMap(({ declared, imports, entries }) =>
      imports.length > 0 && (entries !== null || tried === null) ? [declared!] : [],
    ),
  );
}

/** @throws {CommandError} where a list that changes is another one since the plan was made */
export async function requireSameEntries(session: Session, { entriesBefore }: SetPlan): Promise<void> {
  for (const [id, csv] of entriesBefore)
    if ((await readEntries(session, id)) !== csv)
      throw new CommandError(
        'Somebody has edited entries since the plan was made: apply again',
        EXIT.conflict,
      );
}

/** @returns other sets that lose something. @throws {CommandError} for what another set owns */
function takenOver(
  { objects, settings }: DeclaredSet,
  liveOf: LiveOf,
  ownership: ReadonlyMap<string, OwnRecords>,
  { setName, isMeant }: { readonly setName: string | null; readonly isMeant: boolean },
): SetPlan['others'] {
  const ids = new Map(
    Object.keys(settings?.values ?? {}).map((key) => [
      settingId(key),
      `${settings!.at(`/${key}`)}: the setting ${key}`,
    ]),
  );
  for (const one of objects) {
    const known = liveOf(one);
    if (known !== null) ids.set(known.id, `${one.at('')}: the ${one.kind.name} ${one.name}`);
  }
  const others = [...ownership].filter(
    ([name, owns]) => name !== setName && [...owns.keys()].some((id) => ids.has(id)),
  );
  const lines = others.flatMap(([name, owns]) =>
    [...owns.keys()].flatMap((id) => {
      const one = ids.get(id);
      return one === undefined ? [] : [`${one} belongs to the set ${name}`];
    }),
  );
  if (lines.length > 0 && !isMeant)
    throw new CommandError(
      `${lines.join('\n')}\nTake it out of one of them, or let this set have it: --take-over`,
      EXIT.conflict,
    );
  return others.map(([set, owns]) => ({ set, owns: new Map([...owns].filter(([id]) => !ids.has(id))) }));
}
