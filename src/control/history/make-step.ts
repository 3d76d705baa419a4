import type { ChangePiece } from '../../core/stored/change-list.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { Step, StepPiece, StepToMake } from '../../store/revisions/history.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import { rememberedDifference } from '../tables/id-tables.ts';
import { differenceBetween } from '../tables/difference-threads.ts';

/** How a step is read that is to be made: each time in a transaction of its own, or all in one. */
export interface StepReader {
  readonly inputsOf: (revisionId: string) => Promise<readonly RevisionInput[]>;
  readonly contentOf: (contentHash: string) => Promise<StoredContent>;
}

/** What differs from one revision to the next: their routes, the snapshots that they were built from, and what these were used for. */
export async function makeStep(
  { inputsOf, contentOf }: StepReader,
  { id, content_hash: after, previous }: StepToMake,
  signal?: AbortSignal,
): Promise<Step> {
  const earlier = new Map((await inputsOf(previous.id)).map((input) => [input.module_id, input]));
  const later = new Map((await inputsOf(id)).map((input) => [input.module_id, input]));
  const pieces: StepPiece[] = [];
  const addPieces = async (moduleId: string | null, from: string, to: string): Promise<void> => {
    if (from === to) return;
    const known = rememberedDifference(from, to);
    const read = async (): Promise<readonly ChangePiece[]> =>
      differenceBetween(await contentOf(from), await contentOf(to), signal);
    for (const piece of known ?? (await read())) pieces.push({ ...piece, moduleId });
  };
  await addPieces(null, previous.content_hash, after);
  const switched: string[] = [];
  for (const moduleId of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [earlier.get(moduleId), later.get(moduleId)];
    if (was === undefined || is === undefined || usageOf(was) !== usageOf(is)) switched.push(moduleId);
    if (was !== undefined && is !== undefined) await addPieces(moduleId, was.content_hash, is.content_hash);
  }
  return { switched, pieces };
}

/** All of an input that decides what it contributes, beside its snapshot. */
function usageOf({ purpose, families, left_out: leftOut }: RevisionInput): string {
  return JSON.stringify([purpose, [...families].sort(), leftOut]);
}
