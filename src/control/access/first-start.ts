import { renameSync, writeFileSync } from 'node:fs';
import { bootstrapKeyPath } from '../../config/bootstrap-key.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import { bootstrap } from '../../store/tenants/bootstrap.ts';
import type { Database } from '../../store/database/database.ts';

/**
 * Makes sure of the default tenant, its speaker and a first key: `given`, or one made up now and kept in the data directory. The
 * file is written before the key is stored, so that a key that works can always be found.
 * @returns the text of a key that was made up just now, to be shown once; else null
 */
export async function firstStart(
  db: Database,
  dataDir: string,
  given: string | null,
): Promise<string | null> {
  const path = bootstrapKeyPath(dataDir);
  const secret = given ?? mintApiKey('super_admin').secret;
  return db.inSystem(async (tx) => {
    const { keyCreated } = await bootstrap(tx, secret, given !== null);
    if (!keyCreated || given !== null) return null;
    // A draft first, so that the file is never half a key.
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${secret}\n`, { mode: 0o600 });
    renameSync(draft, path);
    return secret;
  });
}
