import type { Daemon } from '../../api/speakers/speakers.ts';
import { fieldProblem } from '../../api/problems/problem.ts';

/**
 * Rejects a speaker that no process could ever hold.
 * @param driven the daemons that the configuration of this process lets speakers have
 * @throws {Problem} for the field
 */
export function checkDaemon(daemon: Daemon, driven: readonly Daemon[]): void {
  if (driven.includes(daemon)) return;
  throw fieldProblem(
    '/daemon',
    `This service does not drive ${daemon}. Use ${driven.join(' or ')}; builtin peers with any BGP router. Or set APP_ROUTER_DAEMON=${daemon} and what docs/routers/${daemon}.md says beside it.`,
  );
}
