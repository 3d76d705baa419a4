import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { unavailable } from '../programs.ts';
import { waitFor } from '../wait.ts';

/**
 * systemd as the first process of a PID namespace. The file systems are those of the machine but for /run, /etc, /var/lib and
 * /usr/local/bin, of which nothing is left that it or its services write; it knows no unit but those that it is given.
 */
export interface Systemd {
  /** Runs a command as root beside it, such as `systemctl`; what it prints. Throws when the command fails. */
  run(...command: string[]): string;
  /** Properties of a unit, by the names that `systemctl show` has for them. */
  show(unit: string, ...properties: string[]): Record<string, string>;
  log(): string;
  /** Kills it with all that it started. */
  stop(): Promise<void>;
}

export interface SystemdOptions {
  /** Units and drop-ins, by their path in the directory of units. */
  readonly units: Readonly<Record<string, string>>;
  /** Files in the directories that are its own, by their path: mode and content. */
  readonly files: Readonly<Record<string, readonly [mode: string, text: string]>>;
  /** The directory of the machine that is at /mnt for it. */
  readonly mnt: string;
  /** It has a network namespace of its own, with nothing in it: for units that change what the kernel does with packets. */
  readonly ownNetwork?: boolean;
}

const PROGRAM = '/usr/lib/systemd/systemd';

/** What every service refers to, whether it says so or not. */
const TARGETS = ['sysinit', 'basic', 'network-online', 'shutdown'];

/** Run in namespaces of its own. `$1` has the files, `$2` the name of a control group that nobody else has, `$3` is to be at /mnt. */
const BEGIN = `
set -e
mount --make-rprivate /
mount --bind "$3" /mnt
for own in /usr/local/bin /var/lib; do mount -t tmpfs -o mode=755 tmpfs $own; done
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir "/sys/fs/cgroup/$2"
echo 0 > "/sys/fs/cgroup/$2/cgroup.procs"
export container=test SYSTEMD_UNIT_PATH=/run/units
exec unshare --cgroup sh -ec '
  umount /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  exec 3< "$1"
  mount -t tmpfs -o mode=755 tmpfs /run
  cp -r /proc/self/fd/3/. /run
  chmod 755 /run
  exec 3<&-
  mount -t overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work overlay /etc
  sh -e /run/install
  exec "$2" --system --unit=multi-user.target --log-target=console' sh "$1" "$4"
`;

/** `unshare` and its arguments, for a program that takes the place of systemd once all is laid down. */
function beginning(
  directory: string,
  mnt: string,
  program: string,
  ownNetwork = false,
): [string, ...string[]] {
  const spaces = [
    ...(ownNetwork ? ['--net'] : []),
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    '--uts',
    '--ipc',
  ];
  return ['unshare', ...spaces, 'sh', '-c', BEGIN, 'sh', directory, basename(directory), mnt, program];
}

/** Whether systemd can be started here; null, loudly, where it cannot. */
export function requireSystemd(): true | null {
  if (!existsSync(PROGRAM)) return unavailable('systemd', 'it is not on this machine');
  const directory = prepare({}, {});
  try {
    const [unshare, ...rest] = beginning(directory, directory, 'true');
    execFileSync(unshare, rest, { stdio: 'pipe', timeout: 60_000 });
    return true;
  } catch (error) {
    return unavailable('systemd', `namespaces for it fail here (${(error as Error).message.trim()})`);
  } finally {
    removeGroup(basename(directory));
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function startSystemd({ units, files, mnt, ownNetwork }: SystemdOptions): Promise<Systemd> {
  const directory = prepare(units, files);
  // unshare dies with the test, and all of the namespace with unshare.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...beginning(directory, mnt, PROGRAM, ownNetwork)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const run = (...command: string[]): string =>
    execFileSync('nsenter', ['--all', '--target', firstOf(child), ...command], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
  const systemd: Systemd = {
    run,
    show(unit, ...properties) {
      const lines = run('systemctl', 'show', unit, '--property', properties.join(','));
      return Object.fromEntries(
        Array.from(lines.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name!, value!]),
      );
    },
    log: () => log,
    async stop() {
      child.kill('SIGKILL');
      await waitFor(() => removeGroup(basename(directory)), {
        what: 'all that systemd started to end',
      });
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await waitFor(() => run('systemctl', 'is-active', 'multi-user.target') === 'active\n', {
      what: 'systemd to start',
      details: () => log,
    });
  } catch (error) {
    await systemd.stop();
    throw error;
  }
  return systemd;
}

/** Lays down what is to be at /run. @returns where */
function prepare(units: SystemdOptions['units'], files: SystemdOptions['files']): string {
  const directory = mkdtempSync(join(tmpdir(), `pc-${process.pid}-systemd-`));
  for (const path of ['etc/upper', 'etc/work', 'files', 'units'])
    mkdirSync(join(directory, path), { recursive: true });
  const target = (wants = ''): string => `[Unit]\nDefaultDependencies=no\n${wants}`;
  const services = Object.keys(units).filter((unit) => !unit.includes('/'));
  const targets = TARGETS.map((one) => [`${one}.target`, target()] as const);
  const all = { ...units, ...Object.fromEntries(targets) };
  all['multi-user.target'] = target(`Wants=${services.join(' ')}\n`);
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(directory, 'units', dirname(path)), { recursive: true });
    writeFileSync(join(directory, 'units', path), text);
  }
  const lines = Object.entries(files).map(([path, [mode, text]], index) => {
    writeFileSync(join(directory, 'files', String(index)), text);
    return `install -D -m ${mode} /run/files/${index} ${path}\n`;
  });
  writeFileSync(join(directory, 'install'), lines.join(''));
  return directory;
}

/** The first process of the namespace, as the machine numbers it. */
function firstOf({ pid }: ChildProcess): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
}

/** @returns false while somebody is in it */
function removeGroup(name: string): boolean {
  const remove = `umount -R /sys/fs/cgroup 2>/dev/null
    mount -t cgroup2 cgroup2 /sys/fs/cgroup && cd /sys/fs/cgroup &&
    if [ -d "$1" ]; then find "$1" -depth -type d -exec rmdir {} +; fi`;
  try {
    execFileSync('unshare', ['--mount', 'sh', '-c', remove, 'sh', name], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
