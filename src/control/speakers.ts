import type { Speaker, SpeakerCreate, SpeakerPatch } from '../api/speakers.ts';
import { fieldProblem } from '../api/problem.ts';
import { notify, type TenantTx, type Versioned } from '../store/database.ts';
import { insertSpeaker, updateSpeaker } from '../store/speakers.ts';
import { SPEAKERS_CHANNEL } from './apply-revision.ts';

export async function createSpeaker(tx: TenantTx, body: SpeakerCreate): Promise<Versioned<Speaker>> {
  if (body.daemon !== undefined && body.daemon !== 'builtin') {
    throw fieldProblem(
      '/daemon',
      `This version drives builtin speakers only, not ${body.daemon}. Use builtin, which peers with any BGP router.`,
    );
  }
  if (body.mode === 'agent') {
    throw fieldProblem('/mode', 'This version has no node agent yet. Use local.');
  }
  const created = await insertSpeaker(tx, body);
  await notify(tx, SPEAKERS_CHANNEL, tx.tenantId);
  return created;
}

/** The process that holds the speaker follows within a second; sessions whose identity changes are reset. */
export async function changeSpeaker(
  tx: TenantTx,
  id: string,
  patch: SpeakerPatch,
  version: number | null,
): Promise<Versioned<Speaker>> {
  const changed = await updateSpeaker(tx, id, patch, version);
  await notify(tx, SPEAKERS_CHANNEL, tx.tenantId);
  return changed;
}
