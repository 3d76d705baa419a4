import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceDirectory } from '../../scripts/console/replace-directory.ts';

let directory: string;
let place: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'prefixcast-replace-'));
  place = join(directory, 'place');
});
afterEach(() => rmSync(directory, { recursive: true }));

function made(name: string): string {
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, 'made-by'), name);
  return join(directory, name);
}

test('a directory comes to an empty place, and takes the place of another', () => {
  for (const name of ['first', 'second']) {
    replaceDirectory(made(name), place);
    expect(readFileSync(join(place, 'made-by'), 'utf8')).toBe(name);
    expect(readdirSync(directory)).toEqual(['place']);
  }
});

test('what cannot be put there leaves the place as it is', () => {
  replaceDirectory(made('first'), place);
  expect(() => replaceDirectory(join(directory, 'missing'), place)).toThrow('ENOENT');
  expect(readFileSync(join(place, 'made-by'), 'utf8')).toBe('first');
  expect(readdirSync(directory)).toEqual(['place']);
});

test('of two processes at once each succeeds, and what stays is whole', async () => {
  const script = new URL('../../scripts/console/replace-directory.ts', import.meta.url).href;
  const source = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    import { replaceDirectory } from ${JSON.stringify(script)};
    const [name] = process.argv.slice(1);
    for (let at = 0; at < 500; at++) {
      const whole = \`${directory}/\${name}-\${at}\`;
      mkdirSync(whole);
      for (const file of ['one', 'two']) writeFileSync(\`\${whole}/\${file}\`, \`\${name}-\${at}\`);
      replaceDirectory(whole, ${JSON.stringify(place)});
    }`;
  const run = (name: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', source, '--', name]);
  await Promise.all(['left', 'right'].map(run));
  const [one, two] = ['one', 'two'].map((file) => readFileSync(join(place, file), 'utf8'));
  expect(one).toMatch(/^(left|right)-499$/);
  expect(two).toBe(one);
  expect(readdirSync(directory)).toEqual(['place']);
});
