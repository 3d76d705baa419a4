/** Writes the pages of docs/reference that follow from the tables that the service itself works by: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocs } from './api-docs.ts';
import { cliDocs } from './cli-docs.ts';
import { errorDocs } from './error-docs.ts';
import { settingsDocs } from './settings-docs.ts';

const DOCS = join(import.meta.dirname, '../docs');

/** Text of each file by its path. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([
    [join(DOCS, 'reference/api.md'), `${apiDocs()}\n`],
    [join(DOCS, 'reference/errors.md'), `${errorDocs()}\n`],
    [join(DOCS, 'reference/settings.md'), `${settingsDocs()}\n`],
    [join(DOCS, 'reference/cli.md'), `${cliDocs()}\n`],
  ]);
}

if (import.meta.main) for (const [path, text] of generatedDocs()) writeFileSync(path, text);
