/** Lists that change while routers keep what they have: whoever asks why learns of the freeze, without knowing of it before. */
import { beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType } = desk;
const FROZEN =
  /^Applies are frozen since 2\S+, by key:\S+: routers keep what they have\..* prefixcast unfreeze$/m;

beforeAll(async () => {
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create scanners --type IP_RANGES --community Drop',
    'entry add scanners 9.9.9.0/24 --wait',
  ])
    await mustType(line);
});

test('a freeze is named where lists and routes are looked at, and not after it', async () => {
  await mustType('freeze');
  await mustType('entry add scanners 8.8.8.0/24 --wait=built');
  expect((await type('why 8.8.8.8')).out).toMatch(FROZEN);
  expect((await type('why 9.9.9.9')).out).toMatch(FROZEN);
  const listed = await type('module list');
  expect(listed.err).toMatch(FROZEN);
  expect(listed.out).not.toMatch(/frozen/);
  expect(await type('module list -o json')).toMatchObject({ code: 0, err: '' });
  // Another setting that changes later is not what began it.
  await mustType('settings set guard_max_withdraw_percent 90');
  const since = FROZEN.exec(listed.err)![0];
  expect((await type('module list')).err).toContain(since);
  await mustType('unfreeze');
  expect((await type('why 9.9.9.9')).out).not.toMatch(/frozen/);
  expect((await type('module list')).err).toBe('');
});

test('a freeze says why, and its end waits for what it stopped', async () => {
  expect(await mustType('unfreeze --dry-run')).toBe('applies are not frozen: there is nothing to end\n');
  expect(await mustType('unfreeze')).toBe('applies were not frozen\n');
  expect(await mustType('freeze', '--reason', 'routers are moved')).toBe(
    'applies are frozen: routers are moved\n',
  );
  await mustType('entry add scanners 8.8.4.0/24 --wait=built');
  const why = (await type('why 8.8.4.1')).out;
  expect(why).toMatch(/^Applies are frozen since 2\S+, by key:\S+ \(routers are moved\): routers keep/m);
  expect((await type('status')).out).toContain('routers are moved');
  const ended = await type('unfreeze --wait');
  expect(ended.code, ended.err).toBe(0);
  expect(ended.out).toMatch(/^applies go on\nrevision \d+ is being applied\n$/);
  expect(ended.err).toContain('apply succeeded');
  expect((await type('why 8.8.4.1')).out).toContain('8.8.4.1 is announced');
  // The next one has a reason of its own.
  await mustType('freeze');
  expect((await type('module list')).err).toMatch(FROZEN);
  expect((await type('module list')).err).not.toContain('moved');
  await mustType('unfreeze --wait');
});

test('whoever looks at a freeze, or freezes once more, reads who did so first, and which reason goes', async () => {
  await mustType('freeze', '--reason', 'core works until 22');
  const already = String.raw`They were frozen already since 2\S+Z, by key:\S+ \(core works until 22\)`;
  expect(await mustType('freeze')).toMatch(
    new RegExp(String.raw`^applies are frozen\n${already}; one unfreeze ends both\n$`),
  );
  // However many settings have been changed since.
  for (let i = 0; i < 201; i++) await desk.casting.service.call('PATCH', '/v1/settings', { count: i });
  await desk.casting.service.call('PATCH', '/v1/settings', { count: null });
  expect((await type('status')).out).toMatch(
    /^ {2}frozen {2}applies: since 2\S+Z, by key:\S+: core works until 22$/m,
  );
  expect(await mustType('freeze', '--reason', 'another')).toMatch(
    new RegExp(
      String.raw`^applies are frozen: another\n${already}: the new reason takes the place of that one; one unfreeze ends both\n$`,
    ),
  );
  await mustType('unfreeze');
  expect(await mustType('freeze')).toBe('applies are frozen\n');
  await mustType('unfreeze');
});

test('whoever ends the freeze of a colleague reads whose it is and why, and is asked on a terminal', async () => {
  const key = (await mustType('key create maria --role operator')).trim();
  const { url } = desk.casting.service;
  const maria = typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: key });
  const hers = /Applies are frozen since 2\S+Z, by key:maria: maria moves racks/;
  await maria('freeze', '--reason', 'maria moves racks');
  expect((await type('unfreeze --dry-run')).err).toMatch(hers);
  const refused = await desk.typeAtTerminal('n', 'unfreeze');
  expect(refused.code).toBe(1);
  expect(refused.text).toMatch(hers);
  expect(refused.text).toContain('End it? (y/N)');
  expect((await type('status')).out).toContain('maria moves racks');
  const ended = await type('unfreeze');
  expect(ended).toMatchObject({ code: 0, err: expect.stringMatching(hers) as string });
  // Her own is nothing that she does not know of.
  await maria('freeze', '--reason', 'maria moves racks');
  expect(await maria('unfreeze')).toMatchObject({ code: 0, err: '' });
});

