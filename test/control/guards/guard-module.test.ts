/** What a guardrail says of the sources of a module: of each, what it brings, and not what all of them bring together. */
import { expect, test } from 'vitest';
import { judgeModule } from '../../../src/control/guards/guard-module.ts';
import type { Guardrails } from '../../../src/control/guards/guardrails.ts';
import { setOfTexts } from '../../../src/core/sets/set-of-texts.ts';
import { OPEN_POLICY } from '../../../src/policy/policy-guardrail.ts';
import { guardrailsOf } from './guardrails.ts';

/** A module whose sources bring these prefixes. */
function judge(sources: Readonly<Record<string, readonly string[]>>, guardrails: Partial<Guardrails>) {
  const all = Object.values(sources).flat();
  const setsOf = (texts: readonly string[]) => ({
    ipv4: setOfTexts('ipv4', texts),
    ipv6: setOfTexts('ipv6', texts),
  });
  const { ipv4, ipv6 } = setsOf(all);
  const contributions = [ipv4, ipv6].map((set) => ({ community: '65000:1', set }));
  const module = { id: 'm', name: 'clouds', purpose: 'announce', isCollected: true, contributions } as const;
  const entries = new Map(Object.entries(sources).map(([id, texts]) => [id, setsOf(texts)]));
  return judgeModule(module, [], guardrailsOf(guardrails), entries);
}

const SHORT = { minLength: { ipv4: 24, ipv6: 19 } };

test('each source has its own number and example', () => {
  const found = judge(
    { aws: ['9.0.0.0/22', '9.1.0.0/20', '9.2.0.0/24'], cloudflare: ['11.4.0.0/16'], good: ['12.0.0.0/24'] },
    SHORT,
  );
  expect(found).toMatchObject([
    { entry_id: 'aws', examples: ['9.0.0.0/22', '9.1.0.0/20'], measured: 22, limit: 24, module_id: 'm' },
    { entry_id: 'cloudflare', examples: ['11.4.0.0/16'], measured: 16, limit: 24, module_id: 'm' },
  ]);
  expect(found.map(({ detail }) => detail.split('. Correct')[0])).toEqual([
    'Module clouds: 2 IPv4 prefixes are shorter than /24, such as 9.0.0.0/22',
    'Module clouds: 1 IPv4 prefix is shorter than /24, such as 11.4.0.0/16',
  ]);
});

test('a route that two sources make together counts for both', () => {
  const found = judge({ one: ['9.0.0.0/24'], other: ['9.0.1.0/24', '9.1.0.0/22'] }, SHORT);
  expect(found.map(({ entry_id: id, detail }) => [id, /\d+ IPv4 prefix(?:es)?/.exec(detail)![0]])).toEqual([
    ['other', '2 IPv4 prefixes'],
    ['one', '1 IPv4 prefix'],
  ]);
  expect(found[1]!.detail).toContain('such as 9.0.0.0/23.');
});

test('of two checks with one code, each has its own', () => {
  const policy = { ...OPEN_POLICY, prefixes: ['9.0.0.0/8'], communities: ['65010:*'] };
  const found = judge(
    { one: ['11.0.0.0/24', '9.0.0.0/24'], other: ['11.2.0.0/24', '11.4.0.0/24'] },
    { policy },
  );
  const said = found.map(({ entry_id: id, measured, detail }) => [
    id,
    measured,
    /allowed_\w+/.exec(detail)![0],
    /(?:, such as|\):) (\S+)\. Correct/.exec(detail)![1],
  ]);
  expect(said).toEqual([
    ['other', 2, 'allowed_prefixes', '11.2.0.0/24'],
    ['one', 1, 'allowed_prefixes', '11.0.0.0/24'],
    ['one', 2, 'allowed_communities', '9.0.0.0/24'],
    ['other', 2, 'allowed_communities', '11.2.0.0/24'],
  ]);
});

test('ten sources are named one by one, and no more', () => {
  const sources = Array.from({ length: 12 }, (_, n) => [`s${n}`, [`9.${n * 2}.0.0/22`]] as const);
  expect(judge(Object.fromEntries(sources), SHORT)).toHaveLength(10);
});

test('too much of the Internet is of the source that has most of it', () => {
  const found = judge({ little: ['9.0.0.0/8'], much: ['64.0.0.0/3'] }, { maxCoveragePercent: 5 });
  expect(found.filter(({ code }) => code === 'coverage_exceeded')).toMatchObject([{ entry_id: 'much' }]);
});

test('of a route that is allowed in part, the source of the rest is named', () => {
  const policy = { ...OPEN_POLICY, prefixes: ['9.9.8.0/24'] };
  const found = judge({ allowed: ['9.9.8.0/24'], other: ['9.9.9.0/24'] }, { policy });
  expect(found).toMatchObject([{ code: 'tenant_policy', entry_id: 'other' }]);
});

test('what an operator writes may take everything out, and what is read from somewhere may not', () => {
  const contributions = [{ community: null, set: setOfTexts('ipv4', ['0.0.0.0/0']) }];
  const module = { id: 'm', name: 'holes', purpose: 'exclude', contributions } as const;
  expect(judgeModule({ ...module, isCollected: false }, [], guardrailsOf())).toEqual([]);
  expect(judgeModule({ ...module, isCollected: true }, [], guardrailsOf())).toMatchObject([
    { code: 'coverage_exceeded', module_id: 'm' },
  ]);
  // A default route may be announced where somebody allows it; it takes nothing out.
  const allowing = guardrailsOf({ allowDefaultRoute: true });
  expect(judgeModule({ ...module, isCollected: true }, [], allowing)).toHaveLength(1);
});
