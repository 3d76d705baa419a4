/** A primary with a standby behind it, of servers that any user of this machine may ask. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../src/store/database/migrate.ts';
import { startEmbeddedServer } from '../../../src/store/embedded/embedded-server.ts';
import { placesOf } from '../../../src/store/embedded/places.ts';
import { prepareProgram } from '../../../src/store/embedded/program.ts';
import { chooseOwner } from '../../../src/store/embedded/server-owner.ts';
import { freePort } from '../machine/ports.ts';
import { waitFor } from '../wait.ts';
import { diskDirectory } from '../../temporary.ts';

const DATABASE = 'prefixcast';

export interface Pair {
  readonly root: string;
  readonly primaryPort: number;
  readonly standbyPort: number;
  /** As an administrator. */
  readonly ask: (port: number, sql: string) => Promise<Record<string, unknown>[]>;
  readonly urlOf: (port: number) => string;
  readonly close: () => Promise<void>;
}

async function ask(port: number, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: DATABASE });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const isReady = (port: number): Promise<unknown> =>
  waitFor(
    () =>
      ask(port, 'SELECT').then(
        () => true,
        () => false,
      ),
    { what: 'the server to answer' },
  );

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}

export async function startPair(): Promise<Pair> {
  const root = mkdtempSync(join(diskDirectory(), 'prefixcast-standby-'));
  const embedded = await startEmbeddedServer(root);
  await migrate(embedded.address);
  await embedded.close();
  const places = placesOf(root);
  const owner = chooseOwner(root, places.cluster);
  const { postgres } = prepareProgram(places, owner);
  const rules = join(root, 'hba.conf');
  writeFileSync(rules, 'host all,replication all 127.0.0.1/32 trust\n');
  chmodSync(rules, 0o644);
  if (owner !== null) chownSync(rules, owner.uid, owner.gid);
  const servers: ChildProcess[] = [];
  const run = async (data: string, port: number, more: readonly string[] = []): Promise<void> => {
    const settings = [
      ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', `hba_file=${rules}`],
      ...[
        'wal_level=replica',
        'max_wal_senders=4',
        'max_replication_slots=4',
        'wal_keep_size=1GB',
        'fsync=off',
        ...more,
      ],
    ].flatMap((setting) => ['-c', setting]);
    const user = owner === null ? {} : { uid: owner.uid, gid: owner.gid };
    servers.push(spawn(postgres, ['-D', data, ...settings], { cwd: '/', stdio: 'ignore', ...user }));
    await isReady(port);
  };
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  // A standby refuses to start from what a server wrote that nobody replicates.
  await run(places.cluster, primaryPort);
  await stop(servers.pop()!);
  const copy = join(places.home, 'standby');
  cpSync(places.cluster, copy, { recursive: true });
  writeFileSync(join(copy, 'standby.signal'), '');
  if (owner !== null) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, copy]);
  chmodSync(copy, 0o700);
  await run(places.cluster, primaryPort);
  await run(copy, standbyPort, [
    `primary_conninfo=host=127.0.0.1 port=${primaryPort} user=postgres application_name=second`,
  ]);
  return {
    ...{ root, primaryPort, standbyPort, ask },
    urlOf: (port) => `postgresql://${DATABASE}@127.0.0.1:${port}/${DATABASE}`,
    close: async () => {
      for (const server of servers.reverse()) await stop(server);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
