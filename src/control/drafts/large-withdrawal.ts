import type { Finding } from '../../api/revisions/revisions.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import type { ModulePolicy } from '../tables/build-revision.ts';
import { measureWithdrawals } from '../tables/table-threads.ts';
import type { StoredMove, StoredSide } from '../tables/withdraw-work.ts';
import { unchangedEntries } from '../guards/guard-change.ts';
import type { Against, AppliedContent } from './guard-revision.ts';
import {
  type ModuleMove,
  type Slip,
  type Withdrawal,
  isTooMuch,
  judgeSlip,
  judgeWithdrawal,
} from '../guards/guard-withdrawal.ts';
import type { ReadContent } from './draft-reader.ts';

/** A content that may be applied, and what it was built from. */
export interface ContentToApply {
  readonly content: StoredContent;
  readonly content_hash: string;
  readonly inputs: readonly RevisionInput[];
}

/** What is needed to distinguish edits of operators from what sources did by themselves. */
export interface Causes {
  readonly read: ReadContent;
  /** Of every module that is there. */
  readonly names: ReadonlyMap<string, string>;
  /** Entries that left by themselves: nothing could be read of them for too long, or their time was over. */
  readonly staleIds: readonly string[];
  /** The entries that count in both snapshots, as `id version,id version…`. */
  readonly entriesOf: (
    before: RevisionInput,
    after: RevisionInput,
  ) => Promise<{ readonly before: string; readonly after: string }>;
  /** What the module did with its snapshot then; null: nobody knows. */
  readonly policyOf: (input: RevisionInput) => Promise<ModulePolicy | null>;
  /** What may be done about a module. @param running what it was at the speaker; null: it was not there */
  readonly wayOf: (moduleId: string, running: RevisionInput | null) => ModuleMove['way'];
  /** What somebody let through of a module that was edited since; null: that it is away; undefined: nothing. */
  readonly releasedOf: (moduleId: string) => RevisionInput | null | undefined;
}

/** What edits take away from speakers, and what becomes of it. */
export interface Withdrawals {
  /** Modules that are to stay as they were, with the reason. */
  readonly slips: readonly { readonly moduleId: string; readonly name: string; readonly finding: Finding }[];
  /** What is left of it that no module can be held for: of the speaker that would lose most. */
  readonly findings: readonly Finding[];
  /** Modules that lose something that somebody has let through. */
  readonly releasedIds: ReadonlySet<string>;
}

/**
 * What the guardrail `guard_max_withdraw_percent` has against a content. The total that is taken away decides nearly always; only when that is
 * too much is it split by who did it.
 * @param isThorough also when it is not: modules are held that have to stay so, or released until speakers have what was let through
 */
export async function findWithdrawals(
  next: ContentToApply,
  { applied, guardrails: { maxWithdrawPercent: percent } }: Against,
  causes: Causes,
  isThorough = false,
  signal?: AbortSignal,
): Promise<Withdrawals> {
  const findings: Finding[] = [];
  const slips = new Map<string, Withdrawals['slips'][number]>();
  const releasedIds = new Set<string>();
  for (const running of applied) {
    if (running.content_hash === next.content_hash) continue;
    const before = await causes.read(running.content_hash);
    const all = await measureWithdrawals(before, next.content, [], signal);
    if (!isThorough && !all.some((withdrawal) => isTooMuch(withdrawal, percent))) continue;
    const moves = await movesOf(running, next, causes);
    for (const edited of await measureWithdrawals(before, next.content, moves, signal)) {
      for (const id of edited.releasedIds) releasedIds.add(id);
      for (const slip of slipsToHold(edited, percent)) {
        const name = nameOf(slip.moduleId, running, next, causes);
        const finding = judgeSlip(edited, slip, percent, name);
        slips.set(slip.moduleId, { moduleId: slip.moduleId, name, finding });
      }
      const finding = judgeWithdrawal(edited, percent, causes.names);
      if (finding !== null) findings.push(finding);
    }
  }
  const worst = findings.sort((a, b) => (b.measured ?? 0) - (a.measured ?? 0));
  return { slips: [...slips.values()], findings: worst.slice(0, 1), releasedIds };
}

/** Those that are held stay so; of the others as many, the largest first, as it takes until what vanishes is not too much. */
function slipsToHold({ before, vanished, slips }: Withdrawal, percent: number): Slip[] {
  let left = vanished;
  return slips.filter((slip) => {
    if (!slip.isHeld && !isTooMuch({ before, vanished: left }, percent)) return false;
    left = slip.left;
    return true;
  });
}

function nameOf(id: string, running: AppliedContent, next: ContentToApply, { names }: Causes): string {
  const known = [...next.inputs, ...running.inputs].find(({ module_id }) => module_id === id);
  return names.get(id) ?? known?.name ?? id;
}

/** Whether the module did the same with the same snapshot. */
export function isSameInput(one: RevisionInput | null, other: RevisionInput | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.content_hash === other.content_hash &&
    one.policy_hash === other.policy_hash &&
    one.purpose === other.purpose &&
    one.families.join() === other.families.join() &&
    one.left_out.join() === other.left_out.join()
  );
}

/** The modules that differ between the two. */
async function movesOf(running: AppliedContent, next: ContentToApply, causes: Causes): Promise<StoredMove[]> {
  const then = new Map(running.inputs.map((input) => [input.module_id, input]));
  const now = new Map(next.inputs.map((input) => [input.module_id, input]));
  const moves: StoredMove[] = [];
  for (const id of new Set([...then.keys(), ...now.keys()])) {
    const [before, after] = [then.get(id) ?? null, now.get(id) ?? null];
    if (isSameInput(before, after) || (before === null && after?.purpose === 'announce')) continue;
    const entries =
      before === null || after === null ? { before: '', after: '' } : await causes.entriesOf(before, after);
    const released = causes.releasedOf(id);
    moves.push({
      id,
      ...(released === undefined ? {} : { released: await sideOf(released, causes) }),
      before: await sideOf(before, causes),
      after: await sideOf(after, causes),
      unchanged: unchangedEntries(entries.before, entries.after),
      stale: causes.staleIds,
      way: causes.wayOf(id, before),
    });
  }
  return moves;
}

async function sideOf(input: RevisionInput | null, { read, policyOf }: Causes): Promise<StoredSide | null> {
  if (input === null) return null;
  const { stored } = await read(input.content_hash);
  return { purpose: input.purpose, stored, policy: await policyOf(input) };
}
