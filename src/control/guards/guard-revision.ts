import type { ProblemCode } from '../../api/problem.ts';
import type { Finding } from '../../api/revisions.ts';
import { loadStored, type StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listModuleNames } from '../../store/modules.ts';
import {
  type RevisionInput,
  findLastApplied,
  changesByItself,
  listRevisionInputs,
  readEntryLists,
} from '../../store/revision-history.ts';
import { type ChangedModule, judgeChange } from './guard-change.ts';
import { type Rails, readRails } from './rails.ts';
import { type ChangeTask, inspectContent, measureSnapshots } from '../revisions/table-threads.ts';

/** The rail that looks at how a revision came about; all others look at its routes. */
export const CHANGE_RAIL: ProblemCode = 'max_change_exceeded';

/** All that the findings of a revision depend on beside the revision itself. */
export interface Against {
  readonly rails: Rails;
  /** What the revision that was applied last was built from. */
  readonly baseline: readonly RevisionInput[];
}

export async function readAgainst(tx: TenantTx): Promise<Against> {
  const applied = await findLastApplied(tx);
  return {
    rails: await readRails(tx),
    baseline: applied === null ? [] : await listRevisionInputs(tx, applied),
  };
}

/** Two snapshots of a module to compare, with the bytes of both. */
export interface ChangeToMeasure extends Pick<ChangeTask, 'entries' | 'families'> {
  readonly module: ChangedModule;
  readonly before: StoredContent;
  readonly after: StoredContent;
}

/** A snapshot that is not stored yet. */
export interface NextContent {
  readonly moduleId: string;
  readonly content: StoredContent;
  readonly entries: string | null;
}

/**
 * The modules that may have changed by themselves between the baseline and what a revision is built from. Each revision remembers its
 * snapshots and the versions of the entries in them, so this is known exactly, whatever was refreshed, edited or pruned since.
 */
export async function draftChanges(
  tx: TenantTx,
  inputs: readonly RevisionInput[],
  baseline: Against['baseline'],
  next: NextContent | null = null,
): Promise<ChangeToMeasure[]> {
  const before = new Map(baseline.filter(changesByItself).map((input) => [input.module_id, input]));
  const changed = inputs.filter(changesByItself).flatMap((input) => {
    const old = before.get(input.module_id);
    const isSame = old === undefined || old.content_hash === input.content_hash;
    return isSame ? [] : [{ input, old }];
  });
  if (changed.length === 0) return [];
  const lists = await readEntryLists(tx, [
    ...new Set(changed.flatMap(({ input, old }) => [input.entries_hash, old.entries_hash])),
  ]);
  const names = await listModuleNames(tx);
  const changes: ChangeToMeasure[] = [];
  for (const { input, old } of changed) {
    const own = next?.moduleId === input.module_id ? next : null;
    changes.push({
      module: { id: input.module_id, name: names.get(input.module_id) ?? input.module_id },
      families: input.families,
      before: await loadStored(tx, old.content_hash),
      after: own?.content ?? (await loadStored(tx, input.content_hash)),
      entries: {
        before: lists.get(old.entries_hash) ?? '',
        after: own?.entries ?? lists.get(input.entries_hash) ?? '',
      },
    });
  }
  return changes;
}

/** What the rail about changes has against these. */
export async function judgeChanges(
  changes: readonly ChangeToMeasure[],
  { maxChangePercent }: Pick<Rails, 'maxChangePercent'>,
  signal?: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { module, before, after, ...rest } of changes) {
    for (const change of await measureSnapshots(before, after, rest, signal)) {
      const finding = judgeChange(change, maxChangePercent, module);
      if (finding !== null) findings.push(finding);
    }
  }
  return findings;
}

/** Every rail that a stored content, built from stored snapshots, breaks. */
export async function checkStored(
  tx: TenantTx,
  contentHash: string,
  inputs: readonly RevisionInput[],
  { rails, baseline }: Against,
): Promise<Finding[]> {
  return [
    ...(await inspectContent(await loadStored(tx, contentHash), rails)),
    ...(await judgeChanges(await draftChanges(tx, inputs, baseline), rails)),
  ];
}
