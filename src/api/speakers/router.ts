import { Type, type Static } from 'typebox';
import { LastError } from '../shapes/members.ts';
import { Nullable, Strict, Timestamp } from '../shapes/page.ts';
import { Daemon } from './speakers.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const RouterDaemon = Strict({
  daemon: Daemon,
  host: Nullable(Type.String(), 'Machine of the process that drives it; null: no process does'),
  reachable: Type.Boolean({ description: 'Whether a process drives it and it answers' }),
  version: Nullable(Type.String()),
  router_id: Nullable(Type.String(), "The daemon's own BGP identifier; a speaker's if the daemon has none"),
  uptime_seconds: Nullable(Type.Integer(), 'Seconds since it started'),
  last_reconfigured_at: Nullable(Timestamp),
  speakers: count('Enabled speakers of the tenant that live in it'),
  sessions: Strict({
    total: count('Sessions that these speakers should have'),
    established: Type.Integer({ minimum: 0 }),
  }),
  protocols: Nullable(
    Strict({ total: count('Of these speakers, in daemons that have protocols'), up: count('Of these, up') }),
  ),
  error: LastError,
});
export type RouterDaemon = Static<typeof RouterDaemon>;

export const RouterStatus = Strict({
  items: Type.Array(RouterDaemon, {
    description: 'One for each daemon that runs local speakers, on each machine',
  }),
});
export type RouterStatus = Static<typeof RouterStatus>;
