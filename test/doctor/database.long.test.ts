/** Faults of the database that the doctor knows, made for real beside one service. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { placesOf } from '../../src/store/embedded/places.ts';
import { createTestDatabase } from '../database.ts';
import { freePort } from '../daemons/machine/ports.ts';
import { startCasting } from '../e2e/casting.ts';
import { useDoctor } from './findings.ts';

const { expectFinding } = useDoctor();

describe('the database', () => {
  test('does not answer', async () => {
    const DATABASE_URL = `postgres://x@127.0.0.1:${await freePort()}/x`;
    await expectFinding('fault', 'database', /nothing listens there/, /Start PostgreSQL/, { DATABASE_URL });
  });

  test('is its own, and does not start', async () => {
    const own = await startCasting({ APP_BGP_LISTEN: `127.0.0.1:${await freePort()}` });
    try {
      await own.service.stop();
      appendFileSync(join(placesOf(own.dataDir).cluster, 'postgresql.conf'), '\nno_such_setting = 1\n');
      const more = { APP_DATA_DIR: own.dataDir, APP_PORT: new URL(own.service.url).port };
      await expectFinding(
        'fault',
        'database',
        /no_such_setting|log/,
        /^Start the service.*server\.log/,
        more,
      );
    } finally {
      await own.close();
    }
  });

  test('is newer, and its user is above all rules', async () => {
    const database = await createTestDatabase();
    try {
      const {
        host,
        port,
        database: name,
      } = database.address as { host: string; port: number; database: string };
      const urlFor = (user: string): Record<string, string> => ({
        DATABASE_URL: `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
      });
      await expectFinding('warning', 'database', /above row level security/, /BYPASSRLS/, urlFor('postgres'));
      const [{ text }] = (await database.admin<{ text: string }>(
        'DELETE FROM migration WHERE number = (SELECT max(number) FROM migration) RETURNING to_json(migration)::text AS text',
      )) as [{ text: string }];
      await expectFinding(
        'warning',
        'database',
        /1 migrations have not landed/,
        /Back up/,
        urlFor('prefixcast'),
      );
      await database.admin('INSERT INTO migration SELECT * FROM json_populate_record(NULL::migration, $1)', [
        text,
      ]);
      await database.admin(
        "INSERT INTO migration (number, name, sha256) VALUES (9999, '9999_later.sql', '')",
      );
      await expectFinding(
        'fault',
        'database',
        /newer than this program/,
        /Start the release/,
        urlFor('prefixcast'),
      );
    } finally {
      await database.close();
    }
  });
});

test('a user of the database who may not become our roles', async () => {
  const database = await createTestDatabase();
  const user = `stranger_${process.pid}`;
  try {
    await database.admin(`CREATE ROLE ${user} LOGIN; GRANT pg_read_all_data TO ${user}`);
    const {
      host,
      port,
      database: name,
    } = database.address as { host: string; port: number; database: string };
    const DATABASE_URL = `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
    await expectFinding(
      'fault',
      'database',
      /may not become prefixcast_tenant and prefixcast_system/,
      /GRANT prefixcast_tenant, prefixcast_system TO/,
      { DATABASE_URL },
    );
  } finally {
    await database.admin(`DROP ROLE IF EXISTS ${user}`);
    await database.close();
  }
});
