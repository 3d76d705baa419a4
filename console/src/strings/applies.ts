import { count, formatNumber } from './format.ts';

/** Of applies, and of where each speaker and router is with one. */
export const appliesText = {
  title: 'Applies',
  numbered: 'Apply',
  ofRevision: (revision: number) => `Apply of revision ${formatNumber(revision)}`,
  tookFor: 'took',
  /** Of a router that did not take the revision, and has what its speaker runs since. */
  hasItNow: 'has what its speaker announces now',
  partlyResolved: 'Every router has by now what its speaker announces',
  older: 'All applies, as jobs',
  emptyTitle: 'No applies yet',
  emptyWhat: 'An apply brings a revision to the speakers: canaries first, then the others in waves.',
  emptyCommand: 'prefixcast revision apply latest',
  /** Of an apply of no revision. */
  cause: 'Every speaker keeps the revision that it runs, and brings its routers the change of',
  again: 'Every speaker keeps the revision that it runs, and brings its routers what was changed of them.',
  began: 'began',
  startedAt: 'Began',
  revision: 'Of',
  routers: 'Routers',
  routersOf: (have: number, all: number) => `${formatNumber(have)} of ${formatNumber(all)}`,
  took: 'Took',
  asked: 'Asked by',
  state: 'State',
  canaries: 'Canaries',
  later: 'Then',
  waveNumber: (wave: number) => `Wave ${formatNumber(wave)}`,
  cancel: 'Cancel the apply',
  cancelled: 'The apply is being cancelled. Speakers that have the revision keep it.',
  retry: 'Retry where it failed',
  retried: 'The apply is tried again where it failed.',
  phases: {
    queued: 'It waits for its turn',
    waiting: 'It waits for an older apply',
    canary: 'Canaries take the revision',
    apply: 'Speakers take the revision',
    soak: 'Canaries are watched before the others begin',
    wave: 'The others take it, wave by wave',
    undo: 'Speakers go back to what they ran before',
  } as Readonly<Record<string, string>>,
  states: {
    planned: 'waits',
    queued: 'next',
    running: 'takes it',
    succeeded: 'has it',
    applied: 'has it',
    partial: 'partly applied',
    unchanged: 'had it before',
    failed: 'failed',
    unfinished: 'goes on',
    unreachable: 'out of reach',
    superseded: 'overtaken by a newer one',
    skipped: 'left out',
    undoing: 'goes back',
    undone: 'went back',
  },
  jobStates: {
    queued: 'waits',
    running: 'in progress',
    succeeded: 'done',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  progress: (done: number, total: number) => `${formatNumber(done)} of ${count(total, 'speaker')}`,
  noSpeakers: 'It went to no speaker.',
  waitsFor: 'It waits for',
  outOfReach: 'out of reach',
  lastSeen: 'last seen',
  partly: 'partly applied',
  partlyTitle: 'Not every router has the revision',
  partlyRemedy:
    'Correct the cause at the peer, then try again. Routers that have the revision stay as they are.',
  partlyFollows:
    'There is nothing more to do: the new routes follow by themselves. Routers that have the revision stay as they are.',
  followsByItself: 'has no session; it is sent the new routes by itself once it is back',
  /** Before what was said then of a router that has the revision by now. */
  whenItEnded: 'When the apply ended:',
  having: (routers: number, named: number) =>
    routers > named
      ? `and ${formatNumber(routers - named)} more have it`
      : routers === 1
        ? 'has it'
        : 'have it',
  atSpeaker: 'at the speaker',
  peerStates: {
    applied: 'has it',
    reverted: 'kept its old routes',
    failed: 'could not take the routes',
    incomplete: 'has not received all routes',
    over_limit: 'has more routes than its limit allows',
    down: 'has no session',
    undone: 'went back with the speaker',
  },
} as const;
