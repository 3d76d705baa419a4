import type { Finding } from '../../api/revisions/revisions.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import { measureWithdrawals } from '../tables/table-threads.ts';
import type { StoredMove } from '../tables/table-work.ts';
import { unchangedEntries } from '../guards/guard-change.ts';
import type { Against, AppliedContent } from './guard-revision.ts';
import { isTooMuch, judgeWithdrawal } from '../guards/guard-withdrawal.ts';
import type { ReadContent } from './judge-modules.ts';

/** A content that may be applied, and what it was built from. */
export interface ContentToApply {
  readonly content: StoredContent;
  readonly content_hash: string;
  readonly inputs: readonly RevisionInput[];
}

/** What is needed to tell edits of operators from what sources did by themselves. */
export interface Causes {
  readonly read: ReadContent;
  readonly purposes: ReadonlyMap<string, 'announce' | 'exclude'>;
  readonly names: ReadonlyMap<string, string>;
  /** Entries that left by themselves: nothing could be read of them for too long, or their time was over. */
  readonly staleIds: readonly string[];
  /** The entries that count in both snapshots, as `id version,id version…`. */
  readonly entriesOf: (
    before: RevisionInput,
    after: RevisionInput,
  ) => Promise<{ readonly before: string; readonly after: string }>;
}

/**
 * What the guardrail `guard_max_withdraw_percent` has against a content, for the speakers that would lose most. What is taken away in
 * all tells nearly always; only when that is too much is it told apart by who did it.
 */
export async function findWithdrawals(
  next: ContentToApply,
  { applied, guardrails: { maxWithdrawPercent: percent } }: Against,
  causes: Causes,
  signal?: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const running of applied) {
    if (running.content_hash === next.content_hash) continue;
    const before = await causes.read(running.content_hash);
    const all = await measureWithdrawals(before, next.content, [], signal);
    if (!all.some((withdrawal) => isTooMuch(withdrawal, percent))) continue;
    const moves = await movesOf(running, next, causes);
    const edited = await measureWithdrawals(before, next.content, moves, signal);
    findings.push(...edited.flatMap((one) => judgeWithdrawal(one, percent, causes.names) ?? []));
  }
  const worst = findings.sort((a, b) => (b.measured ?? 0) - (a.measured ?? 0));
  return worst.slice(0, 1);
}

function isSame(before: RevisionInput, after: RevisionInput): boolean {
  return before.content_hash === after.content_hash && before.left_out.join() === after.left_out.join();
}

/** The modules that differ between the two. */
async function movesOf(running: AppliedContent, next: ContentToApply, causes: Causes): Promise<StoredMove[]> {
  const after = new Map(next.inputs.map((input) => [input.module_id, input]));
  const moves: StoredMove[] = [];
  for (const before of running.inputs) {
    const now = after.get(before.module_id) ?? null;
    if (now !== null && isSame(before, now)) continue;
    const entries = now === null ? { before: '', after: '' } : await causes.entriesOf(before, now);
    moves.push({
      id: before.module_id,
      purpose: causes.purposes.get(before.module_id) ?? 'announce',
      before: (await causes.read(before.content_hash)).stored,
      after: now === null ? null : (await causes.read(now.content_hash)).stored,
      unchanged: unchangedEntries(entries.before, entries.after),
      stale: causes.staleIds,
    });
  }
  return moves;
}
