/**
 * `npm run rows`: lands every migration in an embedded PostgreSQL of its own, and writes the types of its rows. With `--check` it writes
 * nothing, and fails when they are not what migrations make.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../src/store/database/migrate.ts';
import { startEmbeddedServer } from '../src/store/embedded/embedded-server.ts';
import { CATALOG, ROWS, rowTypes, type Column } from './row-types.ts';

async function readCatalog(): Promise<Column[]> {
  const folder = mkdtempSync(join(tmpdir(), 'prefixcast-rows-'));
  try {
    const server = await startEmbeddedServer(folder);
    try {
      await migrate(server.address);
      const client = new pg.Client(server.address);
      await client.connect();
      const { rows } = await client.query<Column>(CATALOG);
      await client.end();
      return rows;
    } finally {
      await server.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const text = await rowTypes(await readCatalog());
if (!process.argv.includes('--check')) writeFileSync(ROWS, text);
else if (readFileSync(ROWS, 'utf8') !== text) {
  console.error(
    'src/store/generated/rows.ts is not what migrations make: run `npm run rows` and commit the file',
  );
  process.exitCode = 1;
}
