/** What the doctor says of a database that others follow, and of one that follows another. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../daemons/wait.ts';
import { examine } from './examine.ts';
import { startPair, type Pair } from '../daemons/postgres/standby.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair?.close());

async function findings(port: number): Promise<string[]> {
  const env = { DATABASE_URL: pair.urlOf(port), APP_DATA_DIR: join(pair.root, 'none') };
  const { findings: all } = await examine(env);
  return all
    .filter(({ check }) => check === 'database')
    .map(({ verdict, found, remedy }) =>
      [verdict, found, remedy].filter((text) => text !== null).join(' | '),
    );
}

test('a standby is named; its lag is for a member of pg_monitor, and a warning once it is large', async () => {
  const { primaryPort, standbyPort } = pair;
  const following = async (): Promise<boolean> =>
    (await pair.ask(primaryPort, 'SELECT FROM pg_stat_replication')).length > 0;
  await waitFor(following, { what: 'the standby to follow' });
  expect(await findings(primaryPort)).toContain(
    'ok | the standby second follows; its lag is not shown to this user',
  );
  await pair.ask(primaryPort, 'GRANT pg_monitor TO prefixcast');
  await waitFor(
    async () => (await findings(primaryPort)).includes('ok | the standby second is 0 MiB behind'),
    { what: 'the standby to have everything' },
  );
  await pair.ask(standbyPort, 'SELECT pg_wal_replay_pause()');
  for (let at = 0; at < 30; at++)
    await pair.ask(primaryPort, "SELECT pg_logical_emit_message(false, 'filler', repeat('x', 10000000))");
  const behind = (await findings(primaryPort)).find((text) => text.includes('second'));
  expect(behind).toMatch(
    /^warning \| the standby second is 28\d MiB behind \| See its log and its network: after a failover, what it lacks is gone\.$/,
  );
  await pair.ask(standbyPort, 'SELECT pg_wal_replay_resume()');
});

test('a standby as the database of the service is a fault, with what to write instead', async () => {
  const [fault] = (await findings(pair.standbyPort)).filter((text) => text.includes('standby'));
  expect(fault).toMatch(
    /^fault \| it is a standby(?:, \d+ s behind)?, which takes no writes \| Let DATABASE_URL name the primary\.$/,
  );
});
