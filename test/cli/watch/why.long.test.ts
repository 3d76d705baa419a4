/** What `why` calls the cause of a route is what the announced revision was built from, whatever lists say by now. */
import { beforeAll, expect, test } from 'vitest';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

beforeAll(async () => {
  const many = Array.from({ length: 120 }, (_, i) => `23.${i}.0.0/24`).join(' ');
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create scanners --type IP_RANGES --community Drop',
    `entry add scanners 18.2.0.0/16 ${many} --wait`,
  ])
    await mustType(line);
});

/** The list that has the route, as the announced revision was built from it, and why it is held. */
async function expectHeldCause(address: string, module: string, range: string, code: string): Promise<void> {
  const out = await mustType(`why ${address}`);
  expect(out).toContain(`Lists that have it:\n  ${module}: ${range}\n`);
  expect(out).toMatch(
    new RegExp(
      `Held since 2\\S+:\nThe module ${module} is held, its last accepted content stays:\n {2}${code}: `,
    ),
  );
  expect(out).not.toContain('deleted since');
}

test('an entry that was removed is the cause of a route that a hold keeps', async () => {
  await mustType('module create temp --type IP_RANGES --community Drop');
  await mustType('entry add temp 24.1.0.0/24 24.2.0.0/24 --wait');
  const { number } = await desk.casting.service.get<{ number: number }>('/v1/revisions/applied');
  await mustType('entry remove temp 24.1.0.0/24 --wait');
  expect(await type('why 24.1.0.1')).toMatchObject({ code: 1 });
  await type(`revision rollback ${number} --yes --wait`);
  await expectHeldCause('24.1.0.1', 'temp', '24.1.0.0/24', 'rolled_back');
  await mustType('module create six --type IP_RANGES --community Drop');
  const six = Array.from({ length: 120 }, (_, i) => `2a00:${i + 1}:1::/48`).join(' ');
  await mustType(`entry add six ${six} --wait`);
  expect(await type(`entry remove six ${six} --yes --wait`)).toMatchObject({ code: 5 });
  await expectHeldCause('2a00:1:1::1', 'six', '2a00:1:1::/48', 'large_withdrawal');
  await mustType('entry restore six --wait');
});

test('content that is held is not called the cause of a route', async () => {
  expect(await mustType('why 18.2.3.4')).toContain('Lists that have it:\n  scanners: 18.2.0.0/16\n');
  expect((await type('entry add scanners 18.0.0.0/7 --wait')).code).toBe(5);
  const out = await mustType('why 18.2.3.4');
  expect(out).toContain('18.2.3.4 is announced\n  18.2.0.0/16 by builtin');
  expect(out).toContain('Lists that have it:\n  scanners: 18.2.0.0/16\n\n');
  expect(out).toContain('Lists that have it now, which is not announced:\n  scanners: 18.0.0.0/7\n\n');
  expect(out).toMatch(
    /Held since 2\S+:\nThe module scanners is held, its last accepted content stays:\n {2}\w+: /,
  );
  expect(out).toMatch(
    /Release it: prefixcast module release scanners --override \w+ --snapshot \w+ --reason TEXT/,
  );

  const { code, out: not } = await type('why 19.1.2.3');
  expect(code).toBe(1);
  expect(not).toContain('prefixcast module release');
  expect(not).not.toMatch(/\/v1\//);
  await mustType('entry remove scanners 18.0.0.0/7 --wait');
});

test('a prefix is announced as a whole, in part, or not, with the reason of the first address that is not', async () => {
  const whole = await mustType('why 18.2.16.0/20');
  expect(whole).toContain('18.2.16.0/20 is announced\n  18.2.0.0/16 by builtin, with 64500:666 (Drop)\n');
  const many = await mustType('why 23.4.0.0/24 18.2.0.0/16');
  expect(many).toContain('23.4.0.0/24 is announced\n  23.4.0.0/24 by builtin');
  expect(many).toContain('18.2.0.0/16 is announced\n');
  await mustType('entry add scanners 23.6.1.0/24');
  await mustType('entry edit scanners 23.6.1.0/24 --enabled no --wait');
  const part = await type('why 23.6.0.0/23');
  expect(part.code, part.err).toBe(1);
  expect(part.out).toContain(
    '23.6.0.0/23 is announced in part, and not 23.6.1.0/24\n  23.6.0.0/24 by builtin, with 64500:666 (Drop)\n',
  );
  expect(part.out).toContain('Because, of 23.6.1.0:\n  entry disabled: The entry 23.6.1.0/24 ');
  const none = await type('why 23.6.1.0/24');
  expect(none).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^23\.6\.1\.0\/24 is not announced\n/) as string,
  });
  await mustType('entry remove scanners 23.6.1.0/24 --wait');
});

