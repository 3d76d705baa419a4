/** How tenants share the connections of requests. */
import { TenantTurns } from './tenant-turns.ts';

/** Those reserved for work without a tenant, such as authentication and snapshots. */
const CONNECTIONS_OF_THE_SERVICE = 2;
const RESERVED = 3;
const MAXIMUM_WAITING = 200;
const MAXIMUM_WAIT_MS = 10_000;
/** For large requests, of which a tenant runs one at a time: several would not end sooner. */
export const BULK_CONNECTIONS = 3;
const BULK_WAITING = 16;
const BULK_WAIT_MS = 30_000;

export function turnsOf(connections: number): TenantTurns {
  const places = Math.max(1, connections - CONNECTIONS_OF_THE_SERVICE);
  return new TenantTurns({
    places,
    reserved: Math.min(RESERVED, places - 1),
    // Tenants share the database's processors too.
    share: (present) => (present === 1 ? places : Math.max(2, Math.floor(places / (present + 1)))),
    maximumWaiting: MAXIMUM_WAITING,
    maximumWaitMs: MAXIMUM_WAIT_MS,
  });
}

export function bulkTurns(): TenantTurns {
  return new TenantTurns({
    ...{ places: BULK_CONNECTIONS, reserved: 0, share: () => 1 },
    ...{ maximumWaiting: BULK_WAITING, maximumWaitMs: BULK_WAIT_MS },
  });
}
