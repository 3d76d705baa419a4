/** What commands advise is of use to whoever reads it: by the role of the key, by what there is, and without a guess. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { typist, type Typed } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType } = desk;

beforeAll(async () => {
  await mustType('community create 64500:666 --title Drop');
});

describe('a customer', () => {
  let customer: (line: string) => Promise<Typed>;
  const mustAsCustomer = async (line: string): Promise<string> => {
    const { code, out, err } = await customer(line);
    expect(code, `${line}\n${out}${err}`).toBe(0);
    return out;
  };

  beforeAll(async () => {
    const policy = JSON.stringify({ allowed_prefixes: ['45.0.0.0/16'] });
    const out = await mustType('tenant', 'create', 'acme', '--name', 'Acme', '--policy', policy);
    const key = out.trim().split('\n').at(-1)!;
    const env = { PREFIXCAST_URL: desk.casting.service.url, PREFIXCAST_KEY: key };
    customer = (line) => typist(env)(...line.split(' '));
    await mustAsCustomer('module create nets --type IP_RANGES');
    await mustAsCustomer('entry add nets 45.0.2.0/24 45.0.3.0/24 --wait');
  });

  test('who may not release what is held is told who may, and not the command', async () => {
    await mustType('tenant', 'edit', 'acme', '--policy', '{"allowed_prefixes":["45.0.2.0/24"]}');
    const { code, err } = await customer('revision build --wait');
    expect(code, err).toBe(5);
    for (const text of [
      err,
      await mustAsCustomer('module held nets'),
      (await customer('why 45.0.3.1')).out,
    ]) {
      expect(text).toContain(
        'Release it: only the operator of the service may, with a key of the role super_admin (tenant_policy). Correct the list, or ask there',
      );
      expect(text).not.toContain('module release');
      // The router has lost what is not allowed any more: not all of it stays.
      expect(text).toContain(
        'The module nets is held, and of its last accepted content only what the policy of the tenant allows stays:\n  tenant_policy: ',
      );
      expect(text).not.toContain('its last accepted content stays');
      // The two are one route, and one of them is allowed.
      expect(text).not.toContain('Look at the range 45.0.2.0/24');
      expect(text).toContain('Look at the range 45.0.3.0/24.');
    }
  });

  test('what the policy refuses was not written, and is not held', async () => {
    const refused = await customer('entry add nets 1.1.1.0/24');
    expect(refused.code, refused.err).toBe(2);
    expect(refused.err).toContain('allowed_prefixes');
    expect(await mustAsCustomer('entry list nets -o name')).not.toContain('1.1.1.0');
  });

  test('who may not loosen a guardrail is told who does', async () => {
    const { code, err } = await customer('entry add nets 10.0.0.0/8');
    expect(code, err).toBe(2);
    expect(err).toContain(
      'If it is meant, have guard_bogons set to allow (the operator of the service does, unless the policy of the tenant has may_loosen_guards).',
    );
  });

  test('who may only read is told whose key releases', async () => {
    const viewer = (await mustAsCustomer('key create readers --role viewer')).trim().split('\n').at(-1)!;
    const env = { PREFIXCAST_URL: desk.casting.service.url, PREFIXCAST_KEY: viewer };
    const { out } = await typist(env)('module', 'held', 'nets');
    expect(out).toContain('Release it: that takes a key of the role operator, and this one is of viewer');
  });
});

test('an edit that changes nothing says so', async () => {
  await mustType('module create hosts --type IP_RANGES --community Drop');
  await mustType('entry add hosts 6.0.0.1/32');
  const off = 'entry edit hosts 6.0.0.1 --enabled no';
  expect(await mustType(off)).toBe('6.0.0.1 changed\n');
  expect(await mustType(off)).toBe('6.0.0.1 was so already: nothing has changed\n');
  expect(await mustType('module edit hosts --description short')).toBe('module hosts changed\n');
  expect(await mustType('module edit hosts --description short')).toBe(
    'module hosts was so already: nothing has changed\n',
  );
});

test('wrong options and names are answered with what would be right', async () => {
  await mustType('module create ranges --type IP_RANGES --community Drop');
  const foreign = await type('entry add ranges 9.9.8.0/24 --url https://lists.example.net/');
  expect(foreign.code, foreign.err).toBe(2);
  expect(foreign.err).toContain(
    '--url is of other lists: entries of ranges, which is of type IP_RANGES, have --note\n',
  );
  const missing = await type('module edit ranges --community 64500:1');
  expect(missing.code, missing.err).toBe(7);
  expect(missing.err).toContain(
    'There is no community called 64500:1; create it: prefixcast community create 64500:1 --title TEXT\n',
  );
});

test('a deleted module that is held is found by its name, and its namesakes are told apart', async () => {
  const ranges = Array.from({ length: 120 }, (_, at) => `24.${at}.0.0/24`);
  await mustType('module create big --type IP_RANGES --community Drop');
  await mustType('entry', 'add', 'big', ...ranges, '--wait');
  const { id } = JSON.parse(await mustType('module get big -o json')) as { id: string };
  const deleted = await type('module delete big --wait');
  expect(deleted.code, deleted.err).toBe(5);
  expect(deleted.err.match(/Take it back: prefixcast module restore big\n/g)).toHaveLength(1);

  const held = await mustType('module held big');
  expect(held).toMatch(
    /^The deleted module big is held, its last accepted content stays:\n {2}large_withdrawal: /,
  );
  expect(held).toMatch(
    new RegExp(
      `\nRelease it: prefixcast module release ${id} --override large_withdrawal .*\n\nIts release: `,
    ),
  );
  expect(held).toContain('\nTake it back: prefixcast module restore big\n');
  expect(held).not.toContain('entry restore');
  expect(held.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(120);

  await mustType('module create big --type IP_RANGES --community Drop');
  expect(await mustType('module held big')).toBe('The module big is not held\n');
  const again = await type('module delete big');
  expect(again.err).toMatch(/^Take it back: prefixcast module restore [0-9a-f-]{36}$/m);
  expect(again.err).not.toContain(id);
  expect(await mustType('module held big')).toContain('The deleted module big is held');

  const restored = await type('module restore big');
  expect(restored.code, restored.err).toBe(8);
  expect(restored.err).toContain('2 deleted modules were called big; restore one by its id:\n');
  expect(restored.err).toMatch(
    /^ {2}deleted 2\S+ by \S+, 0 entries: prefixcast module restore [0-9a-f-]{36}$/m,
  );
  expect(restored.err).toMatch(
    new RegExp(`^ {2}deleted 2\\S+ by \\S+, 120 entries: prefixcast module restore ${id}$`, 'm'),
  );
  await mustType(`module restore ${id} --wait`);
  expect(await mustType('module held big')).toBe('The module big is not held\n');
});

test('a module that was renamed and then deleted is held by the name that it had last', async () => {
  // More than half of all that is announced.
  const ranges = Array.from({ length: 600 }, (_, at) => `26.${at % 200}.${Math.floor(at / 200) * 2}.0/24`);
  await mustType('module create vpns --type IP_RANGES --community Drop');
  await mustType('entry', 'add', 'vpns', ...ranges, '--wait');
  // Nothing of this is announced, so no revision has the new name.
  await mustType('module edit vpns --rename proxies --wait');
  const { code, err } = await type('module delete proxies --wait');
  expect(code, err).toBe(5);
  expect(err).toContain('The deleted module proxies is held');
  expect(err).toContain('Take it back: prefixcast module restore proxies\n');
  expect(err).not.toContain('vpns');
  expect((await type('status')).out).toMatch(
    /deleted module proxies: .*\n +→ prefixcast module held proxies$/m,
  );
  expect(await mustType('module held proxies')).toContain('The deleted module proxies is held');
  await mustType('module restore proxies --wait');
});

test('history and why name a module that is deleted, and what puts it back', async () => {
  await mustType('module create t1 --type IP_RANGES --community Drop');
  await mustType('entry add t1 45.46.5.1/32 --wait');
  await mustType('module delete t1 --wait');
  const { code, out, err } = await type('history 45.46.5.1');
  expect(code, err).toBe(0);
  expect(out).toMatch(/ -t1 \(deleted\): 45\.46\.5\.1\/32/);
  expect(out).toMatch(/ \+t1 \(deleted\): 45\.46\.5\.1\/32/);
  expect(err).toBe('Take it back: prefixcast module restore t1\n');
  const { items } = JSON.parse(await mustType('history 45.46.5.1 -o json')) as {
    items: { contributors: { module: unknown }[] }[];
  };
  const named = { id: expect.any(String) as string, name: 't1', deleted: true };
  expect(items.flatMap(({ contributors }) => contributors.map(({ module }) => module))).toEqual([
    named,
    named,
  ]);
  const why = (await type('why 45.46.5.1')).out;
  expect(why).toMatch(
    /^ {2}45\.46\.5\.1\/32 until 2\S+, revision \d+ \(-t1 \(deleted\): 45\.46\.5\.1\/32\)$/m,
  );
  expect(why).toContain('\n  Take it back: prefixcast module restore t1\n');
  await mustType('module restore t1 --wait');
  const back = await type('history 45.46.5.1');
  expect(back.out).not.toContain('deleted');
  expect(back.err).toBe('');
});
