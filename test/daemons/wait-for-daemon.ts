import type { Daemon, NamedNeighbor } from './daemon.ts';
import { tail } from './process.ts';
import { PATIENCE_MS, waitFor } from './wait.ts';

/** What waiting needs to know of a daemon. */
interface Watched extends Pick<Daemon, 'session' | 'routeCount' | 'log'> {
  daemon: string;
  /** Asked each time, since a daemon may be configured anew. */
  getNeighbors: () => readonly NamedNeighbor[];
}

/** The two waits of `Daemon`, made of its other functions. */
export function waitForDaemon(watched: Watched): Pick<Daemon, 'waitEstablished' | 'waitRoutes'> {
  const { daemon, getNeighbors, session, routeCount, log } = watched;
  const details = (state: string): string => `${state}\n--- log of ${daemon}\n${tail(log())}`;
  return {
    async waitEstablished(neighbor, timeoutMs = PATIENCE_MS) {
      for (const { name } of getNeighbors()) {
        if (neighbor !== undefined && neighbor !== name) continue;
        let state = 'unknown';
        await waitFor(async () => (state = (await session(name)).state) === 'established', {
          what: `the session ${name} of ${daemon} to be established`,
          timeoutMs,
          details: () => details(`it is ${state}`),
        });
      }
    },
    async waitRoutes(count, timeoutMs = PATIENCE_MS) {
      let seen = 0;
      await waitFor(async () => (seen = await routeCount()) === count, {
        what: `${count} routes in ${daemon}`,
        timeoutMs,
        details: () => details(`it has ${seen}`),
      });
    },
  };
}
