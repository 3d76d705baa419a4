import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogDirectory } from '../../src/logs/log-directory.ts';
import { OwnLog } from '../../src/logs/own-log.ts';
import { waitFor } from '../daemons/wait.ts';

let root: string;
let path: string;
let own: OwnLog;
const file = (): string => join(path, 'app-all.log');
const text = (at = file()): string => (existsSync(at) ? readFileSync(at, 'utf8') : '');
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  path = join(root, 'volume');
  own = new OwnLog(join(path, 'app-all.log'), 'app-all.log');
});
afterEach(() => {
  own.close();
  rmSync(root, { recursive: true, force: true });
});

/** Writes lines until one stands in the file. */
async function writeUntil(found: () => boolean): Promise<void> {
  await waitFor(
    () => {
      own.write('again\n');
      return found();
    },
    { what: 'a line in the file' },
  );
}

test('lines are appended, and go on at the beginning of a file that was emptied', async () => {
  own.write('one\n');
  await waitFor(() => text() === 'one\n', { what: 'the first line' });
  truncateSync(file(), 0);
  own.write('two\n');
  await waitFor(() => text() === 'two\n', { what: 'the second line' });
});

test('a file that was deleted through the directory is opened again at once', async () => {
  own.write('one\n');
  await waitFor(() => text() === 'one\n', { what: 'the first line' });
  const logs = new LogDirectory(path, own);
  const open = await logs.open('app-all.log');
  await logs.delete(open);
  await open.handle.close();
  expect(existsSync(file())).toBe(false);
  own.write('two\n');
  await waitFor(() => text() === 'two\n', { what: 'the second line' });
});

test('a file that was rotated, and a volume that was away', async () => {
  own.write('one\n');
  await waitFor(() => text() !== '', { what: 'the first line' });
  renameSync(file(), join(path, 'app-all.1.log'));
  await writeUntil(() => text() !== '');
  renameSync(path, `${path}.away`);
  await writeUntil(() => true);
  mkdirSync(path);
  await writeUntil(() => text() !== '');
});

test('a link in its place is not written through', () => {
  own.close();
  writeFileSync(join(root, 'secret'), 'hunter2\n');
  rmSync(file(), { force: true });
  symlinkSync(join(root, 'secret'), file());
  const linked = new OwnLog(file(), 'app-all.log');
  // The first would be written by a thread, the second one when it is closed.
  for (const line of ['one\n', 'two\n']) linked.write(line);
  linked.close();
  expect(text(join(root, 'secret'))).toBe('hunter2\n');
});

test('another name of a file in its place is not written to', () => {
  own.close();
  writeFileSync(join(root, 'secret'), 'hunter2\n');
  rmSync(file(), { force: true });
  linkSync(join(root, 'secret'), file());
  const linked = new OwnLog(file(), 'app-all.log');
  // The first would be written by a thread, the second one when it is closed.
  for (const line of ['one\n', 'two\n']) linked.write(line);
  linked.close();
  expect(text(join(root, 'secret'))).toBe('hunter2\n');
});

test('what waits is written when the process ends', async () => {
  for (let n = 0; n < 1_000; n++) own.write(`line ${n}\n`);
  own.close();
  // One line may be on its way in another thread.
  await expect.poll(() => text().split('\n').length).toBe(1_001);
});
