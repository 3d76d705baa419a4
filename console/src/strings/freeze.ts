import { count } from './format.ts';

/** While the setting `deploy_freeze` is on. */
export const freezeText = {
  title: 'Applies are frozen.',
  by: 'Frozen by',
  what: (stopped: number) =>
    stopped === 0
      ? 'Revisions are built, and reach no router.'
      : `Revisions are built, and reach no router. ${count(stopped, 'apply has', 'applies have')} been stopped so far.`,
  setting: 'Show the setting',
  end: 'End the freeze',
  endTitle: 'End the freeze of applies',
  sent: (stopped: number) =>
    stopped === 0
      ? 'No new revision is built. Ending it sends routers what waits:'
      : `No new revision is built. ${count(stopped, 'apply was', 'applies were')} stopped, and ending it sends routers what waits:`,
  waiting: (revision: number) => `What revision ${revision} changes at routers`,
  ended: 'Applies are no longer frozen.',
} as const;
