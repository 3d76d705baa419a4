import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Service } from '../demo/service.ts';
import { withRuntimeOptions } from '../src/runtime-options.ts';
import { freePort } from './daemons/machine/ports.ts';

/** Of V8, fewer than processors: with four on two processors, the event loop waits for threads that wait for a processor. */
const HELPERS = `--v8-pool-size=${[1, 1, 1, 2, 3][availableParallelism()] ?? 4}`;
const TUNABLES = 'glibc.malloc.mmap_threshold=65536:glibc.malloc.trim_threshold=65536:glibc.malloc.hugetlb=1';

test('a start is given the thresholds of glibc, the semi-space of V8 and as many helper threads as leave the event loop a processor', () => {
  expect(withRuntimeOptions(['--inspect'], { PATH: '/bin' })).toEqual({
    options: ['--inspect', '--min-semi-space-size=8', '--max-semi-space-size=8', HELPERS],
    environment: { PATH: '/bin', GLIBC_TUNABLES: TUNABLES },
  });
});

test.each(['GLIBC_TUNABLES', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'LD_PRELOAD'])(
  'who sets %s decides',
  (name) => {
    expect(withRuntimeOptions([], { [name]: 'x' })).toBeNull();
  },
);

test.each([
  { options: ['--max-semi-space-size=64'], environment: {} },
  { options: ['--min-semi-space-size=1'], environment: {} },
  { options: [], environment: { NODE_OPTIONS: '--max-semi-space-size=64' } },
])('a semi-space that was asked for stays: %j', ({ options, environment }) => {
  expect(withRuntimeOptions(options, environment)?.options).toEqual([...options, HELPERS]);
});

test.each([
  { options: ['--v8-pool-size=3'], environment: {} },
  { options: [], environment: { NODE_OPTIONS: '--v8-pool-size=3' } },
])('helper threads that were asked for stay: %j', ({ options, environment }) => {
  const start = withRuntimeOptions(options, environment)?.options;
  expect(start).toEqual([...options, '--min-semi-space-size=8', '--max-semi-space-size=8']);
});

test('the running service is the process that was started, with these settings', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-start-'));
  chmodSync(dataDir, 0o711); // as root, the database runs as another user and has to come through
  const service = await Service.start({
    dataDir,
    port: await freePort(),
    bgpListen: `127.0.0.1:${await freePort()}`,
  });
  try {
    const read = (name: string) => readFileSync(`/proc/${service.pid}/${name}`, 'utf8').split('\0');
    // glibc cuts the text into its parts where it stands.
    expect(read('environ').join(':')).toContain(`GLIBC_TUNABLES=${TUNABLES}`);
    expect(read('cmdline')).toContain('--max-semi-space-size=8');
    expect(read('cmdline')).toContain('--min-semi-space-size=8');
    expect(read('cmdline')).toContain(HELPERS);
    expect(read('cmdline').filter((word) => word === 'start')).toHaveLength(1);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('lists are read in the process that was started, without these settings', async () => {
  const command = join(import.meta.dirname, '../src/prefixcast.ts');
  const child = spawn(process.execPath, [command, 'aggregate', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const cmdline = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end('10.0.0.0/25\n10.0.0.128/25\n');
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  expect(output).toBe('10.0.0.0/24\n');
  expect(cmdline).not.toContain('semi-space');
});

test('what sockets were read into goes back to the system, although something small stays behind each piece', () => {
  const script = `
    const rss = () => Math.round(process.memoryUsage.rss() / 2 ** 20);
    const before = rss();
    const stays = [];
    let pieces = [];
    for (let n = 0; n < 3_200; n++) {
      pieces.push(Buffer.allocUnsafeSlow(65_536).fill(1));
      stays.push(Buffer.allocUnsafeSlow(512).fill(1));
    }
    const most = rss() - before;
    pieces = null;
    for (let n = 0; n < 4; n++) gc();
    console.log(JSON.stringify({ most, left: rss() - before, stays: stays.length }));`;
  const { options, environment } = withRuntimeOptions(['--expose-gc'], process.env)!;
  const { stdout } = spawnSync(process.execPath, [...options, '-e', script], { env: environment });
  const { most, left } = JSON.parse(stdout.toString()) as { most: number; left: number };
  expect(most).toBeGreaterThan(190);
  // Megabytes: all of it stays with the limit that glibc has by itself.
  expect(left).toBeLessThan(120);
});
