import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { bootstrap } from '../../../src/store/tenants/bootstrap.ts';
import { openDatabase, type Database } from '../../../src/store/database/database.ts';
import { startEmbeddedServer, type EmbeddedServer } from '../../../src/store/embedded/embedded-server.ts';
import { migrate } from '../../../src/store/database/migrate.ts';
import { findTenantBySlug } from '../../../src/store/tenants/tenants.ts';
import { waitFor } from '../../daemons/wait.ts';

let dataDir: string;
let server: EmbeddedServer;
let db: Database;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-outage-'));
  chmodSync(dataDir, 0o711);
  server = await startEmbeddedServer(dataDir);
  await migrate(server.address);
  db = openDatabase(server.address);
});
afterAll(async () => {
  await db.close();
  await server.close();
  rmSync(dataDir, { recursive: true });
});

function postmaster(): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

test.each(['SIGINT', 'SIGKILL'] as const)(
  'after %s to the server, requests are answered to try again, then work by themselves on everything acknowledged',
  async (signal) => {
    const { tenant } = await db.inSystem((tx) => bootstrap(tx, mintApiKey('super_admin').secret, false));
    const readTenant = async () => (await db.inSystem((tx) => findTenantBySlug(tx, 'default')))?.id;
    const hints: (string | null)[] = [];
    const subscription = db.listen('outage', (payload) => hints.push(payload));
    await expect.poll(() => hints.length).toBe(1);
    process.kill(postmaster(), signal);
    // Both in one look: a moment later the server may be back.
    const refusals = await waitFor(
      async () => {
        const errors = await Promise.all([db.ping(), readTenant()].map(errorOf));
        return errors.every((error) => error !== null) && errors;
      },
      { what: 'the server to be away', everyMs: 5 },
    );
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'database_unavailable' });
    expect(refusals[1]).toMatchObject({ retryAfter: 2 });
    await expect.poll(() => readTenant().catch((error: unknown) => String(error))).toBe(tenant.id);
    await expect.poll(() => hints.length).toBe(2);
    subscription.close();
  },
);
