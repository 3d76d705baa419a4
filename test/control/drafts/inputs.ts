import type { RevisionInput } from '../../../src/store/revisions/revision-history.ts';

/** What a revision has of the list `list`, and what a test wants otherwise. */
export function inputOf(other: Partial<RevisionInput> = {}): RevisionInput {
  return {
    ...{ module_id: 'list', name: 'list', purpose: 'announce', families: ['ipv4', 'ipv6'] },
    ...{
      content_hash: 'content',
      entries_hash: 'entries',
      left_out: [],
      released: [],
      policy_hash: 'policy',
    },
    ...other,
  };
}
