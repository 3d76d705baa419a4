/** What a module or a revision is held for is shown before it is let through, and nothing else is let through in its place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Schemas } from '#client';
import { addCdnModule, serve } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType, typeAtTerminal } = desk;

const REASON = ['--reason', 'the provider grew, looked at it'];
/** Of the test that runs: each has a module, a community and networks of its own. */
let count = 0;
let module = '';
let before = '';
let grown = '';

const list = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `${from}.${at}.0.0/24\n`).join('');
const answer = (text: string): unknown => desk.casting.sources.set('/list.txt', serve(text));

/** Reads the list again, which a guardrail holds. @returns what the command says of it */
async function refreshHeld(text: string): Promise<string> {
  answer(text);
  const { code, err } = await type('module', 'refresh', module, '--wait');
  expect(code, err).toBe(5);
  return err;
}

/** The words after `prefixcast` of the line that says how to go on. */
function hintOf(text: string, verb: string): string[] {
  const [, line] = new RegExp(`prefixcast (${verb} .*) --reason TEXT`).exec(text)!;
  return [...line!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}

beforeAll(async () => {
  // Modules of earlier tests may go.
  await desk.casting.service.call('PATCH', '/v1/settings', { guard_max_withdraw_percent: 100 });
});

beforeEach(async () => {
  const community = `64500:${++count}`;
  module = `module ${community}`;
  await addCdnModule(desk.casting, community, { path: '/list.txt', format: 'text' });
  before = list(10 + count, 120);
  grown = before + list(150 + count, 150);
  answer(before);
  await mustType('module', 'refresh', module, '--wait');
});
afterEach(() => mustType('module', 'delete', module));

test('what is held now, with the routes that a release would change', async () => {
  expect(await mustType('module', 'held', module)).toBe(`The module ${module} is not held\n`);
  await refreshHeld(grown);
  const out = await mustType('module', 'held', module);
  expect(out).toContain(`+ ${150 + count}.149.0.0/24  64500:${count}\n`);
  expect(out).toContain('150 announced, 0 withdrawn, 0 changed');
  expect(out).toContain('max_change_exceeded: ');
  const data = JSON.parse(await mustType('module', 'held', module, '-o', 'json')) as {
    held: { snapshot: string };
    summary: unknown;
    items: unknown[];
  };
  expect(data).toMatchObject({ name: module, summary: { announced: 150, withdrawn: 0, changed: 0 } });
  expect(data.items).toHaveLength(150);
  expect(out).toContain(data.held.snapshot);
});

test('the hint of a held refresh releases what it reported', async () => {
  const reported = await refreshHeld(grown);
  const { err } = await type(...hintOf(reported, 'module release'), ...REASON, '--wait');
  expect(err).toContain('150 announced, 0 withdrawn, 0 changed');
  expect(await mustType('revision', 'prefixes', 'latest', '-o', 'name')).toContain(`${150 + count}.7.0.0/24`);
});

test('what is held by now is not released in place of what was looked at', async () => {
  const reported = await refreshHeld(grown);
  await refreshHeld('0.0.0.0/1\n128.0.0.0/1\n');
  const late = await type(...hintOf(reported, 'module release'), ...REASON);
  expect(late).toMatchObject({
    code: 8,
    err: expect.stringContaining('for something else by now') as string,
  });
  const codeAlone = await type('module', 'release', module, '--override', 'max_change_exceeded', ...REASON);
  expect(codeAlone.code).toBe(5);
  expect(codeAlone.err).toContain('--override does not name default_route_forbidden');
  const nothing = await type('module', 'release', module, ...REASON);
  expect(nothing).toMatchObject({ code: 2, err: expect.stringContaining('--override is missing') as string });
  expect(await mustType('revision', 'prefixes', 'latest', '-o', 'name')).not.toContain('.0.0.0/1');
});

test('a terminal asks, and only y releases', async () => {
  await refreshHeld(grown);
  const no = await typeAtTerminal('', 'module', 'release', module, ...REASON);
  expect(no.text).toContain('150 announced, 0 withdrawn, 0 changed');
  expect(no).toMatchObject({ code: 1, text: expect.stringContaining('Nothing has changed') as string });
  const yes = await typeAtTerminal('y', 'module', 'release', module, ...REASON, '--wait');
  expect(yes, yes.text).toMatchObject({ code: 0 });
  expect(await mustType('revision', 'prefixes', 'latest', '-o', 'name')).toContain(`${150 + count}.7.0.0/24`);
});

test('a held revision is announced by its codes, after its difference was shown', async () => {
  await desk.casting.service.call('PATCH', '/v1/settings', { guard_scope: 'revision' });
  answer(grown);
  const held = await type('module', 'refresh', module, '--wait');
  expect(held.code, held.err).toBe(5);
  const words = hintOf(held.err, 'revision apply');
  const none = await type(...words.slice(0, 3), ...REASON);
  expect(none).toMatchObject({
    code: 2,
    err: expect.stringContaining('At builtin: 150 announced') as string,
  });
  expect(none.err).toContain('--override is missing: name what it breaks, max_change_exceeded');
  await mustType(...words, ...REASON, '--wait');
  await desk.casting.service.call('PATCH', '/v1/settings', { guard_scope: 'module' });
});

test('a rollback names the lists that stay as they come back, until they are edited', async () => {
  const latest = JSON.parse(await mustType('revision', 'list', '--limit', '1', '-o', 'json')) as {
    items: { number: number }[];
  };
  const good = String(latest.items[0]!.number);
  await mustType('module', 'edit', module, '--enabled', 'no', '--wait');
  const said = `rolled_back: Module ${module}: a rollback brought back what was disabled`;
  expect(await mustType('revision', 'rollback', good, '--dry-run')).toContain(
    `Modules that are held then:\n  ${said}`,
  );
  const { code, err } = await type('revision', 'rollback', good, '--wait');
  expect(code, err).toBe(0);
  expect(err).toContain(`Modules that are held from now on:\n  ${said}`);
  expect(await mustType('module', 'list')).toMatch(new RegExp(`^${module} .* disabled, held `, 'm'));
  await mustType('module', 'edit', module, '--enabled', 'yes', '--wait');
  expect(await mustType('module', 'held', module)).toBe(`The module ${module} is not held\n`);
});

test('a list of which a rollback took something back, and brought other back, is held for one reason', async () => {
  const list = `both ${count}`;
  await mustType('module', 'create', list, '--type', 'IP_RANGES', '--community', `64500:${count}`);
  await mustType('entry', 'add', list, `45.${count}.1.0/24`, '--wait');
  const good = (await mustType('revision', 'list', '--limit', '1', '-o', 'name')).trim();
  await mustType('entry', 'add', list, `46.${count}.1.0/24`);
  await mustType('entry', 'remove', list, `45.${count}.1.0/24`, '--wait');
  const detail = `Module ${list}: a rollback took this content back, and brought back what was removed from its list, or disabled in it, and it stays so. Edit the module, or release it to take that away again. A release announces what it took back, too.`;
  const rollback = ['revision', 'rollback', good];
  expect(await mustType(...rollback, '--dry-run')).toContain(`\n  rolled_back: ${detail}\n`);
  await mustType(...rollback, '--wait');
  const one = { code: 'rolled_back', detail };
  const { items } = JSON.parse(await mustType('revision', 'list', '--limit', '1', '-o', 'json')) as {
    items: Schemas['Revision'][];
  };
  expect(items[0]!.quarantined.flatMap(({ findings }) => findings)).toMatchObject([one]);
  const { held } = JSON.parse(await mustType('module', 'get', list, '-o', 'json')) as Schemas['Module'];
  expect(held?.findings).toMatchObject([one]);
  const text = await mustType('module', 'held', list);
  expect(text.match(/rolled_back: /g)).toHaveLength(1);
  expect(text).toContain('1 announced, 1 withdrawn');
  await mustType('module', 'release', list, '--override', 'rolled_back', ...REASON, '--wait');
  expect(await mustType('module', 'held', list)).toBe(`The module ${list} is not held\n`);
  await mustType('module', 'delete', list);
});

test('an entry that would bring back what a rollback took back says so', async () => {
  const [list, first, second, third] = [
    `list ${count}`,
    `9.${count}.1.0/24`,
    `9.${count}.4.0/24`,
    `9.${count}.8.0/24`,
  ];
  await mustType('module', 'create', list, '--type', 'IP_RANGES', '--community', `64500:${count}`);
  await mustType('entry', 'add', list, first, '--wait');
  const latest = JSON.parse(await mustType('revision', 'list', '--limit', '1', '-o', 'json')) as {
    items: { number: number }[];
  };
  await mustType('entry', 'add', list, second, '--wait');
  await mustType('revision', 'rollback', String(latest.items[0]!.number), '--wait');
  const said = `${list} is held no more, and what a rollback took back of it comes back with this: 2 routes announced in all`;
  expect(await mustType('entry', 'add', list, third, '--dry-run')).toContain(`${said}\nNothing has changed`);
  // Its neighbour is merged with it, and no address of it leaves.
  const beside = `9.${count}.0.0/24`;
  expect(await mustType('entry', 'add', list, beside, '--dry-run')).toContain(`${said}\nNothing has changed`);
  const { code, err } = await type('entry', 'add', list, third);
  expect(code, err).toBe(0);
  expect(err).toContain(said);
  await mustType('module', 'delete', list);
});

test('a change that takes away what a rollback brought back says so, and asks at a terminal', async () => {
  const list = `back ${count}`;
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-release-'));
  const file = join(directory, 'more.csv');
  writeFileSync(file, `cidr\n8.${count}.6.0/24\n`);
  const lost = [`8.${count}.0.0/24`, `8.${count}.2.0/24`];
  await mustType('module', 'create', list, '--type', 'IP_RANGES', '--community', `64500:${count}`);
  await mustType('entry', 'add', list, ...lost, `8.${count}.4.0/24`, '--wait');
  const good = (await mustType('revision', 'list', '--limit', '1', '-o', 'name')).trim();
  await mustType('entry', 'remove', list, ...lost, '--wait');
  await mustType('revision', 'rollback', good, '--wait');
  const said = `${list} is held no more, and what a rollback took back of it counts again: with this, 2 routes that it had brought back are withdrawn (${lost.join(', ')}), and 1 announced\nTo keep what was removed (${lost.join(', ')}), put it back first: prefixcast entry restore '${list}' `;
  const add = ['entry', 'add', list, `8.${count}.6.0/24`];
  expect(await mustType(...add, '--dry-run')).toContain(said);
  for (const words of [add, ['entry', 'import', list, file]]) {
    const asked = await desk.typeAtTerminal('n', ...words);
    expect(asked.text.replaceAll('\r', ''), words.join(' ')).toContain(said);
    expect(asked.code).toBe(1);
  }
  rmSync(directory, { recursive: true });
  const restored = await mustType('entry', 'restore', list, '--wait');
  expect(restored).toBe('2 entries restored\n');
  await mustType(...add, '--wait');
  for (const prefix of lost) expect((await type('why', prefix)).code).toBe(0);
});
