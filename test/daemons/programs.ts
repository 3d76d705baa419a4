import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The programs of the table in scripts/setup; three of them are libraries that are loaded into others. */
export type Program =
  | 'bird'
  | 'birdc'
  | 'frr-bgpd'
  | 'zebra'
  | 'bfdd'
  | 'vtysh'
  | 'gobgpd'
  | 'gobgp'
  | 'openbgpd'
  | 'bgpctl'
  | 'libnss_wrapper.so'
  | 'libuid_wrapper.so'
  | 'libfaketimeMT.so.1'
  | 'tshark'
  | 'dumpcap'
  | 'ip'
  | 'nft'
  | 'ipset'
  | 'ping'
  | 'unbound'
  | 'openssl'
  | 'zsh'
  | 'fish'
  | 'tmux'
  | 'chromium-headless-shell';

const setup = fileURLToPath(new URL('../../scripts/setup', import.meta.url));
const known = new Map<Program, string | null>();
const warned = new Set<string>();

/** The file that runs `program`, or null where the machine has none. Where it looks, scripts/setup decides. */
export function daemonPath(program: Program): string | null {
  let path = known.get(program);
  if (path === undefined) {
    try {
      path = execFileSync(setup, ['path', program], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      path = null;
    }
    known.set(program, path);
  }
  return path;
}

/** The file that runs `program`; throws where there is none. */
export function programPath(program: Program): string {
  const path = daemonPath(program);
  if (path === null) throw new Error(`${program} is not on this machine; run: scripts/setup test`);
  return path;
}

/**
 * For `describe.skipIf(requireDaemon('bird') === null)`: the program's path, or null after a loud warning. In CI
 * (CI=true) nothing is skipped, so a missing program throws.
 */
export function requireDaemon(program: Program): string | null {
  const path = daemonPath(program);
  return path ?? unavailable(program, 'it is not on this machine; run: scripts/setup test');
}

/** For what else a test may lack, such as the rights of root: throws in CI, else warns once and returns null. */
export function unavailable(what: string, why: string): null {
  if (process.env.CI === 'true') throw new Error(`${what}: ${why}. In CI nothing is skipped.`);
  if (!warned.has(what)) {
    warned.add(what);
    console.warn(`\n*** SKIPPED: every test that needs ${what}: ${why} ***\n`);
  }
  return null;
}
