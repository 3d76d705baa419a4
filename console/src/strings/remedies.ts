import { text } from './english.ts';
import { feedsText } from './feeds.ts';
import { nodeText, peersText, speakersText } from './speakers.ts';

const { navigation } = text;

interface Place {
  readonly call: RegExp;
  readonly to:
    | '/communities'
    | '/resolvers'
    | '/revisions'
    | '/modules'
    | '/speakers'
    | '/nodes/new'
    | '/peers'
    | '/firewall'
    | '/feeds'
    | '/webhooks'
    | '/settings'
    | '/audit'
    | '/jobs';
  readonly name: string;
}

/** Where the console does what a request would do that the service names as a remedy; the first that fits. */
export const apiText: readonly Place[] = [
  { call: /\/v1\/communities/, to: '/communities', name: `the page ${navigation.communities}` },
  { call: /\/v1\/doh-profiles/, to: '/resolvers', name: `the page ${navigation.resolvers}` },
  { call: /\/v1\/(apply|revisions)\b/, to: '/revisions', name: `the page ${navigation.revisions}` },
  { call: /enrollment-tokens/, to: '/nodes/new', name: `the page ${nodeText.title}` },
  { call: /\/v1\/speakers/, to: '/speakers', name: `the page ${speakersText.title}` },
  { call: /\/v1\/peers/, to: '/peers', name: `the page ${navigation.peers}` },
  { call: /\/v1\/firewall/, to: '/firewall', name: `the page ${navigation.firewall}` },
  { call: /\/v1\/(removed-)?modules/, to: '/modules', name: `the page ${navigation.modules}` },
  { call: /\/v1\/feeds/, to: '/feeds', name: `the page ${navigation.feeds}` },
  { call: /\/v1\/webhooks/, to: '/webhooks', name: `the page ${navigation.webhooks}` },
  { call: /\/v1\/settings/, to: '/settings', name: `the page ${navigation.settings}` },
  { call: /\/v1\/jobs/, to: '/jobs', name: `the page ${navigation.jobs}` },
];

/** What a problem is called: a plan is refused as values that are not valid, whatever the write in it would be refused for. */
export function titleOfProblem(problem: {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
}): string {
  const [, code] = / would be refused, (\w+): /.exec(problem.detail) ?? [];
  if (problem.code !== 'validation_failed' || code === undefined || code === problem.code)
    return problem.title;
  return code === 'forbidden' ? text.problem.forbidden : text.problem.refused;
}

/** Of the one thing that a text is about. */
export const itsPage = 'its page';

/** Codes that the service puts before what it says of a source or an entry: they are for programs. */
const CODE = /\b(?:source_[a-z_]+|bogon_prefix): /g;

const ID = '"?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"?';
/** Which of several writes it is, and where in it, is for programs: a page makes one for people. */
const PLACE =
  /^(?:\/changes\/\d+: )?(?:(?:POST|PATCH|DELETE) \S+ (?:would be refused, \w+|is refused, so nothing was changed): (?:\/[\w/]+: )?)?(?:\/ids\/\d+: )?/;
const GONE = new RegExp(
  `(?:The module has no|No) ([A-Za-z ]+?) (?:with|has) the id ${ID}\\.( List them to see which exist\\.)?`,
  'g',
);

/** What a request would say, as the buttons are called that send it, and without codes. */
export function inWordsOfThePages(said: string): string {
  return said
    .replace(PLACE, '')
    .replaceAll(CODE, '')
    .replaceAll(
      GONE,
      (_, noun: string) => `There is no such ${noun}, or not any more: somebody may have deleted it.`,
    )
    .replaceAll(/\bList (\/v1\/[\w/-]+) to see which exist\./g, 'See GET $1 for those that exist.')
    .replaceAll('let it through with override', 'release it')
    .replaceAll(/set (?:it|that) to \[\] to do without/g, 'choose none to do without')
    .replaceAll('set when_too_many to fit', `set “${feedsText.tooMany}” to “${feedsText.fit}”`)
    .replaceAll(
      /\b(its )?(next_hop_ipv4|next_hop_ipv6|local_ipv4|local_ipv6|max_prefixes(?:_out)?)\b/g,
      (_, its = 'the ', member: keyof typeof fields) => `${its}${fields[member]}`,
    );
}

/** As the forms call them. */
const fields = {
  next_hop_ipv4: peersText.nextHop4,
  next_hop_ipv6: peersText.nextHop6,
  local_ipv4: speakersText.localIpv4,
  local_ipv6: speakersText.localIpv6,
  max_prefixes_out: `limit “${peersText.limit}”`,
  max_prefixes: `limit “${feedsText.limit}”`,
} as const;

/** Of the members that a remedy may name, those of a peer. */
const PEER_FIELDS = {
  max_prefixes_out: peersText.limit,
  next_hop_ipv4: peersText.nextHop4,
  next_hop_ipv6: peersText.nextHop6,
} as const;

/** The first field of a peer that the service names in what it says. */
export function peerFieldIn(said: string): { readonly name: string; readonly label: string } | null {
  const name = /\b(?:max_prefixes_out|next_hop_ipv[46])\b/.exec(said)?.[0];
  return name === undefined ? null : { name, label: PEER_FIELDS[name as keyof typeof PEER_FIELDS] };
}
