import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/finding.ts';
import { unavailable } from '../daemons/programs.ts';
import { testProgram } from '../program.ts';

/** Mounts a file system of that size, of which a file takes so much, and goes on: both go with the namespace. */
const MOUNT =
  'mount -t tmpfs -o size="$1" tmpfs "$0"; head -c "$2" /dev/zero > "$0/other" || true; shift 2; exec "$@"';

/** What the doctor finds of the data directory on such a file system. */
function examined(dataDir: string, size: string, taken: string): Finding & { readonly code: number | null } {
  const words = ['--mount', 'sh', '-ec', MOUNT, dataDir, size, taken];
  const program = [process.execPath, testProgram(), 'doctor', '--json'];
  const { status, stdout, stderr } = spawnSync('unshare', [...words, ...program], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', APP_DATA_DIR: dataDir },
    encoding: 'utf8',
  });
  if (!stdout.startsWith('[')) throw new Error(stdout + stderr);
  const findings = JSON.parse(stdout) as Finding[];
  return { ...findings.find(({ check }) => check === 'data')!, code: status };
}

test('a disk that is full, has little room, and has room again', () => {
  if (process.getuid?.() !== 0) return void unavailable('root', 'it mounts a file system');
  const dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-disk-'));
  try {
    expect(examined(dataDir, '8M', '8M')).toMatchObject({
      ...{ verdict: 'fault', found: `0 MiB are free for ${dataDir}`, code: 1 },
      remedy: expect.stringMatching(/^Make room at once: /) as string,
    });
    expect(examined(dataDir, '200M', '8M')).toMatchObject({
      ...{ verdict: 'warning', found: `192 MiB are free for ${dataDir}` },
      remedy: expect.stringMatching(/^Make room: /) as string,
    });
    expect(examined(dataDir, '3G', '8M')).toMatchObject({
      ...{ verdict: 'ok', found: `3.0 GiB are free for ${dataDir}`, remedy: null },
    });
  } finally {
    rmdirSync(dataDir);
  }
});
