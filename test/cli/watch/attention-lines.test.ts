import { expect, test } from 'vitest';
import type { Attention } from '../../../src/api/activity/attention.ts';
import type { Session } from '../../../src/cli/session/run-remote.ts';
import { linesOf } from '../../../src/cli/status/attention-lines.ts';

/** What a line is made of where the service is asked nothing. */
const session = { contextWords: '' } as Session;

test('a canary that failed and went back is said to have had the revision, and why it has it no more', async () => {
  const item = {
    kind: 'not-applied',
    speaker: { id: 'canary', name: 'frankfurt' },
    revision: { number: 8, created_at: '2026-01-01T00:00:00Z' },
    canaryFault: 'Not every peer of the canaries took the revision. frankfurt: edge: the session went down',
  } as unknown as Attention;
  const lineOf = async (canaryIds: string[]) =>
    (await linesOf(session, { speakers: [], revisions: [] }, [item], canaryIds))[0]!;
  expect(await lineOf(['canary'])).toMatchObject({
    detail:
      'it came here first, and was taken back: Not every peer of the canaries took the revision. frankfurt: edge: the session went down',
    command: 'prefixcast apply retry --wait',
  });
  expect((await lineOf(['another'])).detail).toMatch(/^a canary failed, so it did not come here; /);
});
