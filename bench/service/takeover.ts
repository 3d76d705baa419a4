/**
 * `npm run bench -- takeover [ROUNDS]`: two processes of the service on one database. The one that holds the speaker is killed with SIGKILL, and
 * the database notes when the other one claims the lease; the clock of the database says how long that took. A BIRD with graceful restart is
 * the peer, and says when the session is up again.
 */
import type { Service } from '../../demo/service.ts';
import { waitFor } from '../../test/daemons/wait.ts';
import { cast, listOf, startCluster } from '../../test/e2e/cluster.ts';
import { type Takeover, Takeovers } from '../../test/e2e/takeovers.ts';
import { machine, median } from '../measure/report.ts';

const GOAL_MS = 5_000;
const ROUTES = 1_000;

/** @param args how often the holder is killed; five times where nothing is said */
export async function run([given = '5']: readonly string[]): Promise<void> {
  const cluster = await startCluster();
  const claims: number[] = [];
  const sessions: number[] = [];
  try {
    let holder: Service = await cluster.serve('app-all');
    cluster.list = listOf(ROUTES);
    await cast(holder, await cluster.prepare(holder));
    await cluster.bird.waitRoutes(ROUTES);
    const takeovers = await Takeovers.watch(cluster);
    for (let round = 1; round <= Number(given); round++) {
      const other = await cluster.serve('app-all');
      await cluster.bird.waitEstablished();
      const killed = await takeovers.now();
      await holder.stop('SIGKILL');
      const { claimed, expired } = await nth(takeovers, round);
      await waitFor(() => hasSession(other), { what: 'the session at the other process', everyMs: 20 });
      const up = await takeovers.now();
      claims.push(claimed - killed);
      sessions.push(up - killed);
      console.log(
        `killed with ${expired - killed} ms of its lease left: claimed after ${claims.at(-1)} ms, session up after ${sessions.at(-1)} ms, ${(await cluster.bird.routes()).length} of ${ROUTES} routes there`,
      );
      holder = other;
    }
    await takeovers.close();
  } finally {
    await cluster.close();
  }
  const slowest = Math.max(...claims);
  console.log(
    `a killed holder's speaker is claimed after ${median(claims)} ms (median), ${slowest} ms at most, goal ${GOAL_MS} ms: ${slowest <= GOAL_MS ? 'met' : 'NOT met'}; its session is up after ${median(sessions)} ms`,
  );
  console.log(machine());
}

function nth(takeovers: Takeovers, number: number): Promise<Takeover> {
  return waitFor(async () => (await takeovers.list())[number - 1] ?? false, {
    what: 'the other process to claim the lease',
    everyMs: 20,
  });
}

async function hasSession(service: Service): Promise<boolean> {
  interface Live {
    readonly live: { readonly reachable: boolean; readonly sessions: readonly { readonly state: string }[] };
  }
  const { items } = await service.get<{ items: Live[] }>('/v1/speakers?live=true');
  return items[0]!.live.reachable && items[0]!.live.sessions[0]?.state === 'established';
}
