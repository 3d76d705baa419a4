import { Problem } from '../../api/problems/problem.ts';
import type { RolledBack } from '../../api/revisions/revisions.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import {
  type RevisionInput,
  listRevisionInputs,
  readEntryLists,
  saveRevisionInputs,
} from '../../store/revisions/revision-history.ts';
import { findLatestReadyRevision, getRevision, insertRevision } from '../../store/revisions/revisions.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { listEntriesHashes, storeEntries } from '../../store/modules/snapshots.ts';
import { type Requester, enqueueApply } from './apply-revision.ts';
import { findTakenBack, takeBack } from './take-back.ts';
import { withContent } from '../revisions/diff-revisions.ts';
import { routeFindings } from '../revisions/guard-apply.ts';
import { withVersionsOf } from '../guards/guard-change.ts';
import { hashOfGuardrails, readGuardrails } from '../guards/guardrails.ts';

/**
 * Makes a new revision, the latest from now on, of the content of an old one; held where that breaks a guardrail of today. Modules are held for
 * what it takes back, unless `guard_scope` is `revision`, where no module is held by itself. The content is not copied, and read only when the guardrails have changed since, so it takes as long for a million prefixes as for one.
 * @throws {Problem} `not_found`, `revision_not_ready`
 */
export async function rollbackRevision(
  tx: TenantTx,
  requester: Requester,
  id: string,
): Promise<Versioned<RolledBack>> {
  await lockTenant(tx, 'revision');
  const target = withContent((await getRevision(tx, id)).resource);
  if (target.state !== 'ready') {
    throw new Problem(
      'revision_not_ready',
      `Revision ${target.number} is ${target.state}; only to a ready one can be rolled back. List /v1/revisions?state=ready.`,
    );
  }
  const parent = await findLatestReadyRevision(tx);
  const guardrails = await readGuardrails(tx);
  const findings = await routeFindings(tx, target, guardrails);
  const inputs = await listRevisionInputs(tx, target.id);
  const takenBack = await findTakenBack(
    tx,
    parent === null || guardrails.scope === 'revision' ? [] : await listRevisionInputs(tx, parent.id),
    inputs,
  );
  const made = await insertRevision(tx, {
    ...{
      state: findings.length === 0 ? 'ready' : 'held',
      findings,
      quarantined: findings.length === 0 ? takenBack.held : [],
      rails_hash: hashOfGuardrails(guardrails),
    },
    content_hash: target.content_hash,
    parent_id: parent?.id ?? null,
    rollback_of: target.id,
    trigger: { kind: 'rollback', module_id: null, job_id: null, actor: requester.actor },
    prefix_count: target.prefix_count,
    communities: target.communities,
    warnings: target.warnings,
  });
  await saveRevisionInputs(tx, made.id, inputs);
  if (made.state === 'ready') await takeBack(tx, made, await asOfNow(tx, inputs), takenBack);
  // Also when every speaker runs this content: what is being undone may have an apply that is still on its way.
  const isApplied = made.state === 'ready' && (await getSetting(tx, 'auto_apply'));
  const job = isApplied ? await enqueueApply(tx, requester, made, null) : null;
  const { resource, version } = await getRevision(tx, made.id);
  return { resource: { ...resource, apply_job_id: job?.id ?? null }, version };
}

/**
 * The snapshots of the old revision, as if their entries had been edited before: an operator who takes back what an edit brought has not
 * asked for it any more. So what a source says beside them is a change by itself from here on.
 */
async function asOfNow(tx: TenantTx, inputs: readonly RevisionInput[]): Promise<RevisionInput[]> {
  const latest = await listEntriesHashes(tx);
  const edited = inputs.flatMap(({ module_id: id, entries_hash: then }) => {
    const now = latest.get(id);
    return then === null || now === undefined || now === then ? [] : [then, now];
  });
  // A list may be of a hundred thousand entries, and of most modules it is the same still.
  const lists = await readEntryLists(tx, [...new Set(edited)]);
  const accepted: RevisionInput[] = [];
  for (const input of inputs) {
    const then = lists.get(input.entries_hash ?? '');
    const now = lists.get(latest.get(input.module_id) ?? '');
    if (then === undefined || now === undefined || then === now) accepted.push(input);
    else accepted.push({ ...input, entries_hash: await storeEntries(tx, withVersionsOf(now, then)) });
  }
  return accepted;
}
