/** Where words lead: whoever reads them at night is to type the right thing next, and to call the right person. */
import { beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType } = desk;

const lines = (count: number, second: number): string =>
  Array.from({ length: count }, (_, i) => `45.${second}.${i}.0/24\n`).join('');

beforeAll(async () => {
  const { sources } = desk.casting;
  sources.set('/alpha', (_request, response) => response.end(lines(120, 1)));
  sources.set('/beta', (_request, response) => response.end(lines(120, 2)));
  await mustType('community create 64500:666 --title Drop');
  await mustType('module create clouds --type CDN_SOURCES --community Drop');
  for (const name of ['alpha', 'beta'])
    await mustType(`entry add clouds ${name} --url ${desk.casting.sourceUrl}/${name}`);
  await mustType('module refresh clouds --wait');
  await mustType('module create hosts --type IP_RANGES --community Drop');
  await mustType('entry add hosts 6.0.0.1/32 --wait');
});

describe('a list that is held', () => {
  beforeAll(async () => {
    desk.casting.sources.set('/beta', (_request, response) => response.end(lines(3, 2)));
    expect((await type('module refresh clouds --wait')).code).toBe(5);
  });

  test('names the source that broke it, wherever it is shown', async () => {
    const held = await mustType('module held clouds');
    expect(held).toMatch(/max_change_exceeded: Module clouds: .* Look at the CDN source beta\.$/m);
    expect(held).not.toContain('CDN source alpha');
    expect(await mustType('why 45.2.7.1')).toContain('Look at the CDN source beta.');
    const { held: data } = JSON.parse(await mustType('module get clouds -o json')) as {
      held: { findings: { entry_id: string; detail: string }[] };
    };
    expect(data.findings[0]).toMatchObject({ detail: expect.stringContaining('beta') as string });
  });

  test('is one line in the dry run of something else, which does not hold it', async () => {
    const dry = await mustType('entry add hosts 6.0.0.3/32 --dry-run');
    expect(dry).toContain('The module clouds is held already, and stays so: prefixcast module held clouds\n');
    expect(dry).not.toContain('Modules that are held then');
    expect(dry).not.toContain('max_change_exceeded');
    const own = await mustType('entry add hosts 20.0.0.0/6 --dry-run');
    expect(own).toMatch(/Modules that are held then:\n {2}\w+: Module hosts: /);
    expect(own).toContain('Look at the range 20.0.0.0/6.');
  });
});

test('a withdrawal that is held leads to the rollback that is not', async () => {
  const many = Array.from({ length: 150 }, (_, i) => `7.${i}.0.0/24`).join(' ');
  const { number } = await desk.casting.service.get<{ number: number }>('/v1/revisions/applied');
  await mustType('module create bulk --type IP_RANGES --community Drop');
  await mustType('module create other --type IP_RANGES --community Drop');
  await mustType('settings set guard_max_withdraw_percent 10');
  await mustType(`entry add bulk ${many} --wait`);
  for (const wait of [' --wait', '']) {
    const { code, err } = await type(`entry remove bulk ${many} --yes${wait}`);
    expect(code, err).toBe(5);
    expect(err).toContain('large_withdrawal');
    expect(err).toMatch(
      /To withdraw at once what was added by mistake: prefixcast revision list shows what ran before, and prefixcast revision rollback REVISION/,
    );
    if (wait === '') await type('revision build --wait');
    // Whoever comes later, from a line of the status, has not read what the removal said.
    const held = await mustType('module held bulk');
    const [, restore] =
      /^To put back what was removed last \(150 entries by key:bootstrap at 2\S+Z\): prefixcast (entry restore bulk \S+)$/m.exec(
        held,
      ) ?? [];
    expect(restore, held).toBeDefined();
    await mustType(`${restore!} --wait`);
    expect(await mustType('module held bulk')).toBe('The module bulk is not held\n');
  }
  await type(`entry remove bulk ${many} --yes`);
  await mustType(`revision rollback ${number} --wait`);
  expect((await type('why 7.9.0.1')).code).toBe(1);
  await mustType('settings unset guard_max_withdraw_percent');
});

test('why of what has expired says until when it was announced, and of which list', async () => {
  await mustType('settings set auto_revision true');
  await mustType('entry add hosts 5.188.206.0/24 --for 2s --wait');
  await waitFor(async () => (await type('why 5.188.206.1')).code === 1, { what: 'the end of the entry' });
  const { out } = await type('why 5.188.206.1');
  expect(out).toMatch(/^5\.188\.206\.1 is not announced: no list has it\n\nAnnounced before:\n/);
  expect(out).toMatch(
    /^ {2}5\.188\.206\.0\/24 until 20\S+Z, revision \d+ \(-hosts: 5\.188\.206\.0\/24, whose time was over\)$/m,
  );
  const [, history, audit] = /All of it: (prefixcast \S+ \S+); who did it: (prefixcast .+)$/m.exec(out)!;
  expect(await mustType(history!.replace('prefixcast ', ''))).toContain('withdrawn');
  expect(await mustType(audit!.replace('prefixcast ', ''))).toContain('expire');
  expect((await type('why 203.0.114.1')).out).not.toContain('Announced before');
});

