/** Writes what follows from the tables that the service itself works by, the pages of docs/reference and the types of the client: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocs } from './docs/api-docs.ts';
import { cliDocs } from './docs/cli-docs.ts';
import { clientTypes } from './docs/client-types.ts';
import { errorDocs } from './docs/error-docs.ts';
import { settingsDocs } from './docs/settings-docs.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');

/** Text of each file by its path. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    [join(DOCS, 'reference/api.md'), `${apiDocs()}\n`],
    [join(DOCS, 'reference/errors.md'), `${errorDocs()}\n`],
    [join(DOCS, 'reference/settings.md'), `${settingsDocs()}\n`],
    [join(DOCS, 'reference/cli.md'), `${cliDocs()}\n`],
    [join(ROOT, 'client/src/generated/api.ts'), await clientTypes()],
  ]);
}

if (import.meta.main) for (const [path, text] of await generatedDocs()) writeFileSync(path, text);
