/** What a day at the command line has to show of a router that comes and goes, of a blackhole that is over, and of a tenant that may do nothing yet. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { testProgram } from '../../program.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

test.skipIf(requireDaemon('bird') === null)(
  'a session that is ended is shown in a pipe, with why',
  async () => {
    const bird = await desk.casting.addBird();
    await mustType('module create nets --type IP_RANGES');
    await mustType('entry add nets 45.80.0.0/22 --wait');
    await bird.waitRoutes(1);
    const { url: PREFIXCAST_URL, key: PREFIXCAST_KEY } = desk.casting.service;
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', PREFIXCAST_URL, PREFIXCAST_KEY };
    const child = spawn(process.execPath, [testProgram(), 'session', 'watch'], { env });
    const lines: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (part: string) => lines.push(...part.trim().split('\n')));
    const shows = (what: RegExp) =>
      waitFor(() => lines.some((line) => what.test(line)), {
        what: String(what),
        details: () => lines.join('\n'),
      });
    try {
      await shows(/^bird1 {2}builtin {2}established {2}1 /);
      await mustType('peer edit bird1 --enabled no --yes --wait');
      await shows(/^bird1 {2}builtin {2}ended {2}- .* {2}the peer is disabled$/);
      await mustType('peer edit bird1 --enabled yes --wait');
      await mustType('peer delete bird1 --yes --wait');
      await shows(/^bird1 {2}builtin {2}ended {2}- .* {2}the peer is deleted$/);
      expect(lines.filter((line) => line.includes(' ended '))).toHaveLength(2);
    } finally {
      child.kill();
    }
  },
);

test('why names a blackhole that is over, inside of a network that is announced', async () => {
  await mustType('community create 64500:666 --title Drop');
  await mustType('module create attacked --type IP_RANGES --community Drop');
  await mustType('entry add attacked 45.80.0.30/32 --wait');
  expect(await mustType('why 45.80.0.30')).not.toContain('Announced before');
  await mustType('entry remove attacked 45.80.0.30/32 --wait');
  const out = await mustType('why 45.80.0.30/32');
  expect(out).toMatch(
    /Announced before by a route of its own:\n {2}45\.80\.0\.30\/32 until 2\S+, revision \d+ \(-attacked: 45\.80\.0\.30\/32\)\n {2}All of it: prefixcast history 45\.80\.0\.30;/,
  );
  // Its neighbours had none.
  expect(await mustType('why 45.80.0.31')).not.toContain('Announced before');
});

test('a tenant that may do nothing yet does not look like one that may do all', async () => {
  const made = await type('tenant create acme --name Acme');
  expect(made.err).toContain(
    'Nothing is allowed to it yet: prefixcast tenant edit acme --policy JSON, such as ',
  );
  expect(await mustType('tenant get acme')).toMatch(
    /^policy +allowed prefixes none, may loosen guards no, allowed local asns none, /m,
  );
  await mustType('tenant edit acme --policy {"allowed_prefixes":null,"allowed_local_asns":[64500]}');
  expect(await mustType('tenant get acme')).toMatch(
    /^policy +allowed prefixes any, may loosen guards no, allowed local asns 64500, allowed communities none, /m,
  );
  const open = await type('tenant create beta --policy {"allowed_prefixes":["47.0.0.0/16"]}');
  expect(open.err).not.toContain('Nothing is allowed');
});

test('a prune says how much it has removed', async () => {
  expect(await mustType('revision prune --wait')).toBe('revision_prune done: 0 revisions removed\n');
});

test('a list is searched, and a wrong line of a file says what is wrong with it', async () => {
  await mustType('entry add nets 45.90.0.0/24 46.0.0.0/24');
  expect(await mustType('entry list nets --find 45. -o name')).toBe('45.80.0.0/22\n45.90.0.0/24\n');
  const two = await type('entry', 'add', 'nets', '47.0.0.0/24 48.0.0.0/24');
  expect(two).toMatchObject({ code: 2 });
  expect(two.err).toContain('is more than one word: write one prefix, and others on lines of their own');
});

test('a setting is given back by none, as the refusal of a wrong value advises', async () => {
  await mustType('settings set guard_max_prefixes 100');
  const wrong = await type('settings set guard_max_prefixes many');
  expect(wrong.err).toBe(
    'prefixcast: guard_max_prefixes must be a whole number from 1 to 10000000, or none; it is "many".\n',
  );
  expect(await mustType('settings set guard_max_prefixes none')).toBe('guard_max_prefixes is 1000000\n');
});