test('one wrong word among many leaves the others their answers, each with since when', async () => {
  const many = Array.from({ length: 25 }, (_, i) => `23.${i}.0.1`);
  const { code, out, err } = await type('why', many[0]!, 'no name!', ...many.slice(1), '1.2.3.0/33');
  expect(code, err).toBe(2);
  expect(out.match(/ is announced$/gm), out).toHaveLength(25);
  expect(out.match(/^ {4}since 2\S+, revision \d+$/gm), out).toHaveLength(25);
  expect(err).toMatch(/no name!: .+\n(?:.*\n)*?.*1\.2\.3\.0\/33 cannot be read: /);
  const data = await type('why', '23.1.0.1', 'no name!', '-o', 'json');
  expect(data).toMatchObject({ code: 2, err: expect.stringContaining('no name!: ') as string });
  expect(JSON.parse(data.out)).toMatchObject({ items: [{ query: '23.1.0.1' }] });
  // Nothing is left to answer.
  expect(await type('why', 'no name!', 'nor one?')).toMatchObject({ code: 2, out: '' });
});

test('a list that excludes an address has it in no other sense', async () => {
  await mustType('module create mine --type IP_RANGES --purpose exclude');
  await mustType('entry add mine 18.2.5.0/24 37.5.0.0/16 --wait');
  const both = await type('why 18.2.5.1');
  expect(both.code, both.err).toBe(1);
  expect(both.out).toContain(
    'Lists that have it:\n  scanners: 18.2.0.0/16\n\nLists that exclude it:\n  mine: 18.2.5.0/24\n',
  );
  const alone = await type('why 37.5.0.1');
  expect(alone.out).toMatch(/^37\.5\.0\.1 is not announced: no list has it\n/);
  expect(alone.out).toContain('\nLists that exclude it:\n  mine: 37.5.0.0/16\n');
  expect(alone.out).not.toContain('Lists that have it');
  await mustType('module delete mine --wait');
});

test('a prefix with more routes inside than an answer has is not announced by the first of them', async () => {
  const all = await type('why 0.0.0.0/0');
  expect(all.code).toBe(1);
  expect(all.out).toContain('0.0.0.0/0 is announced in part, and not 0.0.0.0\n');
  // The ranges of one list are many, and of the other nothing is listed on one side alone.
  expect(all.out).not.toContain('which is not announced');
  expect(all.out).toContain('Lists that have parts of it:\n');
  expect(all.out).toContain('  scanners: … and more inside\n');
  expect(all.out.split('\n').length).toBeLessThan(45);
  expect((await type('why 23.0.0.0/9')).out).toContain('23.0.0.0/9 is announced in part, and not 23.0.1.0\n');

  const dense = Array.from({ length: 240 }, (_, i) => `41.0.${i}.0/24`);
  await mustType('community create 64500:7 --title Odd');
  await mustType('module create dense --type IP_RANGES --community Drop');
  await mustType('entry', 'add', 'dense', ...dense.filter((_, i) => i % 2 === 0));
  await mustType(
    'entry',
    'add',
    'dense',
    ...dense.filter((_, i) => i % 2 === 1),
    '--community',
    'Odd',
    '--wait',
  );
  const first = await type('why 41.0.0.0/16');
  expect(first).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /^41\.0\.0\.0\/16 is announced as far as its first routes go, and has more\n/,
    ) as string,
  });
  await mustType('module delete dense --wait');
});

