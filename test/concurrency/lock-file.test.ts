import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takeLockFile } from '../../src/concurrency/lock-file.ts';
import {
  identityText,
  isAlive,
  isThisProcess,
  ownIdentity,
  type ProcessIdentity,
  readIdentity,
} from '../../src/concurrency/process-identity.ts';

/** A pid that a process had which has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid!;
}

describe('the identity of a process', () => {
  const local: ProcessIdentity = { ...ownIdentity(), host: null, since: null };

  test.each([
    ['with a host', ownIdentity()],
    ['without one', local],
    ['of a system that says no start', { ...local, started: null }],
  ])('is read as it was written, %s', (_, identity) => {
    expect(readIdentity(identityText(identity))).toEqual(identity);
  });

  test.each(['', 'no lock at all', '0 ?', '{"pid":1}', '{"pid":', '17'])('is not in %j', (text) => {
    expect(readIdentity(text)).toBeNull();
  });

  test('is alive until its process ends, and always counts as alive on another host', async () => {
    expect(isAlive(ownIdentity())).toBe(true);
    expect(isThisProcess(ownIdentity())).toBe(true);
    expect(isAlive({ ...local, started: 'another-boot:1' })).toBe(false);
    const pid = await deadPid();
    expect(isAlive({ ...local, pid })).toBe(false);
    expect(isAlive({ ...ownIdentity(), pid, host: 'elsewhere' })).toBe(true);
    expect(isThisProcess({ ...ownIdentity(), host: 'elsewhere' })).toBe(false);
  });
});

describe('a lock file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-lock-file-'));
    path = join(directory, 'lock');
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  test('is made once, and then names its owner', async () => {
    const owner = ownIdentity();
    expect(await takeLockFile(path, owner, 0o600)).toEqual({ isTaken: true });
    expect(await takeLockFile(path, ownIdentity(), 0o600)).toEqual({ isTaken: false, owner });
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  test('is one of many’s, with the file of a dead process in the way', async () => {
    writeFileSync(path, identityText({ ...ownIdentity(), pid: await deadPid() }));
    const attempts = await Promise.all(
      Array.from({ length: 8 }, () => takeLockFile(path, ownIdentity(), 0o600)),
    );
    expect(attempts.filter(({ isTaken }) => isTaken).length).toBe(1);
    expect(isThisProcess(readIdentity(readFileSync(path, 'utf8'))!)).toBe(true);
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  test('can’t be made in a folder that is not there', async () => {
    await expect(takeLockFile(join(directory, 'none', 'lock'), ownIdentity(), 0o600)).rejects.toThrow(
      'ENOENT',
    );
  });
});
