/** What an apply of a set would do: its changes as the service would carry them out, and what these announce and withdraw. */
import { isDeepStrictEqual } from 'node:util';
import type { Schemas } from '#client';
import { MAXIMUM_CHANGES, type PlannedAnswer } from '../../api/revisions/plan.ts';
import type { Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import type { Session } from '../session/run-remote.ts';
import { standingHolds, type StandingHolds } from '../session/standing-holds.ts';
import {
  compareObject,
  compareSettings,
  isByHand,
  matching,
  membersThatChanged,
  noLongerDeclared,
  unknownReferences,
  type Change,
  type LiveOf,
  type SettingChange,
} from './compare.ts';
import {
  entriesChangeOf,
  readEntries,
  recordOfEntries,
  stateOfEntries,
  type EntriesChange,
  type EntriesState,
} from './entry-changes.ts';
import { toFileMembers, type KindName, type Members } from './kinds.ts';
import { LiveState, withReferred, type LiveObject } from './live-state.ts';
import {
  digestOf,
  isOwnershipKey,
  readOwnership,
  settingId,
  type OwnRecord,
  type OwnRecords,
} from './ownership.ts';
import { refuseFileFaults, type Declared, type DeclaredSet } from './read-set.ts';
import { refusedAt } from './refusals.ts';
import { planned } from './secrets.ts';
import { MAXIMUM_BYTES, sizeOf, StandIns, writesOf, type Write } from './writes.ts';

type Effect = Schemas['Effect'];

export interface PlanOptions {
  /** Delete what the set owns and the files name no more. */
  readonly prune: boolean;
  readonly 'take-over': boolean;
  readonly 'renew-secrets': boolean;
  /** Files say what there is, and nobody owns it: of an import. */
  readonly isImport?: boolean;
}

export interface PlannedObject extends Change {
  readonly entries: EntriesChange | null;
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
  const settings = (
    (await (await session.client.request('GET', '/v1/settings')).json()) as { settings: Members }
  ).settings;
  const ownership = readOwnership(settings);
  const setName = options.isImport === true ? null : set.name;
  const own: OwnRecords =
    (setName === null ? undefined : ownership.get(setName)) ?? new Map<string, OwnRecord>();
  const kinds = new Set<KindName>([
    ...set.objects.map(({ kind }) => kind.name),
    ...[...own.values()].map(([kind]) => kind as KindName),
  ]);
  const live = await LiveState.read(session, withReferred([...kinds].filter((kind) => kind in NOUNS)));
  refuseFileFaults(unknownReferences(set, live));
  if (!isDeepStrictEqual(readOwnership(live.settings.values), ownership))
    throw new CommandError('Another set was applied just now: plan again', EXIT.conflict);
  const liveOf = matching(set, live, own);
  const others =
    options.isImport === true
      ? []
      : takenOver(set, liveOf, ownership, { setName, isMeant: options['take-over'] });
  const standIns = new StandIns();
  const etags = new Map<string, string>();
  const changes: Change[] = [];
  const states = new Map<string, EntriesState>();
  for (const declared of set.objects) {
    const known = liveOf(declared);
    const first = compareObject(declared, known, own, options['renew-secrets']);
    const entries =
      known === null || declared.entries === null
        ? null
        : stateOfEntries(await readEntries(session, known.id), declared.entries, own.get(known.id));
    if (entries !== null) states.set(known!.id, entries);
    const imports = entries?.imports ?? first.imports;
    if (known !== null && first.members.length + first.secrets.length + imports.length === 0) continue;
    // The list may be older than what somebody has written meanwhile.
    const fresh = known === null ? null : await readFresh(session, live, known, etags);
    const change = { ...compareObject(declared, fresh, own, options['renew-secrets']), imports };
    if (fresh !== null && fresh.name !== declared.name)
      standIns.rename(declared.kind.name, declared.name, fresh.id);
    refuseFixed(change);
    changes.push(change);
  }
  const gone = noLongerDeclared(set, live, own, liveOf);
  for (const object of options.prune ? gone : [])
    changes.push(deletionOf(await readFresh(session, live, object, etags), own));
  const dropped = [...own].flatMap(([id, [, key]]) =>
    id === settingId(key) && set.settings?.values[key] === undefined ? [key] : [],
  );
  const settingChanges = compareSettings(set, live, options.prune ? dropped : []);
  const tools = { live, standIns, etags, readSecret: planned };
  const writes = writesOf(changes, settingChanges, tools);
  const tried = await tryOut(session, writes);
  const real = changes.flatMap((change) => asCarriedOut(change, writes, tried, live, states) ?? []);
  // Imports that were not tried may change anything.
  const filled = new Set(
    real.flatMap(({ declared, imports, entries }) =>
      imports.length > 0 && (entries !== null || tried === null) ? [declared!] : [],
    ),
  );
  const effect = real.length + settingChanges.length === 0 ? null : (tried?.effect ?? null);
  return {
    set: setName,
    changes: real,
    settings: settingChanges,
    left: options.prune ? [] : gone,
    effect,
    standing: await standingHolds(session, effect?.revision ?? null),
    untried: tried === null ? writes.length : 0,
    ...{ live, standIns, etags, others },
    entriesBefore: new Map(
      [...states].flatMap(([id, one]) => (one.imports.length > 0 ? [[id, one.live]] : [])),
    ),
    owns:
      setName === null
        ? null
        : owned(set, live, own, {
            liveOf,
            writes,
            tried,
            standIns,
            gone,
            dropped,
            states,
            filled,
            ...options,
          }),
  };
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

async function readFresh(
  { client }: Session,
  live: LiveState,
  { kind, id }: LiveObject,
  etags: Map<string, string>,
): Promise<LiveObject> {
  const answer = await client.request('GET', `${NOUNS[kind.name].path}/${id}`);
  const etag = answer.headers.get('etag');
  if (etag !== null) etags.set(id, etag);
  return live.replace(kind, (await answer.json()) as Item);
}

function deletionOf(live: LiveObject, own: OwnRecords): Change {
  return {
    ...{ action: 'delete', kind: live.kind.name, name: live.name, live, declared: null },
    ...{ members: [], secrets: [], imports: [], byHand: isByHand(live, own) },
  };
}

/** @throws {CommandError} for a member that nothing can change */
function refuseFixed({ action, kind, declared, members }: Change): void {
  if (action !== 'update') return;
  refuseFileFaults(
    members
      .filter(({ name }) => declared!.kind.fixed.includes(name))
      .map(({ name, before, after }) => ({
        at: declared!.at(`/${name}`),
        detail: `${name} of a ${kind} cannot change from ${JSON.stringify(before)} to ${JSON.stringify(after)}: write it back, or give the ${kind} another name`,
      })),
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

export interface Tried {
  readonly answers: ReadonlyMap<Write, PlannedAnswer>;
  readonly effect: Effect;
}

/** What the service would answer; null: nothing to try, or more than a plan may have. */
async function tryOut({ client }: Session, writes: readonly Write[]): Promise<Tried | null> {
  const size = writes.reduce((sum, write) => sum + sizeOf(write), 0);
  if (writes.length === 0 || writes.length > MAXIMUM_CHANGES || size > MAXIMUM_BYTES) return null;
  const changes = writes.map(({ request }) => request);
  const answer = await refusedAt(writes, () =>
    client.request('POST', '/v1/revisions/plan', { body: { changes } }),
  );
  const { answers, effect } = (await answer.json()) as Schemas['Plan'];
  return {
    answers: new Map(writes.map((write, index) => [write, answers[index]!])),
    effect,
  };
}

/** The change as the service understands it; null: it is none, such as an address in other letters. */
function asCarriedOut(
  change: Change,
  writes: readonly Write[],
  tried: Tried | null,
  live: LiveState,
  states: ReadonlyMap<string, EntriesState>,
): PlannedObject | null {
  const answersOf = (part: Write['part']): unknown[] =>
    writes
      .filter((write) => write.change === change && write.part === part)
      .flatMap((write) => tried?.answers.get(write)!.body ?? []);
  const { declared } = change;
  const entries =
    change.imports.length === 0
      ? null
      : entriesChangeOf(
          declared!.entries!,
          states.get(change.live?.id ?? ''),
          answersOf('entries') as Schemas['EntryImport'][],
        );
  if (tried === null || change.action !== 'update') return { ...change, entries };
  const made = answersOf('object').at(-1) as Members | undefined;
  const members =
    made === undefined
      ? []
      : membersThatChanged(
          change.members,
          change.live!.members,
          toFileMembers(change.live!.kind, made, (id) => live.nameOf(id)),
        );
  if (members.length === 0 && change.secrets.length === 0 && entries === null) return null;
  return { ...change, members, entries, imports: entries === null ? [] : change.imports };
}

/** What the set owns when all is done: what its files declare, and what they name no more but stays. */
function owned(
  { objects, settings }: DeclaredSet,
  live: LiveState,
  own: OwnRecords,
  {
    liveOf,
    writes,
    tried,
    standIns,
    gone,
    dropped,
    states,
    filled,
    prune,
  }: {
    readonly liveOf: LiveOf;
    readonly writes: readonly Write[];
    readonly tried: Tried | null;
    readonly standIns: StandIns;
    readonly gone: readonly LiveObject[];
    readonly dropped: readonly string[];
    readonly states: ReadonlyMap<string, EntriesState>;
    /** Whose entries are written. */
    readonly filled: ReadonlySet<Declared>;
    readonly prune: boolean;
  },
): OwnRecords {
  const records = new Map<string, OwnRecord>();
  // Names that objects have once this is applied: other ones refer to them by these.
  const laterNames = new Map<string, string>();
  for (const write of writes)
    if (write.change?.action === 'create' && write.part === 'object')
      laterNames.set(String((tried?.answers.get(write)?.body as Members | undefined)?.id), write.change.name);
  for (const declared of objects) {
    const known = liveOf(declared);
    if (known !== null) laterNames.set(known.id, declared.name);
  }
  const nameOf = (id: string): string => laterNames.get(id) ?? live.nameOf(id);
  const stateLater = ({ kind, item }: LiveObject): string => digestOf(toFileMembers(kind, item, nameOf));
  for (const one of prune ? [] : gone) {
    const [kind, name, state, ...entries] = own.get(one.id)!;
    const isAsApplied = state === digestOf(one.members);
    records.set(one.id, [kind, name, isAsApplied ? stateLater(one) : state, ...entries]);
  }
  for (const id of prune ? [] : dropped.map(settingId)) records.set(id, own.get(id)!);
  for (const declared of objects) {
    const { kind, name, entries } = declared;
    const known = liveOf(declared);
    const answers = writes
      .filter((write) => write.change?.declared === declared && write.part === 'object')
      .map((write) => tried?.answers.get(write)?.body as Members | undefined);
    const made = answers.at(-1);
    const isWritten = answers.length > 0;
    const state =
      made !== undefined
        ? digestOf(toFileMembers(kind, made, nameOf))
        : isWritten || known === null
          ? ''
          : stateLater(known);
    const what = [kind.name, name, state] as const;
    const had = states.get(known?.id ?? '');
    // Entries that are written are known once they are.
    const has = had === undefined || filled.has(declared) ? ([''] as const) : recordOfEntries(had.live);
    const record: OwnRecord = entries === null ? what : [...what, digestOf(entries.text), ...has];
    records.set(known?.id ?? standIns.of(kind.name, name), record);
  }
  for (const key of Object.keys(settings?.values ?? {}))
    if (!isOwnershipKey(key)) records.set(settingId(key), ['settings', key, '']);
  return records;
}
