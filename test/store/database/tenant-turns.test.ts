import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/api/problems/problem.ts';
import { TenantTurns } from '../../../src/store/database/tenant-turns.ts';
import { times } from '../../fuzz.ts';

/** Like those of connections. */
const share = (present: number): number => (present === 1 ? 8 : Math.max(2, Math.floor(8 / (present + 1))));
const LIMITS = { places: 8, reserved: 3, share, maximumWaiting: 50, maximumWaitMs: 60_000 };

/** Takes for the tenant; tells in `order` when it came. */
function asker(turns: TenantTurns, order: string[]) {
  return (tenant: string): boolean => {
    const wait = turns.take(tenant);
    if (wait === null) order.push(tenant);
    else void wait.then(() => order.push(tenant));
    return wait === null;
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of tenants', () => {
  test('one tenant alone gets all but those that stay free for others', () => {
    const turns = new TenantTurns(LIMITS);
    const take = asker(turns, []);
    const got = Array.from({ length: 40 }, () => take('loud')).filter(Boolean);
    expect(got).toHaveLength(5);
    expect(turns.waiting).toBe(35);
  });

  test('a tenant that comes later gets one at once, a second and a third when they are free', () => {
    const turns = new TenantTurns(LIMITS);
    const take = asker(turns, []);
    for (let n = 0; n < 40; n++) take('loud');
    expect(take('quiet')).toBe(true);
    expect(take('quiet')).toBe(true);
    expect(take('quiet')).toBe(false);
    expect(take('third')).toBe(true);
  });

  test('those who wait are served tenant by tenant, whoever came first', async () => {
    const turns = new TenantTurns({ ...LIMITS, places: 2, reserved: 1 });
    const order: string[] = [];
    const take = asker(turns, order);
    for (const tenant of ['a', 'b', 'a', 'a', 'a', 'b', 'c', 'c']) take(tenant);
    expect(order).toEqual(['a', 'b']);
    // Who holds a connection is the last that came.
    const held = [...order];
    while (held.length > 0) {
      const seen = order.length;
      turns.giveBack(held.shift()!);
      await settle();
      held.push(...order.slice(seen));
    }
    expect(order.slice(2).sort()).toEqual(['a', 'a', 'a', 'b', 'c', 'c']);
    // The first two waits of c did not stand behind all those of a.
    expect(order.indexOf('c')).toBeLessThan(5);
    expect(turns.waiting).toBe(0);
  });

  test('too many of one tenant are refused, and only of that', () => {
    const turns = new TenantTurns({ ...LIMITS, maximumWaiting: 3 });
    for (let n = 0; n < 5 + 3; n++) void turns.take('loud')?.catch(() => undefined);
    const refused = (): unknown => turns.take('loud');
    expect(refused).toThrow(Problem);
    expect(refused).toThrow('3 requests of the tenant wait');
    expect(turns.take('quiet')).toBeNull();
  });

  test('a request that waits too long is refused, and leaves the line', async () => {
    const turns = new TenantTurns({ ...LIMITS, places: 1, reserved: 0, maximumWaitMs: 20 });
    expect(turns.take('a')).toBeNull();
    await expect(turns.take('a')).rejects.toMatchObject({ code: 'busy', retryAfter: 2 });
    expect(turns.waiting).toBe(0);
    turns.giveBack('a');
    expect(turns.take('a')).toBeNull();
  });

  test('a tenant that has left no longer counts', () => {
    let now = 0;
    const turns = new TenantTurns(LIMITS, () => now);
    for (const tenant of ['a', 'b', 'c', 'd']) {
      void turns.take(tenant);
      turns.giveBack(tenant);
    }
    const take = asker(turns, []);
    expect([take('a'), take('a'), take('a')]).toEqual([true, true, false]);
    now = 5_000;
    expect(take('a')).toBe(false); // it stands behind the one that waits
    turns.giveBack('a');
    expect(turns.waiting).toBe(0);
  });

  test('never more than there are, nobody is forgotten, whatever comes in whatever order', async () => {
    const step = fc.record({ tenant: fc.constantFrom('a', 'b', 'c', 'd'), leaves: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 200 }),
        fc.integer({ min: 1, max: 8 }),
        async (steps, places) => {
          const limits = { ...LIMITS, places, reserved: Math.min(3, places - 1), maximumWaiting: 1_000 };
          const turns = new TenantTurns(limits);
          const order: string[] = [];
          const take = asker(turns, order);
          const left: string[] = [];
          const heldBy = (tenant: string): number =>
            order.filter((each) => each === tenant).length - left.filter((each) => each === tenant).length;
          for (const { tenant, leaves } of steps) {
            if (!leaves) take(tenant);
            else if (heldBy(tenant) > 0) {
              turns.giveBack(tenant);
              left.push(tenant);
            }
            await settle();
            expect(order.length - left.length).toBeLessThanOrEqual(places);
          }
          const asked = steps.filter(({ leaves }) => !leaves).length;
          while (order.length > left.length) {
            const tenant = order.find((each) => heldBy(each) > 0)!;
            turns.giveBack(tenant);
            left.push(tenant);
            await settle();
          }
          expect(order.length).toBe(asked);
        },
      ),
      { numRuns: times(50) },
    );
  });
});
