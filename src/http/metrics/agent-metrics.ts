/** What a node knows of itself, under the names that the service uses: there is one speaker, and no tenant beside it. */
import { Gauge, type Registry } from 'prom-client';
import type { AgentSeen } from '../../agent/agent.ts';
import { PEER_STATES } from './fleet-metrics.ts';

/** Peers with their own metrics. */
const SESSIONS = 2_000;

export function observeAgent(registry: Registry, see: () => AgentSeen): void {
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    series: (seen: AgentSeen) => readonly (readonly [Readonly<Record<string, string>>, number])[],
  ): void => {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, value] of series(see())) this.set(labels, value);
      },
    });
  };
  gauge(
    'prefixcast_speaker_routes',
    'Routes of the revision that the speaker runs, by family.',
    ['speaker', 'family'],
    ({ speaker, running }) =>
      running === null
        ? []
        : [
            [{ speaker, family: 'ipv4' }, running.ipv4],
            [{ speaker, family: 'ipv6' }, running.ipv6],
          ],
  );
  gauge(
    'prefixcast_speaker_applied_revision',
    'Number of the revision that the speaker runs.',
    ['speaker'],
    ({ speaker, running }) => (running === null ? [] : [[{ speaker }, running.revision]]),
  );
  gauge(
    'prefixcast_peer_session_state',
    'State of the session with the peer, as bgpPeerState of RFC 4273: 1 idle to 6 established.',
    ['speaker', 'peer'],
    ({ speaker, sessions }) =>
      sessions.slice(0, SESSIONS).map(({ peer, state }) => [{ speaker, peer }, PEER_STATES[state]] as const),
  );
}
