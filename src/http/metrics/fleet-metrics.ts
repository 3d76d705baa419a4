/** Gauges that name tenants, speakers, peers and modules, read from the database when metrics are scraped. */
import { Gauge, type Registry } from 'prom-client';
import type { SessionState } from '../../speakers/speaker.ts';
import type { Database } from '../../store/database/database.ts';
import {
  countFirewallClients,
  countHeldModules,
  countHeldRevisions,
  countLeases,
  countMaintenancePolicies,
  readModules,
  readSessions,
  readSpeakers,
  type Some,
} from '../../store/speakers/fleet.ts';
import type { LineLog } from '../../control/operator-log.ts';
import { warnUnread } from './unread.ts';

/** However often somebody scrapes, the database is asked no more often than this. */
const KEPT_MILLISECONDS = 1_000;

/** `bgpPeerState` of RFC 4273. */
export const PEER_STATES: Readonly<Record<SessionState, number>> = {
  idle: 1,
  connect: 2,
  active: 3,
  open_sent: 4,
  open_confirm: 5,
  established: 6,
};

async function readFleet(db: Database) {
  return db.inSystem(async (tx) => ({
    speakers: await readSpeakers(tx),
    sessions: await readSessions(tx),
    modules: await readModules(tx),
    heldRevisions: await countHeldRevisions(tx),
    heldModules: await countHeldModules(tx),
    leases: await countLeases(tx),
    firewalls: await countFirewallClients(tx),
    policies: await countMaintenancePolicies(tx),
  }));
}

type Fleet = Awaited<ReturnType<typeof readFleet>>;
type Labels = Readonly<Record<string, string>>;
type Series = readonly [labels: Labels, value: number];

/** What each gauge shows about the fleet. */
interface FleetGauge {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly series: (fleet: Fleet) => readonly Series[];
}

const GAUGES: readonly FleetGauge[] = [
  {
    name: 'prefixcast_speaker_routes',
    help: 'Routes of the revision that the speaker runs, by family.',
    labels: ['tenant', 'speaker', 'family'],
    series: ({ speakers }) =>
      speakers.rows.flatMap(({ tenant, speaker, ipv4, ipv6 }): Series[] => [
        [{ tenant, speaker, family: 'ipv4' }, ipv4],
        [{ tenant, speaker, family: 'ipv6' }, ipv6],
      ]),
  },
  {
    name: 'prefixcast_speaker_applied_revision',
    help: 'Number of the revision that the speaker runs.',
    labels: ['tenant', 'speaker'],
    series: ({ speakers }) =>
      speakers.rows.map(({ tenant, speaker, revision }) => [{ tenant, speaker }, revision]),
  },
  {
    name: 'prefixcast_peer_session_state',
    help: 'State of the session with the peer, as bgpPeerState of RFC 4273: 1 idle to 6 established.',
    labels: ['tenant', 'speaker', 'peer'],
    series: ({ sessions }) =>
      sessions.rows.map(({ tenant, speaker, peer, state }) => [
        { tenant, speaker, peer },
        PEER_STATES[state as SessionState],
      ]),
  },
  {
    name: 'prefixcast_module_source_age_seconds',
    help: 'Time since the last good answer of the source of the module that has gone longest without one.',
    labels: ['tenant', 'module'],
    series: ({ modules }) =>
      modules.rows.flatMap(({ tenant, module, age }): Series[] =>
        age === null ? [] : [[{ tenant, module }, age]],
      ),
  },
  {
    name: 'prefixcast_module_stale_sources',
    help: 'Sources of the module whose last answer was not good.',
    labels: ['tenant', 'module'],
    series: ({ modules }) => modules.rows.map(({ tenant, module, stale }) => [{ tenant, module }, stale]),
  },
  {
    name: 'prefixcast_held_revisions',
    help: 'Held revisions that are newer than the newest ready one.',
    labels: ['tenant'],
    series: ({ heldRevisions }) => heldRevisions.map(({ tenant, count }) => [{ tenant }, count]),
  },
  {
    name: 'prefixcast_held_modules',
    help: 'Modules that a guardrail holds.',
    labels: ['tenant'],
    series: ({ heldModules }) => heldModules.map(({ tenant, count }) => [{ tenant }, count]),
  },
  {
    name: 'prefixcast_speaker_leases',
    help: 'Enabled speakers by their lease: held, lapsed (its holder is silent), none.',
    labels: ['state'],
    series: ({ leases }) =>
      (['held', 'lapsed', 'none'] as const).map((state) => [
        { state },
        leases.find((lease) => lease.state === state)?.count ?? 0,
      ]),
  },
  {
    name: 'prefixcast_firewall_clients',
    help: 'Firewall clients by what they last reported: applied, failed, reverted, pending; silent: not for 35 s.',
    labels: ['tenant', 'state'],
    series: ({ firewalls }) => firewalls.map(({ tenant, state, count }) => [{ tenant, state }, count]),
  },
  {
    name: 'prefixcast_maintenance_policies',
    help: 'Maintenance policies by the state of their last run.',
    labels: ['tenant', 'state'],
    series: ({ policies }) => policies.map(({ tenant, state, count }) => [{ tenant, state }, count]),
  },
  {
    name: 'prefixcast_series_left_out',
    help: 'Speakers, sessions and modules beyond the limits, which have no series of their own.',
    labels: ['kind'],
    series: ({ speakers, sessions, modules }) =>
      Object.entries({ speakers, sessions, modules }).map(
        ([kind, { rows, total }]: [string, Some<unknown>]) => [{ kind }, total - rows.length],
      ),
  },
];

/** All gauges of one scrape share a look, and so do scrapes that come close together. */
export function observeFleet(db: Database, registry: Registry, log: Pick<LineLog, 'warn'>): void {
  let kept: { readonly look: Promise<Fleet | null>; readonly until: number } | null = null;
  const look = (): Promise<Fleet | null> => {
    if (kept === null || kept.until <= performance.now()) {
      const reading = readFleet(db).catch((error: unknown) => {
        warnUnread(log, error, 'The metrics of speakers, sessions and modules');
        return null;
      });
      kept = { look: reading, until: performance.now() + KEPT_MILLISECONDS };
    }
    return kept.look;
  };
  for (const { name, help, labels, series } of GAUGES)
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const fleet = await look();
        this.reset();
        for (const [of, value] of fleet === null ? [] : series(fleet)) this.set(of, value);
      },
    });
}
