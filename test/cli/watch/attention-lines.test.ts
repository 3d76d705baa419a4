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

test('canaries of which none can take a revision are named, with the command that turns one on', async () => {
  const lineOf = async (...canaries: object[]) => {
    const item = { kind: 'no-canary', canaries } as unknown as Attention;
    return (await linesOf(session, { speakers: [], revisions: [] }, [item], []))[0]!;
  };
  expect(await lineOf({ name: 'frankfurt', enabled: false })).toMatchObject({
    state: 'no canary',
    detail: 'frankfurt is disabled or without a node, so the next revision comes to no speaker',
    command: 'prefixcast speaker edit frankfurt --enabled yes',
    needs_somebody: true,
  });
  expect((await lineOf({ name: 'frankfurt', enabled: true })).command).toBe(
    'prefixcast settings set deploy_canary_speaker_ids NAME',
  );
});

test('a node that no key lets in takes nothing by itself', async () => {
  const detailOf = async (live: object) => {
    const speaker = { name: 'edge', agent: { last_seen_at: 'then' }, live };
    const item = { kind: 'unreachable', speaker, awaits: { number: 8 } } as unknown as Attention;
    return (await linesOf(session, { speakers: [], revisions: [] }, [item], []))[0]!.detail;
  };
  const error = 'Enroll it again with another token (POST /v1/speakers/{speaker_id}/enrollment-tokens).';
  expect(await detailOf({ error: 'Away.' })).toBe('Away. It takes revision 8 by itself when it is back.');
  expect(await detailOf({ error, is_locked_out: true })).toBe(
    'Enroll it again with another token (prefixcast node enroll SPEAKER).',
  );
});
