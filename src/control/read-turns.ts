import { rest } from '../concurrency/slices.ts';
import { TenantTurns } from '../store/database/tenant-turns.ts';

const turns = new TenantTurns({
  ...{ places: Infinity, reserved: 0, share: () => 1 },
  ...{ maximumWaiting: 1_000, maximumWaitMs: 60_000 },
});

/** For answers that are written while they are read: a tenant that reads much at once reads one page at a time, with a rest after each. */
export function inReadTurn<T>(tenantId: string, readPage: () => Promise<T>): Promise<T> {
  return turns.inTurn(tenantId, async () => {
    const began = performance.now();
    const page = await readPage();
    await rest(began);
    return page;
  });
}
