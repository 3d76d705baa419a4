/** What a command loads decides how long it takes: a chunk of the bundle that it shares with the service brings the service's libraries along. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testProgram } from '../program.ts';

const directory = mkdtempSync(join(tmpdir(), 'prefixcast-loaded-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a command of the bundled program; the files of the bundle that it has loaded when it ends. */
function loadedBy(...words: string[]): string[] {
  const hook = join(directory, 'hook.cjs');
  const list = join(directory, 'loaded.json');
  const save = `require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache)))`;
  writeFileSync(hook, `process.on('exit', () => { ${save}; });`);
  const { stderr } = spawnSync(process.execPath, ['--require', hook, testProgram(), ...words], {
    env: { PATH: process.env.PATH, PREFIXCAST_URL: 'http://127.0.0.1:1', PREFIXCAST_KEY: 'pc_v_none' },
    encoding: 'utf8',
  });
  const files = (JSON.parse(readFileSync(list, 'utf8')) as string[]).filter((file) => file.endsWith('.cjs'));
  expect(files.length, stderr).toBeGreaterThan(1);
  return files.filter((file) => file !== hook);
}

/** The libraries whose code is in the files: the bundle names the file of each module before it. */
function librariesIn(files: readonly string[]): string[] {
  const names = files.flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm),
      ([, name]) => name!,
    ),
  );
  return [...new Set(names)].sort();
}

test('a command that asks the service for one object loads no library of the service', () => {
  const files = loadedBy('module', 'get', 'scanners');
  expect(librariesIn(files)).toEqual(['openapi-fetch']);
});

test('and the version loads none at all', () => {
  expect(librariesIn(loadedBy('--version'))).toEqual([]);
});
