import { count } from './format.ts';

/** Headings of the log of revisions. */
export const revisionTableText = {
  number: 'Revision',
  state: 'State',
  runsOn: 'Runs on',
  sameAs: (number: string) => `same as ${number}`,
  why: 'Why',
  actor: 'By',
  ipv4: 'IPv4 routes',
  ipv6: 'IPv6 routes',
  created: 'Built',
  applied: 'Applied',
  noneThen: 'No revision was built in these times.',
  before: 'The newest before these times that was applied:',
  ranThen: 'Applied as these times began:',
  appliedSince: 'Applied from',
  appliedUntil: 'Applied until',
  appliedEarlier: 'Applied before',
  /** Beside its last time. */
  appliedBefore: (value: number) => `and ${count(value, 'time')} before`,
  appliedFrom: 'from',
  /** Between two moments: with words around them, they do not fit into a line. */
  appliedTo: '–',
  appliedNow: 'now',
  goesBackTo: (number: string) => `rolled back to ${number}`,
  file: 'revisions',
} as const;
