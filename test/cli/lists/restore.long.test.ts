/** A mistake of an operator, and how it is taken back: a real router loses routes, and has them again. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { serve } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

const LISTED = 60;
const HOSTS = 50;
const list = Array.from({ length: LISTED }, (_, at) => `11.${at}.0.0/24\n`).join('');
const hosts = Array.from({ length: HOSTS }, (_, at) => `6.0.${at}.1/32`);

describe.skipIf(requireDaemon('bird') === null)('what was deleted by mistake', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;
  let bird: Bird;

  beforeAll(async () => {
    bird = await desk.casting.addBird();
    desk.casting.sources.set('/list.txt', serve(list));
    // Of so few prefixes all may go at once.
    await mustType('settings set guard_max_withdraw_percent 100');
    await mustType('community create 64500:80 --title Cloud');
    await mustType('module create clouds --type CDN_SOURCES --community Cloud');
    await mustType('module create hosts --type IP_RANGES --community Cloud');
    await mustType(`entry add clouds good --url ${desk.casting.sourceUrl}/list.txt --wait`);
    await mustType('entry', 'add', 'hosts', ...hosts, '--wait');
    await bird.waitRoutes(LISTED + HOSTS);
  });

  test('a module comes back with its routes, although its source is gone by now', async () => {
    const deleted = await type('module delete clouds --wait');
    expect(deleted).toMatchObject({ code: 0, out: 'module clouds deleted\n' });
    expect(deleted.err).toContain('Take it back: prefixcast module restore clouds\n');
    await bird.waitRoutes(HOSTS);
    desk.casting.sources.delete('/list.txt');
    expect(await mustType('module list --deleted')).toMatch(/^clouds +CDN_SOURCES +1 /m);
    expect(await mustType('module list --deleted -o name')).toBe('clouds\n');
    expect(await mustType('module restore clouds --dry-run')).toContain(`${LISTED} announced`);
    expect(await mustType('module list -o name')).toBe('hosts\n');
    const { code, out, err } = await type('module restore clouds --wait');
    // Its source cannot be read any more, and what it said stays.
    expect(code, err).toBe(9);
    expect(out).toBe('module clouds restored: 1 entry\n');
    await bird.waitRoutes(LISTED + HOSTS);
    const again = await type('module restore clouds');
    expect(again).toMatchObject({ code: 7 });
    expect(again.err).toContain('module list --deleted');
  });

  test('entries come back, the last removal first, and a batch that is named', async () => {
    const [first, second] = [hosts.slice(0, 30), hosts.slice(30)];
    await mustType('entry', 'remove', 'hosts', ...first, '--wait');
    await bird.waitRoutes(LISTED + second.length);
    const removed = await type('entry', 'remove', 'hosts', ...second, '--wait');
    expect(removed.err).toMatch(/^Take it back: prefixcast entry restore hosts [0-9a-f-]{36}$/m);
    await bird.waitRoutes(LISTED);
    const { items: batches } = JSON.parse(await mustType('entry removed hosts -o json')) as {
      items: { id: string; entry_count: number }[];
    };
    expect(batches.map(({ entry_count: count }) => count)).toEqual([second.length, first.length]);
    expect(await mustType('entry restore hosts --dry-run')).toContain(`${second.length} announced`);
    const restored = await type('entry restore hosts --wait');
    expect(restored).toMatchObject({ code: 0, out: `${second.length} entries restored\n` });
    expect(restored.err).toContain(`: ${second.slice(0, 3).join(', ')} and ${second.length - 3} more\n`);
    await bird.waitRoutes(LISTED + second.length);
    // Whoever types it once more brings nothing back that was removed on purpose.
    const twice = await type('entry restore hosts --wait');
    expect(twice).toMatchObject({ code: 8, out: '' });
    expect(twice.err).toContain(
      'is back. An older removal comes back by its batch: see prefixcast entry removed hosts',
    );
    await mustType('entry', 'add', 'hosts', first[0]!, '--note', 'by hand');
    expect(await mustType('entry', 'restore', 'hosts', batches[1]!.id, '--wait')).toBe(
      `${first.length - 1} entries restored, 1 there already\n`,
    );
    await bird.waitRoutes(LISTED + HOSTS);
    const refused = await type('entry', 'restore', 'hosts', batches[1]!.id);
    expect(refused).toMatchObject({ code: 8 });
    expect(await type('entry restore hosts nonsense')).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('prefixcast: BATCH must be an id (UUID)') as string },
    });
    expect(await type('entry restore hosts')).toMatchObject({
      ...{ code: 7, err: expect.stringContaining('Nothing that was removed from hosts') as string },
    });
  });

  test('an import that replaced too much says how it is taken back', async () => {
    const { code, err } = await typeAtTerminal(
      'y',
      'entry import hosts /dev/null --replace --allow-empty',
    ).then(({ code: ended, text }) => ({ code: ended, err: text }));
    expect(code, err).toBe(0);
    expect(err).toMatch(/Take it back: prefixcast entry restore hosts [0-9a-f-]{36}/);
    expect(await mustType('entry restore hosts --wait')).toBe(`${HOSTS} entries restored\n`);
    await bird.waitRoutes(LISTED + HOSTS);
  });

  test('an import of the wrong file is taken back by the line that it prints', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'prefixcast-import-'));
    const wrong = join(directory, 'wrong.txt');
    const others = ['9.9.5.0/24', '9.9.9.0/24'];
    await writeFile(wrong, [...others, hosts[0]!].join('\n'));
    const before = await mustType('entry export hosts');
    const replaced = await type('entry', 'import', 'hosts', wrong, '--replace', '--wait');
    expect(replaced).toMatchObject({
      ...{ code: 0, out: `2 created, 0 updated, 1 unchanged, ${HOSTS - 1} deleted\n` },
    });
    await bird.waitRoutes(LISTED + 3);
    // What somebody adds afterwards is no part of it.
    await mustType('entry add hosts 9.9.7.0/24 --wait');
    const undo = /Take it back: prefixcast (.* --undo-import)$/m.exec(replaced.err)![1]!;
    expect(await mustType(`${undo} --dry-run`)).toContain(`${HOSTS - 1} announced, 2 withdrawn`);
    expect(await mustType(`${undo} --wait`)).toBe(`${HOSTS - 1} entries restored, 2 removed\n`);
    await mustType('entry remove hosts 9.9.7.0/24 --wait');
    expect(await mustType('entry export hosts')).toBe(before);
    await bird.waitRoutes(LISTED + HOSTS);

    await writeFile(wrong, others.join('\n'));
    const appended = await type('entry', 'import', 'hosts', wrong);
    const removal = /Take it back: prefixcast (.* --remove)$/m.exec(appended.err)![1]!;
    expect(await mustType(`${removal} --wait`)).toBe('0 created, 0 updated, 0 unchanged, 2 deleted\n');
    expect(await mustType('entry export hosts')).toBe(before);
    expect(await type(`${removal} --replace`)).toMatchObject({ code: 2 });
    await rm(directory, { recursive: true });
  });

  test('a name or a community that is gone is named by the options of the command', async () => {
    await mustType('module create late --type IP_RANGES --community Cloud');
    await mustType('community create 64500:90 --title Late');
    await mustType('entry add late 7.7.7.0/24 --community 64500:90');
    await mustType('module delete late');
    await mustType('community delete 64500:90');
    const missing = await type('module restore late');
    expect(missing.code, missing.err).toBe(8);
    expect(missing.err).toContain('64500:90');
    expect(missing.err).toContain('--leave-out-missing');
    await mustType('module create late --type DOMAINS');
    const taken = await type('module restore late --leave-out-missing');
    expect(taken.code, taken.err).toBe(8);
    expect(taken.err).toContain('--as');
    expect(await mustType('module restore late --leave-out-missing --as later')).toBe(
      'module later restored: 1 entry, without 64500:90\n',
    );
  });
});
