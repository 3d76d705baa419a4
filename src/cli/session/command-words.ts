/** What the service says in words of its API, in those of the command line: commands for routes, options for members of bodies. */
import type { ApiProblem } from '#client';
import type { Field, Noun } from '../nouns/noun.ts';
import { ENTRY_FIELDS } from '../nouns/entry-kinds.ts';
import { NOUNS } from '../nouns/nouns.ts';

/** Segments of a path that stand for a name. */
const ID = String.raw`[^\s/?)]+`;

/** Routes that texts of the service name, and the command for each. What stands above is taken first. */
const ROUTES: readonly (readonly [route: string, command: string])[] = [
  ['POST /v1/auth/session', 'login'],
  ['GET /v1/auth/session', 'whoami'],
  ['POST /v1/apply', 'revision apply latest'],
  ['retry the apply', 'apply retry --wait'],
  [`GET /v1/modules/${ID}/held/diff`, 'module held MODULE'],
  [`POST /v1/modules/${ID}/release`, 'module release MODULE'],
  [`GET /v1/modules/${ID}/removed-entries`, 'entry removed MODULE'],
  ['GET /v1/removed-modules', 'module list --deleted'],
  [`POST /v1/speakers/${ID}/enrollment-tokens`, 'node enroll SPEAKER'],
  [String.raw`GET /v1/speakers/${ID}\?live=true`, 'session list'],
  [String.raw`GET /v1/revisions/${ID}/diff/${ID}\?within=${ID}(?:/\d+)?`, 'revision diff A B'],
  [`POST /v1/revisions/${ID}/rollback`, 'revision rollback REVISION'],
  [`GET /v1/jobs/${ID}`, 'job list'],
  [`POST /v1/tenants/${ID}/stop`, 'tenant stop TENANT'],
  [`PATCH /v1/tenants/${ID}`, 'tenant edit TENANT'],
  [`DELETE /v1/api-keys/${ID}`, 'key delete KEY'],
  [`POST /v1/api-keys/${ID}/rotate`, 'key rotate KEY'],
  [`POST /v1/feeds/${ID}/rotate`, 'feed rotate FEED'],
  [`POST /v1/webhooks/${ID}/rotate`, 'webhook rotate WEBHOOK'],
  [`GET /v1/feeds/${ID}/preview`, 'feed preview FEED'],
  [`POST /v1/doh-profiles/${ID}/test`, 'doh test NAME'],
  ['POST /v1/auth/sign-in-links', 'console'],
  ['GET /v1/history', 'history PREFIX'],
  ['GET /v1/router/status', 'router status'],
  ['POST /v1/router/reload', 'router reload'],
  ['GET /v1/postgres/metrics', 'database status'],
  [`POST /v1/maintenance/policies/${ID}/run`, 'policy run NAME'],
  ['POST /v1/bundles/signing-key/rotate', 'bundle rotate-key'],
  ['GET /v1/runtime-logs/auto-estimate', 'logs --clean --dry-run'],
  ['POST /v1/communities', 'community create'],
  [String.raw`List /v1/revisions(?:\?state=ready)?`, 'revision list'],
  [String.raw`List /v1/jobs(?:\?type=apply)?`, 'job list'],
  ...Object.values(NOUNS).map(({ path, words }) => [`List ${path}`, `${words} list`] as const),
];

const PATTERNS = ROUTES.map(
  ([route, command]) =>
    [
      new RegExp(String.raw`\`?${route}\`?(?![\w/])( to see which (?:exist|there are))?`, 'g'),
      command,
    ] as const,
);

/** Requests that are no route, and settings by their members. */
const PHRASES: readonly (readonly [phrase: RegExp, words: string])[] = [
  [/\{"mode": "agent"\}/g, '--mode agent'],
  [
    /Give these peers other speaker_ids/g,
    'Give these peers another one with peer edit PEER --speaker SPEAKER',
  ],
  [/out of their (module|community|client|speaker)_ids first/g, 'out of their --$1 first'],
  [/give each its own speaker_ids/g, 'give each a speaker of its own with --speaker'],
  [
    /Leave the password out, or list in speaker_ids/g,
    'Take it away with --password none, or name by --speaker',
  ],
  [/Set bfd to false/g, 'Turn that off with --bfd no'],
  [
    /Lower max_addresses or retain_seconds in doh_resolver_policy/g,
    'Lower --doh-max-addresses or --doh-retain of the module',
  ],
  [
    /Add resolvers to doh_profile_ids, or lower quorum in doh_resolver_policy/g,
    'Give the module more resolvers with --doh, or a lower --doh-quorum',
  ],
  [/, and doh_profile_ids names (\d+)/g, ', and the module has $1'],
  [
    /\(PATCH \{"enabled": true\} of a profile in its doh_profile_ids\), or create one \(POST \/v1\/doh-profiles\) and name it there/g,
    'with doh edit NAME --enabled yes, or create one with doh create and name it with --doh of module edit',
  ],
  [/when retain_seconds of doh_resolver_policy are over/g, 'when the time of --doh-retain is over'],
  [/Set local_(ipv[46]) of the speaker to/g, 'Set --local-$1 of the speaker to'],
  [/PATCH \{"enabled": true\}/g, '--enabled yes'],
  [/PATCH \{"enabled": false\}/g, '--enabled no'],
  [/DELETE with \?abandon_node=true/g, 'delete it with --abandon-node'],
  [
    /set next_hop_(ipv[46]) of the peer,? or local_ipv[46] of the speaker/g,
    'give the peer one with --next-hop-$1, or the speaker an address of its own with --local-$1',
  ],
];

