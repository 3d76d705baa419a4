/**
 * What a kind of entries takes: geofeeds were the trial. Whoever writes a kind's name into a further file has found something that the tables of
 * kinds ought to say (ARCHITECTURE.md, "A kind of entries").
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** As the type, the table, the path, an identifier or a word. */
const NAMED = /geofeed/i;

/** Files that people write and that name the kind in code, or in a text for users. Comments may. */
function naming(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('generated/'))
    .filter((name) => NAMED.test(codeOf(readFileSync(join(ROOT, folder, name), 'utf8'))))
    .map((name) => `${folder}/${name}`)
    .sort();
}

function codeOf(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

it('a kind takes eleven files of src beside its migration, two of them for a format of lists that is its own', () => {
  // Whoever publishes lists is no part of a kind.
  expect(naming('src').filter((file) => !file.startsWith('src/sources/presets/'))).toEqual([
    'src/api/entries/entry-kinds.ts',
    'src/api/entries/geofeed-entries.ts',
    'src/api/entries/kind-schemas.ts',
    'src/control/entries/geofeed-entries.ts',
    'src/control/entries/kinds.ts',
    'src/http/routes/lists/geofeed-entries.ts',
    'src/http/server/route-table.ts',
    'src/sources/lists/geofeed-list.ts',
    'src/sources/lists/read-list.ts',
    'src/store/database/entry-tables.ts',
    'src/store/entries/geofeed-entries.ts',
  ]);
});

it('the console needs its words alone, the client nothing', () => {
  expect(naming('console/src')).toEqual(['console/src/strings/entry-kinds.ts']);
  expect(naming('client/src')).toEqual([]);
});
