import { describe, expect, test } from 'vitest';
import { ControlClock } from '../../src/agent/control-clock.ts';
import { ReferenceTimes } from '../../src/speakers/reference-times.ts';
import { unreachable, type SpeakerStatus } from '../../src/speakers/speaker.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

const iso = (time: number): string => new Date(time).toISOString();

/** A machine whose clock may be set, and which knows the time that a test says. */
function machine(off: number) {
  let now = NOON;
  let error = off;
  const clock = new ControlClock(
    () => now + error,
    () => now - NOON,
  );
  return {
    times: new ReferenceTimes(clock),
    /** By the machine's own clock. */
    clockTime: () => now + error,
    pass: (milliseconds: number) => void (now += milliseconds),
    set: (milliseconds: number) => void (error = milliseconds),
    /** @param wrong milliseconds that the clock of the control plane is ahead */
    hear: (wrong = 0) => clock.observe(new Date(now + wrong).toUTCString()),
  };
}

function statusSince(since: number, reconfigured = since): SpeakerStatus {
  const session = { peerId: 'one', state: 'established', since: iso(since) } as const;
  const counts = { routesExported: 0, routesReceived: 0, updatesSent: 0, lastError: null };
  return {
    ...unreachable('not at all'),
    ...{ reachable: true, lastReconfiguredAt: iso(reconfigured), sessions: [{ ...session, ...counts }] },
  };
}

describe('times that a node reports', () => {
  test('stay as they are until the control plane has answered, and where clocks agree', () => {
    const { times, hear } = machine(2_000);
    const status = statusSince(NOON + 2_000);
    expect(times.translate(status)).toEqual(status);
    hear();
    expect(times.translate(status)).toEqual(status);
  });

  test.each([6 * HOUR, -6 * HOUR])('are those of the control plane (machine off by %i ms)', (off) => {
    const { times, hear, pass, clockTime } = machine(off);
    const status = statusSince(clockTime(), clockTime() - HOUR);
    expect(times.translate(status)).toEqual(status);
    pass(10_000);
    hear();
    expect(times.translate(status)).toEqual(statusSince(NOON, NOON - HOUR));
  });

  test('are so of what is planned, too', () => {
    const { times, hear, clockTime } = machine(6 * HOUR);
    const [session] = statusSince(clockTime()).sessions;
    const planned = { ...session!, nextAttempt: iso(clockTime() + 30_000) };
    hear();
    const { sessions } = times.translate({ ...statusSince(clockTime()), sessions: [planned] });
    expect(sessions).toMatchObject([{ since: iso(NOON), nextAttempt: iso(NOON + 30_000) }]);
  });

  test('do not move when the clock of the machine is set, whether the daemon moves them or not', () => {
    const { times, hear, pass, set, clockTime } = machine(0);
    hear();
    const kept = statusSince(clockTime());
    times.translate(kept);
    pass(HOUR);
    set(6 * HOUR);
    hear();
    expect(times.translate(kept)).toEqual(statusSince(NOON));
    const moved = statusSince(clockTime() - HOUR);
    expect(times.translate(moved)).toEqual(statusSince(NOON));
    set(0);
    expect(times.translate(moved)).toEqual(statusSince(NOON));
  });

  test('do not flicker with the whole seconds of answers, and follow a control plane whose clock is set', () => {
    const { times, hear, pass, clockTime } = machine(HOUR);
    const status = statusSince(clockTime());
    hear();
    const first = times.translate(status);
    for (const late of [300, 900, 1_700]) {
      pass(late);
      hear();
      expect(times.translate(status)).toEqual(first);
    }
    hear(24 * HOUR);
    const [session] = times.translate(status).sessions;
    expect(Math.abs(Date.parse(session!.since) - NOON - 24 * HOUR)).toBeLessThan(5_000);
  });

  test('of a state that was entered since are new', () => {
    const { times, hear, pass, clockTime } = machine(HOUR);
    hear();
    times.translate(statusSince(clockTime()));
    pass(2_000);
    expect(times.translate(statusSince(clockTime()))).toEqual(statusSince(NOON + 2_000));
  });

  test('of a daemon that does not answer are none', () => {
    const { times } = machine(HOUR);
    expect(times.translate(unreachable('gone'))).toEqual(unreachable('gone'));
  });
});
