/**
 * `npm run bench -- blackhole [ROUNDS]`: an address is blackholed by one request, and leaves by itself when its time is over. A BIRD is the router: how
 * long after the request it has the route, and how long after the end it has lost it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startCasting } from '../../test/e2e/casting.ts';
import { machine, median } from '../measure/report.ts';

const THERE_MS = 2_000;
const GONE_MS = 5_000;
/** Behind what a busy machine takes until the route is there. */
const LASTS_MS = 15_000;

interface Made {
  readonly id: string;
}

export async function run([given = '5']: readonly string[]): Promise<void> {
  const casting = await startCasting();
  const there: number[] = [];
  const gone: number[] = [];
  try {
    const { service } = casting;
    const bird = await casting.addBird();
    await service.call('PATCH', '/v1/settings', { auto_revision: null, guard_bogons: 'allow' });
    const community = await service.post<Made>('/v1/communities', {
      ...{ community: 'blackhole', title: 'Blackhole', next_hop_ipv4: '192.0.2.1' },
    });
    const module = await service.post<Made>('/v1/modules', {
      ...{ name: 'attacked', type: 'IP_RANGES', community_id: community.id },
    });
    await bird.waitEstablished();
    for (let round = 1; round <= Number(given); round++) {
      const end = Date.now() + LASTS_MS;
      const entry = { cidr: `203.0.113.${round}/32`, expires_at: new Date(end).toISOString() };
      const asked = performance.now();
      await service.post(`/v1/modules/${module.id}/ip-range-entries`, entry);
      await bird.waitRoutes(1);
      there.push(Math.round(performance.now() - asked));
      await sleep(Math.max(0, end - Date.now()));
      await bird.waitRoutes(0);
      gone.push(Date.now() - end);
      console.log(`at the router after ${there.at(-1)} ms, gone ${gone.at(-1)} ms after its end`);
    }
  } finally {
    await casting.close();
  }
  tell('the router has the route', there, THERE_MS);
  tell('it has lost it after the end', gone, GONE_MS);
  console.log(machine());
}

function tell(what: string, times: readonly number[], goal: number): void {
  const slowest = Math.max(...times);
  console.log(
    `${what} after ${median(times)} ms (median), ${slowest} ms at most, goal ${goal} ms: ${slowest <= goal ? 'met' : 'NOT met'}`,
  );
}
