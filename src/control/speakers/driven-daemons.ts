import type { Daemon } from '../../api/speakers.ts';
import { fieldProblem } from '../../api/problem.ts';

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
    `This service drives no ${daemon}. Use ${driven.join(' or ')}; builtin peers with any BGP router. Or set APP_ROUTER_DAEMON=${daemon} and what docs/routers/${daemon}.md says beside it.`,
  );
}
