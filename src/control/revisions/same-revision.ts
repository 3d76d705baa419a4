import { isDeepStrictEqual } from 'node:util';
import type { Finding, RevisionCommunity } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { JudgedModule } from '../../store/revisions/held-modules.ts';
import { drawnFrom, listRevisionInputs, type RevisionInput } from '../../store/revisions/revision-history.ts';
import { findNewestRevision, type StoredRevision } from '../../store/revisions/stored-revisions.ts';
import type { StandingRevision } from '../../store/revisions/standing-revisions.ts';
import { isDrawnAlike } from './drawn-alike.ts';

/** What a revision would say. */
export interface NextRevision {
  readonly contentHash: string;
  readonly communities: readonly RevisionCommunity[];
  readonly findings: readonly Finding[];
  readonly held: readonly JudgedModule[];
  /** Null: those of the newest revision will do. */
  readonly warnings: readonly Finding[] | null;
  readonly used: readonly RevisionInput[];
}

/**
 * The newest revision, when one of this content would say nothing that it does not. Lists that have other prefixes, or have them from other entries, make another
 * revision even where routes stay the same, since feeds and rules are of single lists. One that is ready stays so whatever guardrails say now: its content is
 * announced already, and each apply looks at them again.
 * @param latest the latest that is ready, which is the newest most of the time
 */
export async function findSameRevision(
  tx: TenantTx,
  { contentHash, communities, findings, held, warnings, used }: NextRevision,
  latest: StandingRevision | null,
): Promise<StoredRevision | null> {
  const newest = await findNewestRevision(tx);
  if (newest?.content_hash !== contentHash) return null;
  if (!isDeepStrictEqual(valuesOf(newest.communities), valuesOf(communities))) return null;
  if (!isDeepStrictEqual(snapshotsOf(newest.quarantined), snapshotsOf(held))) return null;
  if (warnings !== null && !isDeepStrictEqual(subjectsOf(newest.warnings), subjectsOf(warnings))) return null;
  const isSame =
    newest.state === 'ready' ||
    (newest.state === 'held' && isDeepStrictEqual(newest.findings, [...findings]));
  if (!isSame) return null;
  const inputs = newest.id === latest?.id ? latest.inputs : await listRevisionInputs(tx, newest.id);
  return (await areDrawnAlike(tx, inputs, used)) ? newest : null;
}

async function areDrawnAlike(
  tx: TenantTx,
  inputs: readonly RevisionInput[],
  used: readonly RevisionInput[],
): Promise<boolean> {
  if (inputs.length !== used.length) return false;
  const before = new Map(inputs.map((input) => [input.module_id, input]));
  for (const input of used) {
    const known = before.get(input.module_id);
    if (known === undefined || known.purpose !== input.purpose) return false;
    if (!isDeepStrictEqual(known.families, input.families)) return false;
    if (drawnFrom(known) !== drawnFrom(input) && !(await isDrawnAlike(tx, known, input))) return false;
  }
  return true;
}

/** What is warned of; for how many hours it is so is another number each time. */
function subjectsOf(warnings: readonly Finding[]): string[] {
  return warnings.map(({ code, module_id, entry_id }) => `${code} ${module_id} ${entry_id}`).sort();
}

/** Which modules are held, and for what. */
function snapshotsOf(held: readonly JudgedModule[]): string[] {
  return held.map(({ module_id, snapshot }) => `${module_id} ${snapshot}`).sort();
}

/** Which communities the routes carry; their titles are for people. */
function valuesOf(communities: readonly RevisionCommunity[]): string[] {
  return communities.map(({ community_id: id, community }) => `${id} ${community}`).sort();
}
