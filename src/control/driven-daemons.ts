import type { Daemon } from '../api/speakers.ts';
import { fieldProblem } from '../api/problem.ts';

let driven: readonly Daemon[] = ['builtin'];

/** Says which daemons the configuration of this process lets speakers have. */
export function setDrivenDaemons(daemons: readonly Daemon[]): void {
  driven = daemons;
}

/**
 * Refuses a speaker that nobody could ever hold.
 * @throws {Problem} for the field
 */
export function checkDaemon(daemon: Daemon): void {
  if (driven.includes(daemon)) return;
  throw fieldProblem(
    '/daemon',
    daemon === 'bird'
      ? 'This service drives no BIRD. Use builtin, which peers with any BGP router, or set APP_ROUTER_SOCKET and APP_ROUTER_CONFIG_DIR, as docs/bird.md says.'
      : `This version does not drive ${daemon}. Use ${driven.join(' or ')}; builtin peers with any BGP router.`,
  );
}
