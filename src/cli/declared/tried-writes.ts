/** The writes of a plan as the service would carry them out. */
import type { Schemas } from '#client';
import { MAXIMUM_CHANGES, type PlannedAnswer } from '../../api/revisions/plan.ts';
import type { Session } from '../session/run-remote.ts';
import { membersThatChanged, type Change } from './compare.ts';
import { entriesChangeOf, type EntriesChange, type EntriesState } from './entry-changes.ts';
import { toFileMembers, type Members } from './kinds.ts';
import type { LiveState } from './live-state.ts';
import { refusedAt } from './refusals.ts';
import { MAXIMUM_BYTES, sizeOf, type Write } from './writes.ts';

export interface PlannedObject extends Change {
  readonly entries: EntriesChange | null;
}

export interface Tried {
  readonly answers: ReadonlyMap<Write, PlannedAnswer>;
  readonly effect: Schemas['Effect'];
}

/** What the service would answer; null: nothing to try, or more than a plan may have. */
export async function tryOut({ client }: Session, writes: readonly Write[]): Promise<Tried | null> {
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
export function asCarriedOut(
  change: Change,
  {
    writes,
    tried,
    live,
    states,
  }: {
    readonly writes: readonly Write[];
    readonly tried: Tried | null;
    readonly live: LiveState;
    readonly states: ReadonlyMap<string, EntriesState>;
  },
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
