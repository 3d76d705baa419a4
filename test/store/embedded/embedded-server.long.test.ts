import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { isThorough } from '../../fuzz.ts';
import { copyData } from '../../seed.ts';
import { diskDirectory } from '../../temporary.ts';

const PROGRAM = fileURLToPath(new URL('service-process.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
const POLLING = { timeout: 30_000, interval: 20 };

/** Where data lie at an operator's, with links to the programs; not in memory. */
const DISK = diskDirectory();

function isOtherFileSystem(directory: string): boolean {
  const other = statSync(directory, { throwIfNoEntry: false });
  return other !== undefined && other.dev !== statSync(DISK).dev;
}

interface Reported {
  readonly address: { readonly host: string };
  readonly started: boolean;
  readonly listen: string;
  readonly pid: number;
  readonly error?: string;
}

interface Service extends Reported {
  readonly child: ChildProcess;
  close(): Promise<void>;
  kill(): Promise<void>;
}

let base: string;
let children: ChildProcess[] = [];
/** A data directory that was used and closed: a copy saves a test that is not about the first start half of its time. */
let used: string;

beforeAll(async () => {
  used = mkdtempSync(join(DISK, 'prefixcast-embedded-used-'));
  chmodSync(used, 0o755);
  await (await start(used)).close();
});
afterAll(() => rmSync(used, { recursive: true, force: true }));

beforeEach(() => {
  base = mkdtempSync(join(DISK, 'prefixcast-embedded-'));
  chmodSync(base, 0o755);
  children = [];
});

afterEach(async () => {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  for (const pid of serversUnder(base)) process.kill(pid, 'SIGQUIT');
  await expect.poll(() => serversUnder(base), POLLING).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

/** Servers whose data lie under a directory, by their pid files. */
function serversUnder(directory: string): number[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('postmaster.pid'),
  );
  return files.flatMap((name) => {
    try {
      const pid = Number.parseInt(readFileSync(join(directory, name), 'utf8'), 10);
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('postgres') ? [pid] : [];
    } catch {
      return [];
    }
  });
}

/** Clusters that an `initdb` is making, or was when its start was killed. */
function halves(dataDir: string): string[] {
  const home = join(dataDir, 'postgres');
  return existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('data.new')) : [];
}

async function start(
  dataDir: string,
  uid: number | '-' = '-',
  env: NodeJS.ProcessEnv = {},
  wrapper: readonly string[] = [],
): Promise<Service> {
  const line = [...wrapper, process.execPath, PROGRAM, dataDir, String(uid)];
  const child = spawn(line[0]!, line.slice(1), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  const [answer] = (await once(child.stdout, 'data')) as [Buffer];
  const reported = JSON.parse(answer.toString()) as Reported;
  return {
    ...reported,
    child,
    async close() {
      child.stdin.write('close\n');
      await once(child, 'exit');
    },
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Somebody who is not root and has a line in /etc/passwd, which initdb insists on. */
function ordinaryUser(): number {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return Number(lines.find((line) => line.startsWith('nobody:'))!.split(':')[2]);
}

interface User {
  readonly name: string;
  readonly uid: number | '-';
}
const users: User[] = [{ name: isRoot ? 'root' : 'this user', uid: '-' }];
// The service of an ordinary user is what `npm test` starts where an ordinary user runs it.
if (isRoot && isThorough) users.push({ name: 'an ordinary user', uid: ordinaryUser() });

describe.each(users)('run by $name', ({ uid }) => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = join(base, 'data');
    mkdirSync(dataDir);
    if (uid !== '-') chownSync(dataDir, uid, uid);
  });
  const begin = (): Promise<Service> => start(dataDir, uid);
  /** On data that are there already, where they belong to the same user. */
  const beginAgain = async (): Promise<Service> => {
    if (uid === '-') await copyData(used, dataDir);
    return begin();
  };

  test('starts, stops, and starts again on the same data', async () => {
    const first = await begin();
    expect(first).toMatchObject({ started: true, listen: '' });
    await first.close();
    expect(serversUnder(base)).toEqual([]);
    const second = await begin();
    expect(second.started).toBe(true);
    await second.close();
  });

  test('listens on a socket in a closed directory and on no port', async () => {
    const service = await beginAgain();
    expect(statSync(service.address.host).mode & 0o077).toBe(0);
    expect(statSync(join(dataDir, 'postgres', 'data')).mode & 0o077).toBe(0);
    const [postmaster] = serversUnder(base);
    const status = readFileSync(`/proc/${postmaster}/status`, 'utf8');
    const owner = Number(/^Uid:\t(\d+)/m.exec(status)![1]);
    expect(owner).not.toBe(0);
    if (uid !== '-') expect(owner).toBe(uid);
    expect(tcpSocketsOf(postmaster!)).toEqual([]);
    await service.close();
  });

  test('a server whose process was killed is adopted, and stopped by whoever adopted it', async () => {
    const first = await beginAgain();
    const [postmaster] = serversUnder(base);
    await first.kill();
    expect(serversUnder(base)).toEqual([postmaster]);
    const second = await begin();
    expect(second).toMatchObject({ started: false, pid: first.pid });
    await second.close();
    expect(serversUnder(base)).toEqual([]);
  });

  test('of processes that start at once, one starts the server and the last to close stops it', async () => {
    const services = await Promise.all([begin(), begin(), begin()]);
    expect(services.map(({ started }) => started).filter(Boolean)).toHaveLength(1);
    expect(new Set(services.map(({ pid }) => pid)).size).toBe(1);
    await services[0].close();
    expect(serversUnder(base)).toHaveLength(1);
    await services[1].kill();
    await services[2].close();
    expect(serversUnder(base)).toEqual([]);
  });

  test('a server that was killed is started again, by its process and by the next', async () => {
    const service = await beginAgain();
    const [postmaster] = serversUnder(base);
    process.kill(postmaster!, 'SIGKILL');
    await expect.poll(() => serversUnder(base).filter((pid) => pid !== postmaster), POLLING).toHaveLength(1);
    process.kill(serversUnder(base)[0]!, 'SIGKILL');
    await service.kill();
    const next = await begin();
    expect(next.error).toBeUndefined();
    expect(next.started).toBe(true);
    await next.close();
  });

  test('pid files that name a living process of another kind are no obstacle', async () => {
    const first = await beginAgain();
    await first.close();
    const stranger = spawn('sleep', ['600'], uid === '-' ? {} : { uid });
    children.push(stranger);
    const path = join(dataDir, 'postgres', 'data', 'postmaster.pid');
    writeFileSync(
      path,
      `${stranger.pid}\n${join(dataDir, 'postgres', 'data')}\n1\n5432\n${first.address.host}\n`,
    );
    const owner = statSync(join(dataDir, 'postgres', 'data'));
    chownSync(path, owner.uid, owner.gid);
    const second = await begin();
    expect(second.started).toBe(true);
    await second.close();
  });

  test('a first start killed half-way starts again', async () => {
    const child = spawn(process.execPath, [PROGRAM, dataDir, String(uid)], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    children.push(child);
    await expect.poll(() => halves(dataDir).length, { interval: 1 }).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const service = await begin();
    expect(service.error).toBeUndefined();
    await service.close();
    // The killed one's initdb has ended by now, so nothing of it stays.
    const later = await begin();
    expect(halves(dataDir)).toEqual([]);
    await later.close();
  });
});

test('a long data directory gets its socket elsewhere', async () => {
  const dataDir = join(base, 'x'.repeat(120));
  const service = await start(dataDir);
  expect(service.address.host.length).toBeLessThan(90);
  expect(statSync(service.address.host).mode & 0o077).toBe(0);
  await service.close();
  rmSync(service.address.host, { recursive: true });
});

test.runIf(isRoot && isOtherFileSystem('/dev/shm'))(
  'a data directory on another file system gets copies of the programs instead of links',
  async () => {
    base = mkdtempSync('/dev/shm/prefixcast-embedded-');
    chmodSync(base, 0o755);
    const service = await start(join(base, 'data'));
    expect(service.error).toBeUndefined();
    expect(service.started).toBe(true);
    await service.close();
  },
);

const faketime = requireDaemon('libfaketimeMT.so.1');
test.skipIf(faketime === null)("a clock that is set meanwhile is in nobody's way", async () => {
  const hourAheadAtEachLook = { FAKETIME: '+0 i3600,0', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const service = await start(join(base, 'data'), '-', { LD_PRELOAD: faketime!, ...hourAheadAtEachLook });
  expect(service.error).toBeUndefined();
  expect(service.started).toBe(true);
  await service.close();
  expect(serversUnder(base)).toEqual([]);
});

// As two containers have it that are given one volume.
test.runIf(isRoot)('data that a server works on which cannot be seen from here are left to it', async () => {
  await copyData(used, base);
  const first = await start(base);
  const [pid] = serversUnder(base);
  const container = ['unshare', '--pid', '--fork', '--mount-proc', '--ipc'];
  const { error } = await start(base, '-', {}, container);
  expect(error).toContain('cannot be seen from here, such as one of another container');
  expect(error).toContain('give each service a data directory of its own');
  expect(serversUnder(base)).toEqual([pid]);
  await first.close();
  const last = await start(base, '-', {}, container);
  expect(last.started).toBe(true);
  last.child.stdin!.write('close\n');
  await once(last.child, 'exit');
});

test('a directory that cannot be written is reported with what to do', async () => {
  const dataDir = join(base, 'file');
  writeFileSync(dataDir, '');
  const { error } = await start(join(dataDir, 'below'));
  expect(error).toContain('DATABASE_URL');
});

test.runIf(isRoot)(
  'a data directory that the unprivileged user cannot enter is reported with the directory in the way',
  async () => {
    const closed = join(base, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const { error } = await start(join(closed, 'data'));
    expect(error).toContain(`may not enter ${closed}`);
  },
);

test('data of another major version are refused', async () => {
  await copyData(used, base);
  writeFileSync(join(base, 'postgres', 'data', 'PG_VERSION'), '12\n');
  const { error } = await start(base);
  expect(error).toContain('version 12');
  cpSync(join(base, 'postgres', 'data', 'base'), join(base, 'kept'), { recursive: true });
  expect(readdirSync(join(base, 'kept')).length).toBeGreaterThan(0);
});

/** Inodes of the TCP sockets that a process holds. proc(5). */
function tcpSocketsOf(pid: number): string[] {
  const held = new Set(
    readdirSync(`/proc/${pid}/fd`, { withFileTypes: true }).flatMap(({ name }) => {
      try {
        return [statSync(`/proc/${pid}/fd/${name}`).ino.toString()];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[9]!)
      .filter((inode) => held.has(inode)),
  );
}
