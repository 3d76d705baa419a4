import { count, formatNumber } from './format.ts';

export const chartText = {
  figures: 'Figures',
  nothing: 'nothing',
  routes: {
    title: 'Routes by revision',
    revision: 'Revision',
    place: (revision: number) => `rev. ${formatNumber(revision)}`,
    all: 'All routes',
    others: (value: number) => `${count(value, 'more community', 'more communities')} in the figures only.`,
    summary: (first: number, last: number, routesBefore: number, routesNow: number) =>
      `From ${count(routesBefore, 'route')} in revision ${formatNumber(first)} to ${formatNumber(routesNow)} in revision ${formatNumber(last)}.`,
    one: (revision: number, routes: number) =>
      `One revision so far: ${formatNumber(revision)} has ${count(routes, 'route')}. The next one makes a line of it.`,
    none: 'No revision so far.',
  },
  sources: {
    title: 'Sources by age',
    age: 'Last read',
    never: 'never',
    ok: 'Read well',
    faulty: 'Stale, failed or pending',
    summary: (old: number, all: number) =>
      `${formatNumber(old)} of ${count(all, 'source')} not read for a day.`,
    none: 'No source so far.',
  },
  applies: {
    title: 'Apply durations',
    began: 'Began',
    state: 'State',
    seconds: 'Took',
    ended: 'Done',
    partly: 'Partly applied',
    failed: 'Failed or cancelled',
    summary: (applies: number, median: string, longest: string) =>
      `The latest ${count(applies, 'apply', 'applies')}: half took ${median} or less, the longest ${longest}.`,
    none: 'No apply has ended so far.',
  },
  sessions: {
    title: 'Sessions by how long they are up',
    up: 'Up',
    down: 'Down',
    age: 'For',
    summary: (up: number, all: number, fresh: number) =>
      `${formatNumber(up)} of ${count(all, 'session')} up` +
      (fresh === 0
        ? '.'
        : fresh === up
          ? ', for less than an hour.'
          : `, ${formatNumber(fresh)} of them for less than an hour.`),
    none: 'No session so far.',
  },
  spans: {
    minute: '< 1 min',
    hour: '< 1 h',
    minutes: '1–60 min',
    quarter: '1–6 h',
    day: '6–24 h',
    week: '1–7 d',
    longer: '> 7 d',
  },
} as const;
