/** Edits that take routes away, and sources that cannot be read: a command that ends with 0 has done what it says. */
import { beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { serve } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

const ROUTES = 240;
const list = Array.from({ length: ROUTES }, (_, at) => `11.${at}.0.0/24\n`).join('');

let bird: Bird;

describe.skipIf(requireDaemon('bird') === null)('commands that change what a router has', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;
  beforeAll(async () => {
    bird = await desk.casting.addBird();
    desk.casting.sources.set('/list.txt', serve(list));
    await mustType('community create 64500:80 --title Cloud');
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create clouds --type CDN_SOURCES --community Cloud');
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.1/32 6.0.0.3/32');
  });

  test('a source is read before a command that added it ends, and named where that fails', async () => {
    expect(await type(`entry add clouds good --url ${desk.casting.sourceUrl}/list.txt --wait`)).toMatchObject(
      {
        code: 0,
      },
    );
    await bird.waitRoutes(ROUTES + 2);
    const beside = await type(`entry add clouds typo --url ${desk.casting.sourceUrl}/nope.txt --wait`);
    expect(beside.code, beside.err).toBe(9);
    expect(beside.out).toBe('typo added\n');
    expect(beside.err).toContain('typo could not be read, it has no content yet: ');
    expect(beside.err).not.toContain('good could not be read');
    expect(await type('entry remove clouds typo --wait')).toMatchObject({ code: 0 });

    await mustType('module create alone --type CDN_SOURCES --community Drop');
    const refused = await type('entry add alone metadata --url http://169.254.169.254/list --wait');
    expect(refused.code, refused.err).toBe(9);
    expect(refused.err).toMatch(/^metadata could not be read, it has no content yet: .*169\.254\.169\.254/m);
    await mustType('module delete alone --wait');
  });

  test('a list that a guardrail holds is not switched off, and every way to do it says so', async () => {
    const off = 'module edit clouds --enabled no';
    const screen = await typeAtTerminal('n', off);
    expect(screen.text).toContain('Held: nothing of it goes until it is released');
    expect(screen.text).toMatch(/large_withdrawal: .*\b242 IPv4 prefixes/);
    expect(screen.code).toBe(1);
    expect(await mustType('module get clouds -o json')).toContain('"enabled": true');

    const silent = await type(off);
    expect(silent.code, silent.err).toBe(5);
    expect(silent.out).toBe('module clouds changed\n');
    expect(silent.err).toContain(
      'The module clouds is held, and routers keep what they have:\n  large_withdrawal: ',
    );
    expect(silent.err).toContain(
      'prefixcast module release clouds --override large_withdrawal --reason TEXT',
    );

    await mustType('module edit clouds --enabled yes --wait');
    const waited = await type(`${off} --wait`);
    expect(waited.code, waited.err).toBe(5);
    expect(waited.err).toContain(
      'The module clouds is held, its last accepted content stays:\n  large_withdrawal: ',
    );
    expect(waited.err).toMatch(
      /prefixcast module release clouds --override large_withdrawal --snapshot \w+ /,
    );
    expect(await bird.routes()).toHaveLength(ROUTES + 2);
    // Another module is free to change, and what concerns no route is no matter of a guardrail.
    await mustType('module edit hosts --families ipv4 --wait');
    await mustType('module edit clouds --description large');

    const [, override] = /(--override \S+ --snapshot \S+) --reason/.exec(waited.err)!;
    await mustType(`module release clouds ${override!} --reason it-was-meant-so --wait`);
    await bird.waitRoutes(2);
    await mustType('module edit clouds --enabled yes --wait');
    await bird.waitRoutes(ROUTES + 2);
  });

  test('deleting it is the same, by its id from then on', async () => {
    const { id } = JSON.parse(await mustType('module get clouds -o json')) as { id: string };
    const deleted = await type('module delete clouds --wait');
    expect(deleted.code, deleted.err).toBe(5);
    expect(deleted.out).toContain('module clouds deleted\n');
    expect(deleted.err).toContain(`prefixcast module release ${id} --override large_withdrawal`);
    const [, override] = /(--override \S+ --snapshot \S+) --reason/.exec(deleted.err)!;
    await mustType(`module release ${id} ${override!} --reason it-was-meant-so --wait`);
    await bird.waitRoutes(2);
  });

  test('peers, communities and settings are waited for until the router has it', async () => {
    await mustType('peer edit bird1 --community Cloud --wait');
    expect(await bird.routes()).toHaveLength(0);
    await mustType('peer edit bird1 --community all --wait');
    expect(await bird.routes()).toHaveLength(2);
    await mustType('settings set guard_no_export false --wait');
    await mustType('settings unset guard_no_export --wait');
    await mustType('module edit hosts --enabled no --wait');
    await waitFor(async () => ((await bird.routes()).length === 0 ? true : undefined), { what: 'no route' });
    await mustType('module delete hosts --wait');
    await mustType('community delete 64500:666 --wait');
  });

  test('a new speaker names the peers that it would take, and a new peer the speakers that serve it', async () => {
    const create = 'speaker create frankfurt --mode agent --asn 64512';
    const taken =
      'frankfurt also serves 1 peer that names no speaker: bird1; give it one with: prefixcast peer edit bird1 --speaker builtin';
    expect((await type(`${create} --dry-run`)).err).toBe(`${taken}\n`);
    const screen = await typeAtTerminal('n', create);
    expect(screen.text).toContain(taken);
    expect(screen.code).toBe(1);
    expect(await type('speaker get frankfurt')).toMatchObject({ code: 7 });
    expect(await type(create)).toMatchObject({ code: 0, err: `${taken}\n` });
    expect(await type('peer create edge3 --address 192.0.2.3 --asn 64499')).toMatchObject({
      code: 0,
      err: 'edge3 names no speaker, so each of 2 serves it: builtin, frankfurt; --speaker chooses\n',
    });
    await mustType('peer edit bird1 --speaker builtin');
    await mustType('peer edit edge3 --speaker frankfurt');
    expect(await type('speaker create paris --mode agent --asn 64512')).toMatchObject({ code: 0, err: '' });
    expect((await type('peer create edge4 --address 192.0.2.4 --asn 64499 --speaker paris')).err).toBe('');
  });
});
