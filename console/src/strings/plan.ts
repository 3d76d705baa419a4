import { count, formatNumber } from './format.ts';

export const planText = {
  title: 'What would change',
  computing: 'What would change is being computed …',
  nothing: 'Nothing that is announced would change.',
  sameRoutes: 'The routes stay as they are. Who is sent them changes:',
  otherRoutes: 'No route comes or goes. Routers are sent them with another next hop, or other communities:',
  otherParts: 'The revision stays as it is. What routers are sent of it changes:',
  hidden: (label: string) => `${label}: another one`,
  field: (label: string, before: string, after: string) => `${label}: ${before} → ${after}`,
  next: 'Routes of the next revision:',
  held: 'It would be held, and reach no router',
  quarantined: 'These modules would be held',
  latestBreaks: 'What is announced stays, and whatever changes it next is held, be it an edit or a refresh:',
  staying: 'Held before, and still held then:',
  endedRollback: (module: string) =>
    `This ends the rollback of ${module}: what that took back of it comes again.`,
  applied: 'It would be applied by itself.',
  notApplied: 'It would wait to be applied.',
  notBuilt:
    'It would not come by itself (auto_revision is off): a refresh, or somebody who builds a revision, brings it.',
  speakers: 'Speakers',
  notEnrolled: 'no node has enrolled yet, so nothing is sent',
  /** @param updated of those afterwards: how many are new to the peer, or are sent again with other communities or another next hop */
  peerRoutes: (before: string, after: string, updated: number) =>
    `${before} → ${after} routes${updated === 0 ? '' : `, ${formatNumber(updated)} of them new or changed`}`,
  /** Of a router that has no session, and so no routes. */
  down: (routes: string) => `is down: it holds no routes, and is sent ${routes} once its session is up`,
  fitted: (family: string, added: string, percent: string) =>
    `${added} foreign ${family} addresses added to fit its limit, ${percent} % of its own`,
  holders: 'Who holds the largest?',
  asking: 'Who holds them is being asked …',
  nobody: 'nobody is known',
  origin: (asn: number, name: string | null, range: string) =>
    `AS${asn}${name === null ? '' : ` ${name}`} (${range})`,
  askedAt: (source: string) => `As ${source} says`,
  sessions: {
    same: '',
    restarted: 'its session ends and begins again',
    replaced: 'its session ends, and its routes leave it until another is up',
  },
  unfitted: (reason: string) => `keeps what it has: ${reason}`,
  expired: (value: number) =>
    `This announces again ${count(value, 'prefix', 'prefixes')} whose time is over, and which had left by ${value === 1 ? 'itself' : 'themselves'}:`,
  further: (value: number) => `and ${formatNumber(value)} more`,
  first: (shown: number) => `The first ${count(shown, 'route')}`,
  others: (value: number) =>
    `${count(value, 'earlier edit is', 'earlier edits are')} in no revision yet. The next one has these as well.`,
  uncollected: (value: number) =>
    `${count(value, 'module has', 'modules have')} entries to be collected first. What they bring is not known, and not counted.`,
  imported: { created: 'new', updated: 'changed', deleted: 'deleted', unchanged: 'as before' },
} as const;
