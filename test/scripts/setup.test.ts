// scripts/setup in a checkout of its own, whose path holds a blank. The cache it is given can't be written, not even
// by root, so that nothing is ever downloaded here; that part is seen whenever the tests are set up.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const original = fileURLToPath(new URL('../../scripts/setup', import.meta.url));
/** Stands for the build of the console, which is tried in test/console: nothing to do, something done, or a fault. */
const BUILD = `if (process.env.BUILD === 'done') console.log('built');
if (process.env.BUILD === 'broken') throw new Error('a page does not parse');
if (process.argv[2] !== '--stale') throw new Error('it would be built each time');
`;
const isRoot = process.getuid?.() === 0;
let directory: string;
let setup: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'prefixcast setup-'));
  chmodSync(directory, 0o755);
  setup = join(directory, 'scripts', 'setup');
  mkdirSync(join(directory, 'scripts'));
  mkdirSync(join(directory, 'node_modules'));
  const table = "programs='\n";
  const text = readFileSync(original, 'utf8');
  expect(text).toContain(table);
  // The table holds one program that no system has, and `sh`, which each has; the npm packages look installed.
  writeFileSync(
    setup,
    text.replace(
      /programs='\n[^']*'/,
      `${table}sh dash bin/sh demo test\nno-such no-such usr/no-such test\n'`,
    ),
  );
  chmodSync(setup, 0o755);
  writeFileSync(join(directory, 'scripts', 'build-console.ts'), BUILD);
  writeFileSync(join(directory, 'package-lock.json'), '{}\n');
  copyFileSync(join(directory, 'package-lock.json'), join(directory, 'node_modules', '.setup-lock'));
  writeFileSync(join(directory, 'node_modules', '.package-lock.json'), '{}\n');
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

interface Run {
  args?: string[];
  env?: NodeJS.ProcessEnv;
  asNobody?: boolean;
}

function run({ args = [], env = {}, asNobody = false }: Run): {
  status: number | null;
  out: string;
  err: string;
} {
  const drop =
    asNobody && isRoot ? ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'] : [];
  const line = [...drop, setup, ...args];
  const { status, stdout, stderr } = spawnSync(line[0]!, line.slice(1), {
    encoding: 'utf8',
    // The node that runs the tests is the one the set-up looks for.
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      PREFIXCAST_CACHE: '/dev/null/cache',
      ...env,
    },
  });
  return { status, out: stdout, err: stderr };
}

describe('scripts/setup', () => {
  it('says nothing when nothing is missing', () => {
    expect(run({ args: ['demo'] })).toEqual({ status: 0, out: '', err: '' });
    expect(run({})).toEqual({ status: 0, out: '', err: '' });
  });

  it('names the one command to run when root is needed, and goes on', () => {
    const { status, err } = run({ args: ['test'], asNobody: true });
    expect(status).toBe(0);
    expect(err).toContain("missing for 'test': no-such\n");
    expect(err.match(/run once:/g)).toHaveLength(1);
    expect(err).toMatch(/^ {4}(sudo .*setup test|su -c ".*setup test")$/m);
    expect(err).toContain('setup-');
  });

  it('says why even root could not fetch it', () => {
    const { status, err } = run({ args: ['test'] });
    expect(status).toBe(0);
    expect(err).toContain(isRoot ? 'cannot write in /dev/null/cache/' : 'run once:');
  });

  it('fails in CI when a program is missing', () => {
    const { status, err } = run({ args: ['test'], env: { CI: 'true' } });
    expect(status).toBe(1);
    expect(err).toContain('nothing is skipped');
  });

  it('prints where a program is, and refuses one that is not in its table', () => {
    expect(run({ args: ['path', 'sh'] })).toEqual({ status: 0, out: '/usr/bin/sh\n', err: '' });
    expect(run({ args: ['path', 'no-such'] })).toEqual({ status: 1, out: '', err: '' });
    const { status, err } = run({ args: ['path', 'other'] });
    expect(status).toBe(1);
    expect(err).toContain("no program is called 'other'; known are: sh no-such");
  });

  it('says how to get Node.js 24 when the machine has an older one', () => {
    const old = join(directory, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'node'), '#!/bin/sh\necho v20.1.0\n', { mode: 0o755 });
    const { status, err } = run({ env: { PATH: `${old}:/usr/bin:/bin` } });
    expect(status).toBe(1);
    expect(err).toContain("'node' is v20.1.0");
    expect(err).toContain('npm rebuild node --ignore-scripts=false');
  });

  it('says that the console was built, and goes on where it cannot be', () => {
    expect(run({ env: { BUILD: 'done' } })).toEqual({ status: 0, out: '', err: 'setup: built\n' });
    const { status, err } = run({ env: { BUILD: 'broken' } });
    expect(status).toBe(0);
    expect(err).toContain('the console could not be built, and the service runs without it');
    expect(err).toContain('a page does not parse');
  });

  it('refuses an unknown target', () => {
    const { status, err } = run({ args: ['everything'] });
    expect(status).toBe(1);
    expect(err).toContain("unknown argument 'everything'");
  });
});
