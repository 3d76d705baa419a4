import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NOUNS } from '../../../src/cli/nouns/nouns.ts';
import { inCommands, NAMED_COMMANDS, problemText } from '../../../src/cli/session/command-words.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';

const SRC = join(import.meta.dirname, '../../../src');
const REMEDY = /`?(?:List|GET|POST|PUT|PATCH|DELETE) \/v1\/[^\s'")]*/g;

/** What no command does. */
const NO_COMMAND = [
  '/v1/openapi.json',
  '/v1/auth/sign-in-links',
  '/v1/ready',
  '/v1/runtime-logs/auto-run',
  '/v1/bundles/signing-key',
  '/v1/postgres/metrics',
];

/** Every line of the service's own texts that names a route, without what only the description of the API shows. */
function remedies(): string[] {
  const rooms = ['control', 'store', 'api/problems'].map((room) => join(SRC, room));
  return rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => readFileSync(join(room, name), 'utf8').split('\n'))
      .filter((line) => !/^\s*(\*|\/\*|\/\/)/.test(line) && REMEDY.test(line))
      .map((line) => line.trim().replace(/\$\{[^}]*\}/g, 'b7')),
  );
}

test('every remedy of the service that names a route names a command in the terminal', () => {
  const found = remedies();
  expect(found.length).toBeGreaterThan(25);
  const left = found.flatMap((line) => inCommands(line).match(REMEDY) ?? []);
  expect(left.filter((route) => !NO_COMMAND.some((path) => route.includes(path)))).toEqual([]);
});

test.each([
  ['Disable the speaker first (PATCH {"enabled": false});', 'Disable the speaker first (--enabled no);'],
  ['Enable it (PATCH {"enabled": true}).', 'Enable it (--enabled yes).'],
  [
    'For a node that is gone: DELETE with ?abandon_node=true.',
    'For a node that is gone: delete it with --abandon-node.',
  ],
  [
    'no IPv6 next hop: set next_hop_ipv6 of the peer, or local_ipv6 of the speaker.',
    'no IPv6 next hop: give the peer one with --next-hop-ipv6, or the speaker an address of its own with --local-ipv6.',
  ],
])('what is done by a member of a body is done by an option: %s', (text, words) => {
  expect(inCommands(text)).toBe(words);
});

test('no text of the service asks for the body of a PATCH in the terminal', () => {
  const texts = ['control', 'speakers'].flatMap((room) =>
    readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => readFileSync(join(SRC, room, name), 'utf8').match(/PATCH \{"[^}]*\}/g) ?? []),
  );
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.map((text) => inCommands(text)).filter((text) => text.includes('PATCH'))).toEqual([]);
});

test('every command that stands for a route exists', () => {
  const reference = readFileSync(join(SRC, '../docs/reference/cli.md'), 'utf8');
  for (const command of NAMED_COMMANDS) {
    const words = command.split(' ').filter((word) => /^[a-z]/.test(word) && word !== 'latest');
    expect(reference).toContain(`\n## prefixcast ${words.join(' ')}\n`);
  }
});

test.each([
  [
    'No speaker has the id 7. List /v1/speakers.',
    'No speaker has the id 7. prefixcast speaker list shows them.',
  ],
  ['List /v1/revisions to see which exist.', 'prefixcast revision list shows which exist.'],
  ['POST /v1/modules/{module_id}/release accepts that.', 'prefixcast module release MODULE accepts that.'],
  ['Apply one with POST /v1/apply.', 'Apply one with prefixcast revision apply latest.'],
])('%s', (text, shown) => {
  expect(inCommands(text)).toBe(shown);
});

describe('a fault is shown at', () => {
  const fault = (pointer: string, detail = 'is required: a string') => ({
    detail: `${pointer}: ${detail}`,
    errors: [{ pointer, detail }],
  });
  test('the option of the noun', () => {
    expect(problemText(fault('/title'), NOUNS.community)).toBe('--title: is required: a string');
    expect(problemText(fault('/speaker_ids/0'), NOUNS.peer)).toBe('--speaker: is required: a string');
    expect(problemText(fault('/community'), NOUNS.community)).toBe('COMMUNITY: is required: a string');
  });
  test('its option alone, and not in a URL that somebody wrote', () => {
    const url = fault('/url', 'https://x.example/url.txt cannot be read');
    expect(problemText(url, NOUNS.feed)).toBe('--url: https://x.example/url.txt cannot be read');
  });
  test('an entry by its number', () => {
    expect(problemText(fault('/items/2/cidr', 'not a prefix'))).toBe('entry 3: not a prefix');
    expect(problemText(fault('/items/0/url', 'not a URL'))).toBe('--url of entry 1: not a URL');
  });
  test('the option of a question', () => {
    expect(problemText(fault('?prefix', 'no prefix'))).toBe('--prefix: no prefix');
  });
  test('the member of an option that takes an object', () => {
    const text = problemText(fault('/parameters/older_than_days', 'must be from 0'), NOUNS.policy);
    expect(text).toBe('older_than_days of --parameters: must be from 0');
  });
  test('the options that a sentence of the service explains by members', () => {
    const text = 'Name modules (module_ids) or networks (cidrs), and not all (of them).';
    expect(problemText({ detail: text, errors: [] }, NOUNS.rule)).toBe(
      'Name modules (--module) or networks (--cidr), and not all (of them).',
    );
  });
  test('each of several', () => {
    const errors = [
      { pointer: '/title', detail: 'is required' },
      { pointer: '/color', detail: 'is no colour' },
    ];
    expect(problemText({ detail: '/title is required.', errors }, NOUNS.community)).toBe(
      '--title is required.\n  --color is no colour',
    );
  });
});

test.each(Object.values(NOUNS).filter(({ isFound }) => isFound !== true))(
  'help of $words create marks what the service requires',
  ({ path, names, fields }) => {
    const route = ROUTES.find((one) => one.method === 'POST' && one.path === path)!;
    const { required = [] } = (route as { body?: { required?: string[] } }).body ?? {};
    const marked = Object.values(fields).filter(({ isRequired }) => isRequired === true);
    // What the command fills in by itself is not asked for.
    const filled = Object.values(fields).filter(({ about }) => about.endsWith(' where nothing is said'));
    const given = [names[0], ...filled.map(({ member }) => member)];
    expect(marked.map(({ member }) => member).sort()).toEqual(
      required.filter((member) => !given.includes(member)).sort(),
    );
  },
);
