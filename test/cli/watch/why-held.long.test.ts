/** `why` of an address in a revision that a guardrail holds: what holds it, and the line that lets it through. */
import { beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

beforeAll(async () => {
  for (const line of [
    'settings set auto_revision true',
    'community create 64500:1 --title Ours',
    'community create 64500:666 --title Drop',
    'module create ours --type IP_RANGES --community Ours',
    'module create attacked --type IP_RANGES --community Drop',
    'entry add ours 8.8.4.0/22 --wait',
    'settings set guard_max_prefixes 1',
  ])
    await mustType(line);
  expect(await type('entry add attacked 8.8.4.4/32 9.9.9.9/32 --wait')).toMatchObject({ code: 5 });
});

test.each(['8.8.4.4', '9.9.9.9/32'])('%s, with what holds it and the line', async (asked) => {
  const listed = await mustType('revision list --limit 1 -o json');
  const [{ number }] = (JSON.parse(listed) as { items: [{ number: number }] }).items;
  const { code, out, err } = await type('why', asked);
  expect(code, err).toBe(1);
  // The network around it is announced, and the blackhole in it is not.
  if (asked === '8.8.4.4')
    expect(out).toMatch(/^8\.8\.4\.4 is announced, but not everywhere\n {2}8\.8\.4\.0\/22/);
  expect(out).toMatch(
    new RegExp(
      `^ {2}held \\(at builtin\\): Revision ${number} has \\S+, and is held \\(max_prefixes_exceeded\\)\\.$`,
      'm',
    ),
  );
  expect(out).toContain(
    `Revision ${number} is held, and not announced:\n  max_prefixes_exceeded: The revision has 3 prefixes, and guard_max_prefixes allows 1.`,
  );
  const line = `revision apply ${number} --override max_prefixes_exceeded --reason TEXT`;
  expect(out.split(`Announce it all the same: prefixcast ${line}\n`)).toHaveLength(2);
});

test('one line of several addresses lets them through, and none is told of it then', async () => {
  const { out } = await type('why 8.8.4.4 9.9.9.9');
  const [line, ...others] = out.match(/(?<=prefixcast )revision apply .*(?= --reason TEXT)/g)!;
  expect(others).toEqual([]);
  await mustType(...line.split(' '), '--reason', 'an attack on a customer', '--wait');
  expect(await mustType('why 8.8.4.4 9.9.9.9')).not.toContain('held');
});
