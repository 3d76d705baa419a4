import { describe, expect, test } from 'vitest';
import { ControlClock } from '../../src/agent/control-clock.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;

/** A machine whose clock is off, with a steady clock that a test moves. */
function machine(off: number) {
  let steady = 5_000;
  const clock = new ControlClock(
    () => NOON + off + steady - 5_000,
    () => steady,
  );
  const pass = (milliseconds: number): void => {
    steady += milliseconds;
  };
  return { clock, pass };
}

const utc = (time: number): string => new Date(time).toUTCString();

describe('the time of a node', () => {
  test('is its own until the control plane has answered', () => {
    const { clock } = machine(DAY);
    expect(clock.now().getTime()).toBe(NOON + DAY);
    expect(clock.skew()).toBeNull();
  });

  test.each([DAY, -DAY])(
    'is the one that the control plane sends, and goes on from there (off by %i ms)',
    (off) => {
      const { clock, pass } = machine(off);
      clock.observe(utc(NOON));
      expect(clock.now().getTime()).toBe(NOON);
      expect(clock.skew()).toBe(off / 1000);
      pass(3_600_000);
      expect(clock.now().getTime()).toBe(NOON + 3_600_000);
    },
  );

  test('does not depend on a Date that is none, or is missing', () => {
    const { clock } = machine(DAY);
    clock.observe(undefined);
    clock.observe('yesterday');
    expect(clock.now().getTime()).toBe(NOON + DAY);
  });

  test.each([DAY, -DAY])('follows the control plane where its clock is set (by %i ms)', (wrong) => {
    const { clock, pass } = machine(0);
    clock.observe(utc(NOON + wrong));
    expect(clock.now().getTime()).toBe(NOON + wrong);
    pass(1_000);
    clock.observe(utc(NOON + 1_000));
    expect(clock.now().getTime()).toBe(NOON + 1_000);
    expect(clock.skew()).toBe(0);
  });
});
