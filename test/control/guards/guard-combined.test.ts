/** What lists break only together. */
import { describe, expect, test } from 'vitest';
import { type ShareOfMany, inspectCombined } from '../../../src/control/guards/guard-combined.ts';
import type { Guardrails } from '../../../src/control/guards/guardrails.ts';
import { FAMILIES } from '../../../src/core/address.ts';
import { setOfTexts } from '../../../src/core/sets/set-of-texts.ts';
import { buildRevisionTable } from '../../../src/core/tables/revision-table.ts';
import { guardrailsOf } from './guardrails.ts';

/** A list of these prefixes, which was let through for these guardrails. */
function list(prefixes: readonly string[], ...released: string[]): ShareOfMany {
  const sets = FAMILIES.map((family) => setOfTexts(family, prefixes));
  return { contributions: sets.map((set) => ({ community: '65000:1', set })), released };
}

const inspect = (lists: readonly ShareOfMany[], guardrails: Partial<Guardrails> = {}) =>
  inspectCombined(
    buildRevisionTable({ contributions: lists.flatMap(({ contributions }) => contributions), exclusions: [] })
      .table,
    lists,
    guardrailsOf(guardrails),
  );

describe('how much they cover', () => {
  const HALVES = ['64.0.0.0/2', '128.0.0.0/2'] as const;
  const loose = { minLength: { ipv4: 0, ipv6: 0 }, bogons: 'allow' } as const;
  const codes = (lists: readonly ShareOfMany[]) => inspect(lists, loose).map(({ code }) => code);

  test('is too much of both, and of neither by itself', () => {
    expect(codes([list([HALVES[0]])])).toEqual([]);
    expect(
      inspect(
        HALVES.map((half) => list([half])),
        loose,
      ),
    ).toMatchObject([{ code: 'coverage_exceeded', module_id: null, measured: 57.4 }]);
  });

  test('is reported of the list alone that covers it by itself', () => {
    expect(codes([list(HALVES), list(['9.9.9.0/24'])])).toEqual([]);
  });

  test('is without a list that was let through for it', () => {
    expect(codes([list([HALVES[0]], 'coverage_exceeded'), list([HALVES[1]])])).toEqual([]);
    expect(codes([list([HALVES[0]], 'bogon_prefix'), list([HALVES[1]])])).toEqual(['coverage_exceeded']);
    const quarters = HALVES.map((half) => list([half]));
    expect(codes([list(['9.0.0.0/8'], 'coverage_exceeded'), ...quarters])).toEqual(['coverage_exceeded']);
  });
});

describe('a prefix that is too short', () => {
  const minLength = { ipv4: 24, ipv6: 48 };
  const found = (...lists: ShareOfMany[]) =>
    inspect(lists, { minLength }).map(({ code, examples }) => [code, ...examples]);

  test('is made of those of several that are long enough', () => {
    expect(found(list(['9.9.8.0/24']), list(['9.9.9.0/24']))).toEqual([['prefix_too_short', '9.9.8.0/23']]);
    expect(found(list(['2a00:0:8::/48']), list(['2a00:0:9::/48']))).toEqual([
      ['prefix_too_short', '2a00:0:8::/47'],
    ]);
  });

  test('is that of the list that has it, where one has', () => {
    expect(found(list(['9.9.8.0/23']), list(['9.9.9.0/24']))).toEqual([]);
  });

  test('may be what was let through of several, and no more than that', () => {
    const one = list(['9.9.8.0/24'], 'prefix_too_short');
    expect(found(one, list(['9.9.9.0/24'], 'prefix_too_short'))).toEqual([]);
    expect(found(one, list(['9.9.9.0/24']))).toEqual([['prefix_too_short', '9.9.8.0/23']]);
  });

  test('is all that is named of several routes, with its address of either family', () => {
    const one = list(['9.0.0.0/24', '9.9.8.0/24', '2a00::/48', '2a00:0:8::/48', '2a00:0:e::/48']);
    expect(found(one, list(['9.9.9.0/24', '2a00:0:9::/48', '2a00:0:f::/48']))).toEqual([
      ['prefix_too_short', '9.9.8.0/23'],
      ['prefix_too_short', '2a00:0:8::/47', '2a00:0:e::/47'],
    ]);
  });
});

test('what each list breaks by itself is not said again of all of them', () => {
  const bad = [list(['10.1.0.0/16']), list(['9.9.9.0/24'])];
  expect(inspect(bad, { protected: [{ prefix: '9.9.9.9', of: 'a peer' }] })).toEqual([]);
});

test('how many prefixes they have is a matter of all', () => {
  const lists = [list(['9.9.9.0/24']), list(['8.8.8.0/24', '2a00::/48'])];
  expect(inspect(lists, { maxPrefixes: 3 })).toEqual([]);
  expect(inspect(lists, { maxPrefixes: 2 })).toMatchObject([
    { code: 'max_prefixes_exceeded', measured: 3, limit: 2 },
  ]);
});
