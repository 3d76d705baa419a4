/**
 * A process that uses an embedded server, for tests that start, adopt and kill. Arguments: data directory, and a user number
 * to become first (`-`: stay). Prints one JSON line; `close` on stdin closes.
 */
import pg from 'pg';
import { startEmbeddedServer } from '../../../src/store/embedded/embedded-server.ts';

const [dataDir = '', uid = '-'] = process.argv.slice(2);
if (uid !== '-') {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
try {
  const server = await startEmbeddedServer(dataDir);
  const client = new pg.Client(server.address);
  await client.connect();
  const { rows } = await client.query<{ listen: string; pid: number }>(
    "SELECT current_setting('listen_addresses') AS listen, (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS pid",
  );
  await client.end();
  process.stdout.write(
    `${JSON.stringify({ ...rows[0], address: server.address, started: server.started })}\n`,
  );
  process.stdin.once('data', () => {
    void server.close().then(() => process.exit(0));
  });
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
  process.exitCode = 1;
}
