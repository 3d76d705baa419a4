import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UnreachableDatabaseError, waitForDatabase } from '../../../src/store/database/wait-for-database.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** The test database on a port, whose own server is reached through a socket. */
function bridge(): Server {
  const { host, port } = database.address as { host: string; port: number };
  return createServer((client) => {
    const server = connect(`${host}/.s.PGSQL.${port}`);
    client.pipe(server).pipe(client);
    for (const end of [client, server]) end.on('error', () => undefined);
  });
}

test('waits for a database that comes later, and says so once', async () => {
  const port = await freePort();
  const { database: name } = database.address as { database: string };
  const reasons: string[] = [];
  const waiting = waitForDatabase(
    { host: '127.0.0.1', port, user: 'prefixcast', database: name },
    { seconds: 30, onWait: (reason) => reasons.push(reason) },
  );
  await expect.poll(() => reasons).toEqual([expect.stringContaining('nothing listens there')]);
  const server = bridge();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await waiting;
  expect(reasons).toHaveLength(1);
  server.close();
});

test('a server that takes the connection and says nothing is reported as silent', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const address = { host: '127.0.0.1', port, user: 'x', database: 'x' };
  const waiting = waitForDatabase(address, { seconds: 0, onWait: () => undefined });
  await expect(waiting).rejects.toThrow(UnreachableDatabaseError);
  await expect(waiting).rejects.toThrow('it does not answer');
  silent.close();
});

test('what the server itself refuses is thrown at once', async () => {
  const address = { ...(database.address as { host: string; port: number }), user: 'prefixcast' };
  const reasons: string[] = [];
  const waiting = waitForDatabase(
    { ...address, database: 'there_is_no_such' },
    { seconds: 30, onWait: (reason) => reasons.push(reason) },
  );
  await expect(waiting).rejects.toMatchObject({ code: '3D000' });
  expect(reasons).toEqual([]);
});
