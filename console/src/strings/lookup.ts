import { count, formatNumber } from './format.ts';

/** Of the history of an address, and of many lookups at once. */
export const historyText = {
  title: 'History',
  changes: {
    announced: 'announced',
    withdrawn: 'withdrawn',
    changed: 'changed',
    contributed: 'other entries',
  },
  /** The same of a revision that no speaker has announced. */
  built: {
    announced: 'built with it',
    withdrawn: 'built without',
    changed: 'built otherwise',
    contributed: 'other entries',
  },
  neverApplied: 'Never applied: no router was sent this.',
  entries: {
    added: 'has it through',
    removed: 'had it through',
    changed: 'has other parts of it through',
    kept: 'has it through',
  },
  /** Of a module that takes out of revisions what others have. */
  exclusions: {
    added: 'excludes it by',
    removed: 'excluded it until then by',
    changed: 'excludes other parts of it by',
    kept: 'excludes it by',
  },
  became: '→',
  gone: 'the deleted module',
  atSpeaker: (speaker: string) => `applied at ${speaker}`,
  againAtSpeaker: (speaker: string) => `applied again at ${speaker}`,
  /** Between two moments. */
  to: 'to',
  /** After two moments, before the revision that took its place. */
  leftSpeaker: (speaker: string) => `at ${speaker}, which then had`,
  pruned: (value: number) =>
    `${count(value, 'revision', 'revisions')} in between ${value === 1 ? 'was' : 'were'} pruned: any of them may have made the change.`,
  begins: (revision: string) => `The history begins with ${revision}.`,
  prunedBefore: (value: number) =>
    `${count(value, 'revision')} before it ${value === 1 ? 'was' : 'were'} pruned.`,
  never: 'No revision that is kept has announced it.',
} as const;

export const lookupsText = {
  title: (value: number) => count(value, 'lookup'),
  asked: 'Asked for',
  verdict: 'Verdict',
  routes: 'Routes',
  modules: 'Modules',
  why: 'Why not',
  unreadable: 'Cannot be read',
  missing: (prefix: string) => `not ${prefix}`,
  tooMany: (most: number) => `The first ${formatNumber(most)} are shown.`,
} as const;

/** Of an address or a prefix that should not be announced. */
export const excludeText = {
  action: 'Exclude it',
  title: (prefix: string) => `Exclude ${prefix}`,
  list: 'List of exclusions',
  hint: 'What it has is taken out of every list that is announced.',
  newList: 'A new list',
  newName: 'never announced',
  newHint:
    'It is made with this entry, and called “never announced”. What it has is taken out of every list that is announced.',
  back: 'To take it back, delete the entry from that list.',
  done: (prefix: string, list: string) => `${prefix} is in ${list} now, and excluded with the next revision.`,
} as const;

/** Of the lists that had what is announced, where none has it now. */
export const chainText = {
  entries: 'Entry and module',
  noRevision: 'There is no revision yet, so nothing can have this prefix.',
  addTo: 'To have it announced, add it to a list:',
  unknown: 'what it announces now is not known',
  toNobody: 'Announced to no peer',
  toWhomUnknown: 'Announced, and to whom is not known',
  noSession: 'no session',
  sentNothing: 'it is sent nothing',
  /** Of a router that is up. */
  notSent: 'not sent',
  takesCommunities: (communities: string) => `it takes ${communities} only`,
  takesFamilies: (families: string) => `it takes ${families} only`,
  unsent: {
    no_next_hop: 'it is sent nothing',
    too_many_routes: 'it keeps what it has, and may not have this',
    peer_reverted: 'it holds an older revision, and may not have this',
  },
  inPart: 'Announced in part',
  asFarAsListed: 'Announced as far as its first routes go, and has more',
  missing: (prefix: string) => `Not announced of it, at first: ${prefix}.`,
  reasonsOf: (address: string) => `The reasons below are those of ${address}.`,
  ofAddresses: (addresses: string) => `Of ${addresses}:`,
  /** A revision knows addresses, and not of which names they are. */
  nameGone: 'No list has it now. Whether its addresses are announced, a lookup of them says.',
  rest: (value: number, isMore: boolean) => `and ${isMore ? 'at least ' : ''}${formatNumber(value)} more`,
  former: 'As the announced revision was built: no list has it any more.',
  heldSince: 'since',
  keptByHold: 'A guardrail holds what the list lost, so routers keep this. A release withdraws it.',
  decideHold: 'What the hold keeps',
  deletedEntry: 'An entry that was deleted since',
  deletedModules: 'Show deleted modules',
  kept: 'deleted; a guardrail holds the deletion',
} as const;
