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
  /** @param revisions their numbers */
  applies: (revisions: string) => `Ending it applies revision ${revisions}.`,
  others:
    'Ending it applies no revision. Routers are sent what has changed beside revisions, such as next hops:',
  nothing: 'Ending it applies nothing: no apply waits for it.',
  left: (revisions: string) =>
    `Revision ${revisions} stays as it is, to be applied by somebody: revisions are not applied by themselves here (auto_apply).`,
  held: (revision: number) => `Revision ${revision} is held by a guardrail, which has to release it first.`,
  edits: (edits: number, isByItself: boolean) =>
    `${count(edits, 'edit is', 'edits are')} in no revision yet, which the freeze does not hold up: ${
      isByItself
        ? 'a revision follows by itself.'
        : 'somebody has to build a revision (auto_revision is off).'
    }`,
  waiting: (revision: number) => `What revision ${revision} changes at routers`,
  back: 'To take it back, freeze applies again: what has reached routers by then stays there.',
  ended: 'Applies are no longer frozen.',
} as const;
