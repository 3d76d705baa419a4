/** Values of options as people write them: one spelling of durations and of AS numbers everywhere. */
import { expect, test } from 'vitest';
import { MAINTENANCE_KIND_NAMES } from '../../../src/api/operation/maintenance.ts';
import { NOUNS } from '../../../src/cli/nouns/nouns.ts';
import { bodyOf, withInner } from '../../../src/cli/session/body.ts';
import type { Names } from '../../../src/cli/session/names.ts';
import { READERS } from '../../../src/cli/table/value-types.ts';
import { commands } from '../golden-files.ts';

const made = (noun: keyof typeof NOUNS, options: Record<string, string>) =>
  bodyOf(NOUNS[noun], options, {} as Names);

test.each([
  ['module', 'interval', 'refresh_interval_seconds', '10m', 600],
  ['module', 'interval', 'refresh_interval_seconds', '600', 600],
  ['module', 'interval', 'refresh_interval_seconds', 'none', null],
  ['peer', 'hold-time', 'hold_time', '90s', 90],
  ['peer', 'hold-time', 'hold_time', '0', 0],
  ['peer', 'asn', 'remote_asn', 'AS65000', 65_000],
  ['peer', 'asn', 'remote_asn', '65000', 65_000],
  ['speaker', 'asn', 'local_asn', 'as64500', 64_500],
] as const)('%s --%s: %s of %s is %s', async (noun, option, member, text, value) => {
  expect(await made(noun, { [option]: text })).toEqual({ [member]: value });
});

test.each([
  [
    'module',
    'interval',
    'soon',
    /--interval soon cannot be read: .*90s, 10m or 1h30m, or a number of seconds/,
  ],
  ['peer', 'asn', 'ASX', /--asn ASX cannot be read: write an AS number/],
] as const)('%s --%s %s is refused with what to write', async (noun, option, text, words) => {
  await expect(made(noun, { [option]: text })).rejects.toThrow(words);
});

test('options of one object are sent together, and leave the others of it as they are', async () => {
  const given = await made('module', { 'doh-strategy': 'quorum', 'doh-quorum': '2', 'doh-retain': '6h' });
  expect(withInner(NOUNS.module, given)).toEqual({
    doh_resolver_policy: { strategy: 'quorum', quorum: 2, retain_seconds: 21_600 },
  });
  const before = { doh_resolver_policy: { strategy: 'union', quorum: 2, concurrency: 8 } };
  const changed = await made('module', { 'doh-quorum': 'none', 'doh-retain': '0' });
  expect(withInner(NOUNS.module, changed, before)).toEqual({
    doh_resolver_policy: { strategy: 'union', concurrency: 8, retain_seconds: 0 },
  });
  const last = await made('module', { 'doh-quorum': 'none' });
  expect(withInner(NOUNS.module, last, { doh_resolver_policy: { quorum: 2 } })).toEqual({
    doh_resolver_policy: null,
  });
});

test('every option that takes a time takes 90s, 10m and 1h, and a number of seconds', () => {
  const seen: string[] = [];
  for (const [path, command] of commands)
    for (const [name, { type = 'text', value = '' }] of Object.entries(command.options ?? {})) {
      if (value === 'SECONDS') expect.fail(`${path} --${name} is called SECONDS`);
      if (value !== 'DURATION' || type === 'text') continue;
      seen.push(`${path} --${name}`);
      for (const [text, seconds] of [
        ['90s', 90],
        ['10m', 600],
        ['1h', 3_600],
        ['60', 60],
      ] as const)
        expect(READERS[type](text), `${path} --${name} ${text}`).toEqual({ ok: true, value: seconds });
    }
  expect(seen.length).toBeGreaterThan(20);
});

test('the kinds of policies are those of the API', () => {
  expect(NOUNS.policy.fields.kind!.choices).toEqual(MAINTENANCE_KIND_NAMES);
});
