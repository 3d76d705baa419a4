import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FollowedLog } from '../../src/logs/followed-log.ts';
import { LogDirectory } from '../../src/logs/log-directory.ts';
import { lineFilter } from '../../src/logs/log-lines.ts';

let root: string;
let path: string;
let log: FollowedLog;
const at = (name = 'a.log'): string => join(path, name);
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  path = join(root, 'volume');
  mkdirSync(path);
  writeFileSync(at(), 'old\n');
  const logs = new LogDirectory(path);
  const open = await logs.open('a.log');
  log = new FollowedLog(logs, open, open.size, lineFilter({ tenantId: null }));
});
afterEach(() => {
  log.close();
  rmSync(root, { recursive: true, force: true });
});

/** All that is new: lines as they are, what happened in brackets. */
async function news(): Promise<string[]> {
  const all: string[] = [];
  for (let quiet = 0; quiet < 2;) {
    const changes = await log.next();
    quiet = changes === null ? quiet + 1 : 0;
    for (const change of changes ?? []) all.push('line' in change ? change.line : `[${change.event}]`);
  }
  return all;
}

test('what is appended, and a line once it has its end', async () => {
  expect(await news()).toEqual([]);
  appendFileSync(at(), 'one\ntwo');
  expect(await news()).toEqual(['one']);
  appendFileSync(at(), ' and more €\nthree\n');
  expect(await news()).toEqual(['two and more €', 'three']);
});

test('a character that is written in two pieces stays whole', async () => {
  const [first, ...others] = Buffer.from('€\n');
  appendFileSync(at(), Buffer.of(first!));
  expect(await news()).toEqual([]);
  appendFileSync(at(), Buffer.from(others));
  expect(await news()).toEqual(['€']);
});

test('a file that is emptied goes on from its beginning', async () => {
  truncateSync(at(), 0);
  appendFileSync(at(), 'new\n');
  // As long as before: only its writer knows that it was emptied in between.
  truncateSync(at(), 0);
  expect(await news()).toEqual(['[truncated]']);
  appendFileSync(at(), 'newer\n');
  expect(await news()).toEqual(['newer']);
});

test('a file that is rotated is read to its end, then the one that took its name', async () => {
  appendFileSync(at(), 'last of the old');
  renameSync(at(), at('a.1.log'));
  expect(await news()).toEqual([]);
  appendFileSync(at('a.1.log'), ', and its end\nno end');
  writeFileSync(at(), 'first of the new\n');
  expect(await news()).toEqual(['last of the old, and its end', 'no end', '[rotated]', 'first of the new']);
});

test('what its writer added between the last read and the rotation is not lost', async () => {
  /** Rotates where a writer may: after the old file was read, before it is looked who has the name. */
  class Rotating extends LogDirectory {
    isRotated = false;
    override identityOf(name: string): Promise<string | null> {
      if (!this.isRotated) {
        this.isRotated = true;
        appendFileSync(at(), `${'late\n'.repeat(100_000)}last of the old\n`);
        renameSync(at(), at('a.1.log'));
        writeFileSync(at(), 'first of the new\n');
      }
      return super.identityOf(name);
    }
  }
  log.close();
  const logs = new Rotating(path);
  const open = await logs.open('a.log');
  log = new FollowedLog(logs, open, open.size, lineFilter({ tenantId: null }));
  const seen = await news();
  expect(seen).toHaveLength(100_003);
  expect(seen.slice(-3)).toEqual(['last of the old', '[rotated]', 'first of the new']);
});

test('a link that takes the name is not followed', async () => {
  writeFileSync(join(root, 'secret'), 'hunter2\n');
  renameSync(at(), at('a.1.log'));
  symlinkSync(join(root, 'secret'), at());
  expect(await news()).toEqual([]);
  rmSync(at());
  writeFileSync(at(), 'good\n');
  expect(await news()).toEqual(['[rotated]', 'good']);
});

test('a volume that vanishes and comes back with another file', async () => {
  renameSync(path, `${path}.away`);
  expect(await news()).toEqual([]);
  mkdirSync(path);
  expect(await news()).toEqual([]);
  writeFileSync(at(), 'back\n');
  expect(await news()).toEqual(['[rotated]', 'back']);
});

test('a file that grows by 20 MB while it is followed is reported whole, and a line without end in pieces', async () => {
  const line = 'x'.repeat(999);
  for (let n = 0; n < 20; n++) appendFileSync(at(), `${line}\n`.repeat(1_000));
  expect(await news()).toHaveLength(20_000);
  appendFileSync(at(), 'y'.repeat(3 * 1024 * 1024));
  const pieces = await news();
  expect(pieces.join('')).toHaveLength(3 * 1024 * 1024);
  expect(pieces.length).toBeGreaterThan(1);
});