test('what no list has may be in a source that was never read, and an entry that left is named as such', async () => {
  await mustType('module create clouds --type CDN_SOURCES --community Drop');
  const url = `${desk.casting.sourceUrl}/absent.txt`;
  expect(await type(`entry add clouds absent --url ${url} --wait`)).toMatchObject({ code: 9 });
  const none = await type('why 44.2.3.4');
  expect(none.out).toMatch(
    /^44\.2\.3\.4 is not announced: no list has it\n\nNever read yet, and may have it:\n {2}clouds: absent: \S+/,
  );
  expect(await mustType('source stale')).toMatch(/^clouds +absent +failed /m);
  expect(await mustType('why 18.2.3.4')).not.toContain('Never read yet');
  await mustType('module delete clouds');

  await mustType('freeze');
  await mustType('entry remove scanners 23.9.0.0/24');
  await type('revision build --wait');
  expect(await mustType('why 23.9.0.1')).toContain('  scanners: 23.9.0.0/24 (no longer in the list)\n');
  await mustType('unfreeze');
  await mustType('entry restore scanners --wait');
});

test('a route whose entry has expired in a freeze names the list that had it, and the end of its time', async () => {
  await mustType('entry add scanners 24.9.0.0/24 --wait');
  await mustType('freeze');
  await mustType('entry edit scanners 24.9.0.0/24 --for 10s');
  await waitFor(
    async () =>
      (await mustType('entry list scanners --all -o name')).includes('24.9.0.0') ? undefined : true,
    { what: 'the end of the entry' },
  );
  expect(await mustType('why 24.9.0.1')).toMatch(
    /^Lists that have it:\n {2}scanners: 24\.9\.0\.0\/24 \(its time was over at 20\d\d-\S+Z\)$/m,
  );
  expect(await mustType('history 24.9.0.0/24')).toMatch(/^\d+ .*scanners: 24\.9\.0\.0\/24/m);
  await mustType('unfreeze --wait');
});

test('a module that is disabled and held for that is named as such', async () => {
  expect(await type('module edit scanners --enabled no --yes')).toMatchObject({ code: 5 });
  expect(await type('revision build --wait')).toMatchObject({ code: 5 });
  const out = await mustType('why 18.2.3.4');
  expect(out).toContain('18.2.3.4 is announced\n');
  expect(out).toContain('  scanners: 18.2.0.0/16 (the module is disabled now)\n');
  expect(out).toContain('large_withdrawal');
});

test('peers that have no session are named with the reason', async () => {
  await mustType('module edit scanners --enabled yes --wait');
  expect(await mustType('why 18.2.3.4')).not.toContain('Sessions');
  const address = loopbackAddress();
  await mustType(`peer create edge9 --address ${address} --port ${await freePort(address)} --asn 64496`);
  await waitFor(async () => /edge9 .* refused/.test(await mustType('session list')), {
    what: 'a session that fails',
  });
  expect(await mustType('why 18.2.3.4')).toMatch(
    /^Sessions that are down; these peers may lack it:\n {2}edge9 at builtin, \w+: .*connection refused/m,
  );
  // Of what nobody announces, sessions are not the reason.
  expect((await type('why 44.2.3.4')).out).not.toContain('Sessions');
  await mustType('peer delete edge9');
});

test('what the service refuses is said in words of the command line', async () => {
  expect(await type('community create 99999:1')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--title/) as string,
  });
  for (const asked of ['300.1.1.1', '18.2.3.4 300.1.1.1'])
    expect(await type(`why ${asked}`)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/300\.1\.1\.1: /) as string,
    });
  const { err } = await type('entry add scanners 8.8.8.0/24 8.8.8.0/33');
  expect(err).toContain('entry 2');
  expect(err).not.toContain('/items/');
  await mustType('peer create edge1 --address 192.0.2.1 --asn 64496 --community Drop --enabled no');
  expect(await mustType('peer get edge1')).toMatch(/^communities +64500:666$/m);
});
