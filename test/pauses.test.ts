/**
 * A test waits for what happens, not for time (CONTRIBUTING.md). Where nothing can be waited for, such as for what must not come, the line of
 * the pause says what it is for, or the one above.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PAUSE = /await (?:sleep|delay|setTimeout|new Promise\(\(resolve\) => (?:void )?setTimeout)\(/;
/** It hangs until it is aborted. */
const UNTIL_ABORTED = '{ signal }';
const COMMENT = /^\s*(?:\/\/|\*|\/\*\*) ?\S|\*\/$/;
/** What all others wait by, and this file, which has what it looks for. */
const APART = [join(import.meta.dirname, 'daemons/wait.ts'), import.meta.filename];

function unexplained(text: string): number[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (!PAUSE.test(line) || line.includes(UNTIL_ABORTED)) return [];
    return line.includes(' // ') || COMMENT.test(lines[at - 1] ?? '') ? [] : [at + 1];
  });
}

it('every pause in a test says what it is for', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(import.meta.dirname, name))
    .filter((path) => !APART.includes(path));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) =>
    unexplained(readFileSync(path, 'utf8')).map((line) => `${path}:${line}`),
  );
  expect(found).toEqual([]);
});

it('what is polled for may take longer than a second', async () => {
  const begun = performance.now();
  await expect.poll(() => performance.now() - begun).toBeGreaterThan(1_500);
});

it.each([
  ['await sleep(100);', [1]],
  ['await new Promise((resolve) => setTimeout(resolve, 2));', [1]],
  ['if (late) await delay(1_000);', [1]],
  ['await sleep(100); // for what must not come', []],
  ['// For what must not come.\nawait sleep(100);', []],
  ['await sleep(600_000, undefined, { signal });', []],
  ['// Far above.\n\nawait sleep(100);', [3]],
])('%j', (text, lines) => {
  expect(unexplained(text)).toEqual(lines);
});
