import type { HeldModule } from '../../api/lists/held-modules.ts';
import { Problem, notFound } from '../../api/problems/problem.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { storedAs } from '../../core/stored/stored-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findHeldWithdrawal } from '../../store/revisions/held-withdrawals.ts';
import { findModule } from '../../store/modules/modules.ts';
import { findSnapshot } from '../../store/modules/snapshots.ts';
import { isBroughtBack } from '../guards/guard-rollback.ts';
import { type BuiltDraft, buildDraft } from '../drafts/build-draft.ts';
import { draftReaderIn } from '../drafts/draft-reader.ts';
import { type RevisionDraft, draftRevision } from '../drafts/revision-draft.ts';

/** A module that is held. It may be disabled or gone. */
export interface FoundHeld {
  readonly id: string;
  readonly name: string;
  readonly held: Pick<HeldModule, 'snapshot' | 'findings'>;
  /** What was collected last; null: it is gone. */
  readonly collected: string | null;
  /** Whether it is held for what operators have made of it. */
  readonly isWithdrawal: boolean;
}

/** @throws {Problem} `not_found`; `conflict` when the module is not held, or something newer was collected that nobody has judged yet */
export async function requireHeld(tx: TenantTx, moduleId: string): Promise<FoundHeld> {
  const module = await findModule(tx, moduleId);
  const withdrawal = await findHeldWithdrawal(tx, moduleId);
  if (module === null) {
    if (withdrawal === null) throw notFound('module', moduleId);
    const { name, hash: snapshot, findings } = withdrawal;
    return {
      ...{ id: moduleId, name, held: { snapshot, findings: [...findings] } },
      ...{ collected: null, isWithdrawal: true },
    };
  }
  const { id, name, held } = module;
  if (held === null)
    throw new Problem('conflict', `The module ${name} is not held: its latest snapshot is in the revisions.`);
  const collected = (await findSnapshot(tx, id))?.content_hash ?? null;
  const isWithdrawal = withdrawal !== null;
  if (!isWithdrawal && collected !== held.snapshot) throw heldNoMore(name, held);
  if (!isWithdrawal && !module.enabled)
    throw new Problem(
      'conflict',
      `The module ${name} is disabled, so a release changes nothing. Enable it (PATCH {"enabled": true}) first.`,
    );
  return { id, name, held, collected, isWithdrawal };
}

function heldNoMore(name: string, { snapshot }: Pick<HeldModule, 'snapshot'>): Problem {
  return new Problem(
    'conflict',
    `The module ${name} was collected or edited again since it was held for ${snapshot}. Wait for the next revision, which says whether it is held still, and why.`,
  );
}

/** The revision as it would be with the module, all of what that breaks, and its content. */
export interface Released {
  readonly built: BuiltDraft;
  readonly findings: readonly Finding[];
  readonly stored: ReturnType<typeof storedAs>;
  readonly draft: RevisionDraft;
}

/**
 * Builds the revision as if somebody had let the module through, from all that there is now, and does not store it.
 * @throws {Problem} `conflict` when the module has changed since it was held
 */
export async function buildReleased(
  tx: TenantTx,
  { id, name, held, isWithdrawal }: FoundHeld,
): Promise<Released> {
  const draft = await draftRevision(tx, null);
  const built = await buildDraft(draft, draftReaderIn(tx), undefined, id);
  if (isWithdrawal && built.open?.hash !== held.snapshot) throw heldNoMore(name, held);
  const findings = built.findings.filter(({ module_id }) => module_id === id);
  const broughtBack = isWithdrawal ? held.findings.filter(isBroughtBack).slice(0, 1) : [];
  return {
    findings: [...broughtBack, ...findings.filter((one) => broughtBack.length === 0 || !isBroughtBack(one))],
    ...{ draft, built },
    stored: storedAs(built.content.encoded, draft.parent?.stored ?? null),
  };
}
