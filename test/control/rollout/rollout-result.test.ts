import { describe, expect, test } from 'vitest';
import { presentApplies } from '../../../src/control/rollout/rollout-result.ts';
import type { SpeakerApply } from '../../../src/store/rollout/applies.ts';

const base: SpeakerApply = {
  ...{ id: 'a', speaker_id: 's', revision_id: 'r', state: 'queued', wave: 1, code: null, error: null },
  ...{ announced: null, withdrawn: null, changed: null, sessions: null, peers: null, partial: false },
};
const agent = { version: '1', hostname: 'edge-1.example.net', last_seen_at: '2026-01-01T00:00:00.000Z' };
const speaker = { id: 's', name: 'edge', mode: 'agent', daemon: 'builtin', agent } as const;

describe('a speaker that has not answered is reported by', () => {
  const words = (state: SpeakerApply['state'], of: Parameters<typeof presentApplies>[1][number]) =>
    presentApplies([{ ...base, state }], [of])[0]!;

  test.each([
    ['queued', 'failed'],
    ['running', 'unfinished'],
  ] as const)('the machine of its agent while it is %s', (state, expected) => {
    const { status, error } = words(state, speaker);
    expect(status).toBe(expected);
    expect(error).toContain('The agent on edge-1.example.net, last seen at 2026-01-01T00:00:00.000Z,');
  });

  test('what is to be done where no node has enrolled', () => {
    expect(words('queued', { ...speaker, agent: null }).error).toContain('/v1/speakers/s/enrollment-tokens');
  });

  test('the process that holds it, where no agent does', () => {
    expect(words('queued', { ...speaker, mode: 'local', agent: null }).error).toContain('app-speaker');
  });
});

test('of a canary that went back it is said what its peers failed on, and nothing of new routes that they were to get', () => {
  const peer = {
    peer_id: 'p',
    name: 'router',
    address: '192.0.2.1',
    status: 'failed',
    was_up: true,
    announced: 0,
    expected: 1,
    notification: null,
    error:
      'the session with router went down. Its daemon keeps older routes for no single peer, so it gets the new ones again when it comes back',
  } as const;
  const peers = [peer, { ...peer, error: 'the session with router went down' }, { ...peer, error: null }];
  for (const state of ['undone', 'undoing'] as const) {
    const [result] = presentApplies([{ ...base, state, wave: 0, peers }], [speaker]);
    expect(result!.peers.map(({ error }) => error)).toEqual([
      'the session with router went down',
      'the session with router went down',
      null,
    ]);
  }
  const [kept] = presentApplies([{ ...base, state: 'succeeded', peers }], [speaker]);
  expect(kept!.peers[0]!.error).toBe(peer.error);
});
