import { describe, expect, test } from 'vitest';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { planRollout } from '../../../src/control/rollout/rollout-plan.ts';

const speaker = (id: string, enabled = true) =>
  ({ id, name: id.toUpperCase(), enabled, mode: 'local' }) as Speaker;
const speakers = [
  ...['a', 'b', 'c', 'd', 'e'].map((id) => speaker(id)),
  speaker('off', false),
] as readonly Speaker[];
const targets = speakers.filter(({ enabled }) => enabled);
const plan = (canaryIds: string[], waveSize = 0, chosen = targets) =>
  planRollout({ speakers, targets: chosen, canaryIds, waveSize });

describe('a rollout', () => {
  test('goes to all at once where nothing else is said', () => {
    expect(plan([])).toEqual({
      ...{ canaries: [], waves: [['a', 'b', 'c', 'd', 'e']], skipped: [], leftOut: [] },
    });
    expect(plan([], 0, [])).toEqual({ canaries: [], waves: [], skipped: [], leftOut: [] });
  });

  test('goes to canaries first, in the order of the setting, and to the others in waves', () => {
    expect(plan(['D', 'b'], 2)).toMatchObject({
      canaries: ['d', 'b'],
      waves: [['a', 'c'], ['e']],
      leftOut: [],
    });
    expect(plan(['a', 'b', 'c', 'd', 'e'], 2)).toMatchObject({ waves: [] });
  });

  test('waits for no speaker whose node has not enrolled, as a canary neither', () => {
    const node = { ...speaker('n'), mode: 'agent', agent: null } as Speaker;
    const wish = { speakers: [...speakers, node], targets: [...targets, node], waveSize: 0 };
    const { canaries, skipped, leftOut } = planRollout({ ...wish, canaryIds: ['n', 'a'] });
    expect(canaries).toEqual(['a']);
    expect(skipped).toEqual([node]);
    expect(leftOut).toEqual([
      { speaker_id: 'n', reason: expect.stringContaining('/v1/speakers/n/enrollment-tokens') as string },
    ]);
  });

  test('reports which canaries it does without, and why', () => {
    const { canaries, leftOut } = plan(['a', 'off', 'gone', 'b'], 0, [speaker('b'), speaker('c')]);
    expect(canaries).toEqual(['b']);
    expect(leftOut).toEqual([
      { speaker_id: 'a', reason: expect.stringContaining('A is not one of them') as string },
      { speaker_id: 'off', reason: 'The speaker OFF is disabled.' },
      { speaker_id: 'gone', reason: 'This speaker no longer exists.' },
    ]);
  });
});
