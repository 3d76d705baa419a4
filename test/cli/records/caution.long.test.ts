/** What withdraws routes is asked about at a terminal, and can be looked at before. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { useDesk } from '../desk/desk.ts';

const LOSS = 'This withdraws 3 routes at 1 peer: bird1';

describe.skipIf(requireDaemon('bird') === null)('a list that a router has', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'prefixcast-caution-'));
    const bird = await desk.casting.addBird();
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.1/32 6.0.0.3/32 6.0.0.5/32 --wait');
    await bird.waitRoutes(3);
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  test('a dry run says what a write would do, and does nothing', async () => {
    const out = await mustType('module delete hosts --dry-run');
    expect(out).toContain('Routes: 0 announced, 3 withdrawn, 0 changed');
    expect(out).toContain('bird1 at builtin: 3 routes now, 0 then');
    expect(await mustType('speaker edit builtin --enabled no --dry-run')).toContain('3 routes now, 0 then');
    expect(await mustType('module list -o name')).toBe('hosts\n');
  });

  test('entries are looked at before they are added, edited, removed and imported', async () => {
    const added = await mustType('entry add hosts 6.0.0.9/32 --dry-run');
    expect(added).toBe(
      'Routes: 1 announced, 0 withdrawn, 0 changed\nbird1 at builtin: 3 routes now, 4 then\nNothing has changed: dry run\n',
    );
    const off = 'entry edit hosts 6.0.0.1 --enabled no';
    expect(await mustType(`${off} --dry-run`)).toContain('bird1 at builtin: 3 routes now, 2 then');
    const removed = await mustType('entry remove hosts 6.0.0.1/32 6.0.0.3/32 --dry-run');
    expect(removed).toContain('Routes: 0 announced, 2 withdrawn, 0 changed');
    const file = join(directory, 'one.txt');
    await writeFile(file, '6.0.0.1/32\n6.0.0.9/32\n');
    const imported = await mustType(`entry import hosts ${file} --replace --dry-run`);
    expect(imported).toMatch(
      /^1 created, 0 updated, 1 unchanged, 2 deleted \(dry run: nothing has changed\)\n/,
    );
    expect(imported).toContain('Routes: 1 announced, 2 withdrawn, 0 changed');
    expect(await mustType('entry list hosts -o name')).toBe('6.0.0.1/32\n6.0.0.3/32\n6.0.0.5/32\n');

    const { code, text } = await typeAtTerminal('n', off);
    expect(text).toContain('This withdraws 1 route at 1 peer: bird1');
    expect(code).toBe(1);
    expect(await typeAtTerminal('n', 'entry', 'remove', 'hosts', '6.0.0.1/32')).toMatchObject({ code: 1 });
    await mustType('entry edit hosts 6.0.0.1 --note ours --expires 2099-01-31T12:00:00Z');
    expect(await mustType('entry list hosts -o json')).toContain('"note": "ours"');
    await mustType(`${off} --note none --expires none --wait`);
    expect(await type('why', '6.0.0.1', '6.0.0.3')).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^6\.0\.0\.1 is not announced\n[^]*\n6\.0\.0\.3 is announced\n.*\n {4}since \d{4}-\S+Z, revision \d+\n/,
      ) as string,
    });
    await mustType('entry edit hosts 6.0.0.1 --enabled yes --wait');
    const missing = await type('entry', 'remove', 'hosts', '6.0.0.1/32', '6.6.6.6');
    expect(missing).toMatchObject({ code: 7 });
    expect((await mustType('entry list hosts -o name')).trim().split('\n')).toHaveLength(3);
    expect(await type('entry', 'edit', 'hosts', '6.0.0.1')).toMatchObject({ code: 2 });
  });

  test('other communities of a whole list are asked about', async () => {
    await mustType('community create 64500:7 --title Seen');
    const { code, text } = await typeAtTerminal('n', 'module edit hosts --community Seen');
    expect(text).toContain('This gives 3 routes other communities');
    expect(code).toBe(1);
    expect(await mustType('module get hosts')).toContain('64500:666');
    await mustType('community delete 64500:7');
  });

  test('another next hop is asked about, which no revision has', async () => {
    const { code, text } = await typeAtTerminal('n', 'community edit 64500:666 --next-hop-ipv4 192.0.2.9');
    expect(text).toContain('This gives 3 routes another next hop or other communities at 1 peer: bird1');
    expect(code).toBe(1);
    expect(await mustType('community get 64500:666')).not.toContain('192.0.2.9');
  });

  test('a script that turns something off reads which routes go', async () => {
    for (const [off, on] of [
      ['peer edit bird1 --enabled no', 'peer edit bird1 --enabled yes'],
      ['speaker edit builtin --enabled no', 'speaker edit builtin --enabled yes'],
    ] as const) {
      const { code, err } = await type(off);
      expect({ code, err }, off).toEqual({ code: 0, err: 'This withdraws 3 routes at 1 peer: bird1\n' });
      await mustType(`${on} --wait`);
    }
  });

  test('what sets own is no setting for people', async () => {
    const set = join(directory, 'set.yaml');
    await writeFile(set, 'kind: set\nname: edge\n---\nkind: community\ncommunity: 64500:80\ntitle: Web\n');
    await mustType(`apply -f ${set}`);
    expect(await mustType('settings list')).not.toContain('prefixcast.set');
    expect(await mustType('settings list -o name')).toContain('auto_apply\n');
    await mustType('community delete 64500:80');
  });

  test.each([
    ['module', 'delete', 'hosts'],
    ['module', 'edit', 'hosts', '--enabled', 'no'],
    ['speaker', 'delete', 'builtin'],
    ['speaker', 'edit', 'builtin', '--enabled', 'no'],
  ])('%s %s is not done before a yes', async (...words) => {
    const { code, text } = await typeAtTerminal('n', ...words);
    expect(text).toContain(LOSS);
    expect(code).toBe(1);
    expect(await mustType('module get hosts -o json')).toContain('"enabled": true');
    expect(await mustType('speaker get builtin -o json')).toContain('"enabled": true');
  });

  test('the end of a freeze says what is applied, and before that what would be', async () => {
    await mustType('freeze');
    expect(await type('entry add hosts 6.0.0.7/32')).toMatchObject({
      ...{ code: 0, out: '6.0.0.7/32 added\n' },
      err: 'Applies are frozen: no router follows this until prefixcast unfreeze\n',
    });
    // Hosts apply revisions, whatever routers wait for.
    const { token } = JSON.parse(await mustType('firewall client token -o json')) as { token: string };
    const enrolled = await fetch(`${desk.casting.service.url}/v1/firewall/clients/enroll`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ hostname: 'web', version: '1.0.0' }),
    });
    expect(enrolled.status).toBe(201);
    expect(await type('entry add hosts 6.0.0.8/32')).toMatchObject({
      err: 'Applies are frozen: no router follows this until prefixcast unfreeze; firewall hosts follow lists all the same\n',
    });
    expect(await mustType('freeze')).toMatch(
      /^applies are frozen; firewall hosts follow lists all the same\n/,
    );
    expect((await type('why 6.0.0.8')).out).toContain('routers keep what they have; firewall hosts follow');
    await mustType('firewall client delete web --yes');
    await mustType('entry remove hosts 6.0.0.8/32');
    await type('revision', 'build', '--wait'); // whose apply the freeze stops
    const would = await mustType('unfreeze --dry-run');
    expect(would).toContain('At builtin: 1 announced, 0 withdrawn, 0 changed');
    expect(would).toContain('bird1 at builtin: 3 routes now, 4 then');
    await mustType('settings set auto_apply false');
    expect(await mustType('unfreeze')).toMatch(
      /^applies go on\nrevision (\d+) waits: prefixcast revision apply \1\n$/,
    );
    await mustType('settings set auto_apply true');
    expect(await mustType('unfreeze')).toMatch(
      /^applies go on\nrevision \d+ is being applied: prefixcast job watch /,
    );
    await mustType('entry remove hosts 6.0.0.7/32 --wait');
  });

  test('an older revision is not announced before a yes, and can be looked at', async () => {
    const { out } = await type('revision list -o name');
    const older = out.split('\n')[0]!;
    await mustType('entry add hosts 6.0.0.11/32 --wait');
    for (const verb of ['rollback', 'apply']) {
      const loses = `bird1 at builtin: 4 routes now, 3 then`;
      expect(await mustType(`revision ${verb} ${older} --dry-run`)).toContain(loses);
      const { code, text } = await typeAtTerminal('n', `revision ${verb} ${older}`);
      expect(text).toContain('This withdraws 1 route at 1 peer: bird1');
      expect(code).toBe(1);
    }
    expect(await mustType('session list')).toMatch(/bird1 .* established .* 4 /);
    await mustType(`revision rollback ${older} --yes --wait`);
    await mustType('entry remove hosts 6.0.0.11/32');
    await mustType('module refresh hosts --wait');
  });

  test('as many routes as go may come: it is asked all the same', async () => {
    await mustType('module create halves --type IP_RANGES --community Drop');
    await mustType('module create others --type IP_RANGES --community Drop');
    await mustType('entry add halves 7.0.0.0/25 --wait');
    await mustType('entry add others 7.0.0.128/25 --wait');
    const { code, text } = await typeAtTerminal('n', 'module', 'edit', 'others', '--enabled', 'no');
    expect(text).toContain('This withdraws 1 route, and announces 1 other at 1 speaker: builtin');
    expect(code).toBe(1);
    await mustType('module delete others');
    await mustType('module delete halves');
    await mustType('revision build --wait');
  });

  test('an import that deletes most entries says so, and asks', async () => {
    const file = join(directory, 'two.txt');
    await writeFile(file, '6.0.0.1/32\n');
    const no = await typeAtTerminal('n', 'entry', 'import', 'hosts', file, '--replace');
    expect(no.text).toContain('--replace deletes 2 of the 3 entries of hosts');
    expect(no.code).toBe(1);
    expect((await mustType('entry list hosts -o name')).trim().split('\n')).toHaveLength(3);
    const yes = await typeAtTerminal('y', 'entry', 'import', 'hosts', file, '--replace');
    expect(yes.code, yes.text).toBe(0);
    expect(await mustType('entry list hosts -o name')).toBe('6.0.0.1/32\n');
  });

  test('--yes asks nothing', async () => {
    expect(await typeAtTerminal('', 'module', 'delete', 'hosts', '--yes')).toMatchObject({ code: 0 });
  });
});
