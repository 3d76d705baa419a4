import { describe, expect, test } from 'vitest';
import type { AppliedSession } from '../../../src/api/speakers/applied-session.ts';
import { JobPause } from '../../../src/control/job.ts';
import { afterSoak, judgeSessions, type LiveCanary } from '../../../src/control/rollout/judge-soak.ts';

const SINCE = '2026-11-26T12:00:00.000Z';
const NOW = '2026-11-26T13:00:00.000Z';
const after = (milliseconds: number): string => new Date(Date.parse(SINCE) + milliseconds).toISOString();

/** A canary that had one session with ten routes. */
const HAD: readonly AppliedSession[] = [{ peer_id: 'p', since: SINCE, routes: 10 }];

function canary(session: Partial<LiveCanary['sessions'][number]> = {}): LiveCanary {
  const up = { peer_id: 'p', peer_name: 'edge', state: 'established', since: SINCE } as const;
  return {
    reachable: true,
    error: null,
    sessions: [{ ...up, routes_exported: 10, last_error: null, ...session }],
  };
}

const judge = (live: LiveCanary, unchanged = ['p'], had = HAD) =>
  judgeSessions(had, live, { unchanged: new Set(unchanged), now: Date.parse(NOW) });

describe('a session that is watched', () => {
  test('does well while it is up with its routes', () => {
    expect(judge(canary())).toEqual({ faults: [], sessions: 1, mayCome: true, isUntold: false });
  });

  test.each([
    ['that is down', { state: 'active', last_error: 'Hold timer' }, 'went down (Hold timer)'],
    ['that is down, nobody knows why', { state: 'idle' }, 'the session with edge went down'],
    ['that has come back', { since: after(8_001) }, 'went down and came back'],
    ['with fewer routes', { routes_exported: 9 }, 'edge is sent 9 of its 10 routes'],
  ] as const)('%s is a fault', (_what, session, words) => {
    const { faults } = judge(canary(session));
    expect(faults).toEqual([expect.stringContaining(words)]);
  });

  test('whose time was corrected is the same one', () => {
    expect(judge(canary({ since: after(8_000) })).faults).toEqual([]);
    expect(judge(canary({ since: after(-8_000) })).faults).toEqual([]);
  });

  test('that nobody has reported yet is no fault, and no witness', () => {
    expect(judge({ ...canary(), sessions: [] })).toEqual({
      ...{ faults: [], sessions: 0, mayCome: true, isUntold: true },
    });
  });

  test('that was down before is no fault, and a witness once it has its routes', () => {
    const had = [{ peer_id: 'p', since: null, routes: 10 }];
    expect(judge(canary({ state: 'idle' }), ['p'], had)).toMatchObject({ faults: [], sessions: 0 });
    expect(judge(canary(), ['p'], had)).toMatchObject({ faults: [], sessions: 1 });
  });

  test('of a peer that somebody has changed since counts for nothing, up or down', () => {
    expect(judge(canary(), [])).toEqual({ faults: [], sessions: 0, mayCome: false, isUntold: false });
    expect(judge(canary({ state: 'idle' }), [])).toEqual({
      faults: [],
      sessions: 0,
      mayCome: false,
      isUntold: false,
    });
  });
});

describe('a session that is down may come up', () => {
  const had = [{ peer_id: 'p', since: null, routes: 10 }];
  const before = (milliseconds: number): string => new Date(Date.parse(NOW) - milliseconds).toISOString();
  const mayCome = (session: Parameters<typeof canary>[0], unchanged = ['p']): boolean =>
    judge(canary(session), unchanged, had).mayCome;

  test('while it went down a moment ago, as with a restart', () => {
    expect(mayCome({ state: 'active', since: before(19_999) })).toBe(true);
    expect(mayCome({ state: 'active', since: before(20_000) })).toBe(false);
  });

  test('while it is up and has yet to receive all of its routes', () => {
    expect(mayCome({ routes_exported: 3, since: before(60_000) })).toBe(true);
  });

  test('while nobody has reported it, and not where there is none', () => {
    expect(judge({ ...canary(), sessions: [] }, ['p'], had).mayCome).toBe(true);
    expect(judge({ ...canary(), sessions: [] }, [], []).mayCome).toBe(false);
  });

  test('and not where somebody has changed its peer: it shows nothing of the revision', () => {
    expect(mayCome({ state: 'active', since: before(1_000) }, [])).toBe(false);
  });
});

test('a canary whose daemon does not answer is at fault', () => {
  const { faults } = judge({ ...canary(), reachable: false, error: 'no socket' });
  expect(faults).toEqual(['it does not answer: no socket']);
});

describe('the end of a soak of 30 s', () => {
  const end = (silent: readonly string[], sessions: number, elapsed: number, mayCome = true): unknown => {
    try {
      return afterSoak({ faults: [], silent, sessions, mayCome }, elapsed, 30);
    } catch (error) {
      if (error instanceof JobPause) return `pauses for ${error.seconds} s at ${error.progress.done}`;
      throw error;
    }
  };

  test('is when it has lasted so long', () => {
    expect(end([], 1, 0)).toBe('pauses for 2 s at 0');
    expect(end([], 1, 29.5)).toBe('pauses for 1 s at 29');
    expect(end([], 1, 30)).toBeNull();
  });

  test('waits a minute more for canaries that nobody reports', () => {
    expect(end(['edge'], 1, 61)).toBe('pauses for 2 s at 30');
    expect(end(['edge'], 1, 90)).toBe('pauses for 2 s at 30');
    expect(end(['edge'], 1, 90.1)).toContain('No process reports edge');
  });

  test('needs a session that shows something', () => {
    expect(end([], 0, 30)).toContain('No canary has a session that is up');
    expect(end([], 0, 29)).toBe('pauses for 1 s at 29');
  });

  test('comes at once where no session can show anything any more', () => {
    expect(end([], 0, 1.9, false)).toBe('pauses for 2 s at 1');
    expect(end([], 0, 2, false)).toContain('No canary has a session that is up');
    expect(end(['edge'], 0, 2, false)).toBe('pauses for 2 s at 2');
    expect(end([], 1, 2, false)).toBe('pauses for 2 s at 2');
  });
});