/** The commands that texts of the service may be turned into, without `prefixcast`. */
export const NAMED_COMMANDS: readonly string[] = ROUTES.map(([, command]) => command);

/**
 * The text with commands in place of routes.
 * @param contextWords of the session, so that the commands reach the same service
 */
export function inCommands(text: string, contextWords = ''): string {
  const program = `prefixcast${contextWords}`;
  const unfrozen = `${program} unfreeze ends that`;
  const frozen = text
    .replace(
      'set it to false, then POST /v1/apply applies it',
      `${unfrozen}, and ${program} revision apply latest applies it`,
    )
    .replace('Set it to false, and what waits', `${unfrozen}, and what waits`)
    .replace('Set it to false, and apply again', `${unfrozen}, and what waits is applied`)
    .replace('Set it to false, and retry', `${unfrozen}, and what waits is applied`);
  const phrased = PHRASES.reduce((shown, [phrase, words]) => shown.replace(phrase, words), frozen);
  return PATTERNS.reduce(
    (shown, [pattern, command]) =>
      shown.replace(pattern, (found: string, which: string | undefined) => {
        const isListed = found.replace('`', '').startsWith('List ');
        return isListed
          ? `${program} ${command} shows ${which?.slice(8) ?? 'them'}`
          : `${program} ${command}`;
      }),
    phrased,
  );
}

type ProblemText = Pick<ApiProblem, 'detail' | 'errors'>;

/**
 * What a problem says: each fault at the option or argument that it is of.
 * @param noun whose options the command has
 */
export function problemText({ detail, errors }: ProblemText, noun?: Noun, contextWords = ''): string {
  const pointers = errors.map(({ pointer }) => pointer).sort((a, b) => b.length - a.length);
  const inOptions = (text: string): string =>
    pointers.reduce(
      (shown, pointer) => (pointer === '' ? shown : shown.replaceAll(alone(pointer), wordOf(pointer, noun))),
      ofNoun(text, noun),
    );
  const others = errors.filter((fault) => !detail.includes(fault.detail));
  const faults = others.map(({ pointer, detail: fault }) => {
    const colon = /^(?:is|must|has|needs) /.test(fault) ? '' : ':';
    return `\n  ${inOptions(`${pointer}${colon} ${fault}`)}`;
  });
  // What takes a value away is a word of the command line's own.
  const text = `${inOptions(detail)}${faults.join('')}`
    .replaceAll(', or null', ', or none')
    // They stand below.
    .replace(/ \(and \d+ more, see errors\)/, '');
  return inCommands(text, contextWords);
}

/** Members that a text explains in brackets, "modules (module_ids)": as options. */
function ofNoun(text: string, noun: Noun | undefined): string {
  return text.replace(/\((\w+)\)/g, (found, member: string) => {
    const option = ownOptionOf(member, noun);
    return option === null ? found : `(${option})`;
  });
}

/** The pointer where it stands by itself, and not in a URL or a path that somebody wrote. */
function alone(pointer: string): RegExp {
  return new RegExp(
    String.raw`(?<![\w/.:-])${pointer.replace(/[?.+*()[\]{}^$|\\]/g, String.raw`\$&`)}(?![\w/-]|\.\w)`,
    'g',
  );
}

/** @param pointer into the body, or `?name` of the query */
function wordOf(pointer: string, noun: Noun | undefined): string {
  if (/^\?q$/.test(pointer)) return '--find';
  if (pointer.startsWith('?')) return `--${pointer.slice(1).replaceAll('_', '-')}`;
  const [, item, key] = /^\/items\/(\d+)(?:\/(\w+))?/.exec(pointer) ?? [];
  const [, member = '', inner = ''] = pointer.split('/');
  const own = ownOptionOf(member, noun, inner);
  if (own !== null) return own;
  const option = optionOf(key ?? member, noun);
  // Of an option that takes an object, the member.
  if (item === undefined && option !== null && /^[a-z]/.test(inner)) return `${inner} of ${option}`;
  // A setting, which an argument names.
  if (item === undefined) return option ?? pointer.replace(/^\/(?=\w+$)/, '');
  return option === null || key === 'name'
    ? `entry ${Number(item) + 1}`
    : `${option} of entry ${Number(item) + 1}`;
}

/** Of members that commands name alike. */
const OPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(ENTRY_FIELDS).map(([option, { member }]) => [member, `--${option}`])),
  speaker_id: '--speaker',
  speaker_ids: '--speaker',
  peer_ids: '--peer',
  community_ids: '--community',
  override: '--override',
  reason: '--reason',
  snapshot: '--snapshot',
  batch: 'BATCH',
};

/** @param inner a member of the object that `member` is; undefined: all of it */
function ownOptionOf(member: string, noun: Noun | undefined, inner?: string): string | null {
  const isIt = ([, field]: [string, Field]): boolean => field.member === member && field.inner === inner;
  const [option] = Object.entries(noun?.fields ?? {}).find(isIt) ?? [];
  return option === undefined ? null : `--${option}`;
}

function optionOf(member: string, noun: Noun | undefined): string | null {
  const option = ownOptionOf(member, noun);
  if (option !== null) return option;
  if (member !== '' && member === noun?.names[0]) return member.toUpperCase();
  return OPTIONS[member] ?? null;
}
