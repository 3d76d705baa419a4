/** What a set owns once its plan is carried out. */
import { recordOfEntries, type EntriesState } from './entry-changes.ts';
import { toFileMembers, type Members } from './kinds.ts';
import type { LiveOf } from './compare.ts';
import type { LiveObject, LiveState } from './live-state.ts';
import {
  digestOf,
  formerNames,
  isOwnershipKey,
  settingId,
  type OwnRecord,
  type OwnRecords,
} from './ownership.ts';
import type { Declared, DeclaredSet } from './read-set.ts';
import { settingState } from './setting-changes.ts';
import type { Tried } from './tried-writes.ts';
import type { StandIns, Write } from './writes.ts';

/** What is known of a plan and what comes of it. */
interface Outcome {
  readonly live: LiveState;
  /** What the set owns now. */
  readonly own: OwnRecords;
  readonly liveOf: LiveOf;
  readonly writes: readonly Write[];
  readonly tried: Tried | null;
  readonly standIns: StandIns;
  readonly states: ReadonlyMap<string, EntriesState>;
  /** What the set owns, its files name no more, and is not deleted. */
  readonly kept: { readonly objects: readonly LiveObject[]; readonly settings: readonly string[] };
  /** Objects whose entries are written. */
  readonly filled: ReadonlySet<Declared>;
}

interface SettingsBody {
  readonly settings: Members;
}

/** What the set owns when all is done: what its files declare, and what they name no more but stays. */
export function recordsAfter(
  { objects, settings }: DeclaredSet,
  { live, own, liveOf, writes, tried, standIns, states, kept, filled }: Outcome,
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
  for (const one of kept.objects) {
    const [kind, name, state, ...entries] = own.get(one.id)!;
    const isAsApplied = state === digestOf(one.members);
    records.set(one.id, [kind, name, isAsApplied ? stateLater(one) : state, ...entries]);
  }
  for (const id of kept.settings.map(settingId)) records.set(id, own.get(id)!);
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
  const given = new Map(
    objects.flatMap((declared) => {
      const known = liveOf(declared);
      if (known === null) return [];
      const [kind, name] = [declared.kind.name, declared.name];
      return [[known.id, { kind, name, was: own.get(known.id)?.[1] ?? known.name }] as const];
    }),
  );
  for (const [id, record] of formerNames(own, records, given)) records.set(id, record);
  const isSet = writes.some(({ part }) => part === 'settings');
  const set = writes.flatMap((write) =>
    write.part === 'settings' ? ((tried?.answers.get(write)?.body as SettingsBody | undefined) ?? []) : [],
  );
  const values = isSet ? set.at(-1)?.settings : live.settings.values;
  for (const key of Object.keys(settings?.values ?? {})) {
    if (isOwnershipKey(key)) continue;
    const state = values === undefined ? '' : settingState(key, values, live, nameOf);
    records.set(settingId(key), ['settings', key, state]);
  }
  return records;
}