test('an entry that moves into another list changes no route, and yet feeds of lists and why follow it', async () => {
  await mustType('module create first --type IP_RANGES --community Drop');
  await mustType('module create second --type IP_RANGES --community Drop');
  await mustType('entry add first 9.9.9.0/24 46.10.0.0/24 --wait');
  for (const name of ['first', 'second'])
    await mustType(`feed create ${name} --module ${name} --format text`);
  await mustType('entry add second 9.9.9.0/24 --wait');
  await mustType('entry remove first 9.9.9.0/24 --wait');
  expect(await mustType('feed preview first')).not.toContain('9.9.9.0/24');
  expect(await mustType('feed preview second')).toContain('9.9.9.0/24');
  expect(await mustType('why 9.9.9.9')).toMatch(/Lists that have it:\n {2}second: 9\.9\.9\.0\/24\n$/);
  // What changes nothing of it is no revision.
  const newest = async (): Promise<string> => mustType('revision list --limit 1 -o name');
  const before = await newest();
  await mustType('entry edit second 9.9.9.0/24 --note seen');
  // Ends with what else is held.
  expect((await type('revision build --wait')).out).toContain('revision_build done');
  expect(await newest()).toBe(before);
});

test('why of a name that a list has says what became of it', async () => {
  await mustType('doh create dead --url https://127.0.0.1:1/dns-query');
  await mustType('module create names --type DOMAINS --community Drop --doh dead');
  await type('entry add names www.example.net --wait');
  const { code, out } = await type('why www.example.net');
  expect(code, out).toBe(1);
  expect(out).toMatch(
    /Lists that have it:\n {2}names: www\.example\.net\n\nBecause:\n {2}names: www\.example\.net has no address that could be used: \S.*127\.0\.0\.1/,
  );
  await mustType('module delete names --yes');
});

test('what cannot be read is refused with the word of the command', async () => {
  expect(await type('history 192.0.2.0/33')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/192\.0\.2\.0\/33 cannot be read: /) as string,
  });
  expect(await type('events --since nonsense')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--since nonsense cannot be read: write the id of an event') as string,
  });
  const enroll = await type('node enroll builtin');
  expect(enroll.err).toContain('with --mode agent');
  expect(enroll.err).not.toContain('{"mode"');
});

test('a setting that holds nothing reads as nothing', async () => {
  await mustType('settings set deploy_canary_speaker_ids builtin');
  expect(await mustType('settings unset deploy_canary_speaker_ids')).toBe(
    'deploy_canary_speaker_ids is empty\n',
  );
  const shown = await mustType('settings list');
  expect(shown).toMatch(/^deploy_canary_speaker_ids +- +-$/m);
  expect(shown).toMatch(/^bgp_source_ipv4 +- +-$/m);
  expect(shown).not.toMatch(/ (null|\[\])( |$)/m);
  expect(await mustType('settings get bgp_source_ipv4 -o csv')).toMatch(/^bgp_source_ipv4,null,null,/m);
});

test('a peer is shown in the words of its options, and its sessions as text', async () => {
  await mustType('peer create far --address 127.0.0.9 --asn AS65010 --hold-time 1m --max-prefixes 1000');
  await waitFor(async () => /sessions +speaker builtin/.test(await mustType('peer get far')), {
    what: 'the session of the peer',
  });
  const shown = await mustType('peer get far');
  for (const row of [
    /^asn +65010$/m,
    /^hold-time +60$/m,
    /^max-prefixes +1000$/m,
    /^speakers +all$/m,
    /^communities +all$/m,
  ])
    expect(shown).toMatch(row);
  expect(shown).toMatch(/^sessions +speaker builtin, since 20\S+, state \w+, /m);
  expect(shown).not.toMatch(/[{}[\]]|remote_asn|max_prefixes_out/);
  expect(await mustType('peer edit far --max-prefixes 5 --dry-run')).toMatch(
    /^far at builtin: no session now \(\w+\), (\d+) then, but it keeps what it has: \1 routes are more than its limit, 5$/m,
  );
  expect(await mustType('peer edit far --max-prefixes 900 --dry-run')).not.toContain('far at builtin');
  await mustType('peer delete far');
});

test('options of all commands stand before the command as well', async () => {
  expect(await mustType('-o json module get hosts')).toBe(await mustType('module get hosts -o json'));
  expect(await type('--context nowhere status')).toMatchObject({
    code: 78,
    err: expect.stringContaining('has no context nowhere') as string,
  });
});

test('a key that opens nothing is named by where it comes from', async () => {
  const typed = typist({
    PREFIXCAST_URL: desk.casting.service.url,
    PREFIXCAST_KEY: 'pc_s_0000000000000000000000000000000000000000000_3bCvWL',
  });
  const { code, err } = await typed('status');
  expect(code).toBe(4);
  expect(err).toContain('It is that of PREFIXCAST_URL, PREFIXCAST_KEY.');
});