test('in a freeze, a route says since when it is announced, and that the next revision withdraws it', async () => {
  await mustType('entry add scanners 7.9.0.0/24 7.9.2.0/24 --wait');
  const before = (await mustType('why 7.9.0.1')).split('\n').find((line) => line.startsWith('    since '));
  expect(before).toMatch(/^ {4}since 2\S+Z, revision \d+$/);
  await mustType('freeze');
  await mustType('entry remove scanners 7.9.0.0/24 --wait=built');
  const number = (await mustType('revision list --limit 1 -o name')).trim();
  expect(await mustType('why 7.9.0.1')).toContain(
    `${before!}\n    revision ${number} withdraws it, and is not applied yet\n`,
  );
  expect(await mustType('why 7.9.2.1')).not.toContain('not applied yet');
  await mustType('unfreeze --wait');
  await mustType('entry remove scanners 7.9.2.0/24 --wait');
});

test('in a freeze, a route that a wider one of the same community takes in is not called withdrawn', async () => {
  await mustType('entry add scanners 7.11.0.4/32 --wait');
  await mustType('freeze');
  await mustType('entry add scanners 7.11.0.5/32 --wait=built');
  const number = (await mustType('revision list --limit 1 -o name')).trim();
  const said = await mustType('why 7.11.0.4');
  expect(said).toContain(`revision ${number} has 7.11.0.4/31 in its place, and is not applied yet\n`);
  expect(said).not.toContain('withdraws');
  await mustType('unfreeze --wait');
  await mustType('entry remove scanners 7.11.0.4/32 7.11.0.5/32 --wait');
});

test('an entry that is not there, and what contains it', async () => {
  for (const inside of ['9.9.9.0', '9.9.9.7', '9.9.9.0/25'])
    expect(await type(`entry remove scanners ${inside}`)).toMatchObject({
      ...{ code: 7, err: expect.stringContaining(`no entry ${inside}; it is inside 9.9.9.0/24`) as string },
    });
  expect((await type('entry remove scanners 7.7.7.7')).err).not.toContain('inside');
});

test('the hint after a removal means this removal, whoever removes something after it', async () => {
  await mustType('entry add scanners 7.7.7.0/24 6.6.6.0/24');
  const { err } = await type('entry remove scanners 7.7.7.0/24');
  await mustType('entry remove scanners 6.6.6.0/24');
  const hint = /^Take it back: prefixcast (entry restore scanners \S+)$/m.exec(err);
  expect(hint, err).not.toBeNull();
  await mustType(hint![1]!);
  const names = await mustType('entry list scanners -o name');
  expect(names).toContain('7.7.7.0/24');
  expect(names).not.toContain('6.6.6.0/24');
});

test('the end of a freeze leads to no revision that is out of date', async () => {
  await mustType('settings set auto_revision true');
  await mustType('entry add scanners 6.7.8.0/24 --wait');
  await mustType('freeze');
  expect((await type('entry add scanners 6.9.9.7/32 --for 15s --wait')).code).toBe(5);
  const stopped = (await mustType('revision list --limit 1 -o name')).trim();
  await waitFor(async () => (await mustType('revision list --limit 1 -o name')).trim() !== stopped, {
    what: 'the revision without the entry',
  });
  expect(await mustType('unfreeze --wait')).toBe('applies go on\n');
  expect((await type('why 6.9.9.7')).code).toBe(1);
  await mustType('settings set auto_revision false');
});

test('--wait of what a freeze stops, and of what auto_apply leaves to somebody, does not look as if routers had it', async () => {
  const numberOf = async (revision: string): Promise<number> =>
    (JSON.parse(await mustType(`revision show ${revision} -o json`)) as { number: number }).number;
  const before = await numberOf('applied');
  await mustType('entry add scanners 5.5.5.0/24 --wait');
  await mustType('freeze');
  const stopped = await type(`revision rollback ${before} --yes --wait`);
  expect(stopped.code, stopped.err).toBe(5);
  expect(stopped.err).toContain('so nothing is applied. prefixcast unfreeze ends that');
  expect(stopped.err).not.toContain('Set it to false');
  await mustType('unfreeze');
  await mustType('settings set auto_apply false');
  const left = async (line: string): Promise<void> => {
    const { code, err } = await type(line);
    const number = await numberOf('latest');
    expect({ code, err }, line).toMatchObject({
      code: 5,
      err: expect.stringContaining(
        `Revision ${number} is built, and nothing announces it by itself, since auto_apply is off. Announce it: prefixcast revision apply ${number} --wait`,
      ) as string,
    });
  };
  await left('entry add scanners 4.4.3.0/24 --wait');
  await left(`revision rollback ${before} --yes --wait`);
  await mustType(`revision rollback ${before} --yes --wait=built`);
  await left('entry add scanners 4.4.4.0/24 --wait');
  await left('revision build --wait');
  await mustType('revision apply latest --wait');
  // Speakers have it: there is nothing to wait for.
  await mustType('revision build --wait');
  await mustType('settings set auto_apply true');
});
