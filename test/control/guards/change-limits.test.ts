/** How much a list may change by itself. */
import { describe, expect, test } from 'vitest';
import { judgeChange, measureChange } from '../../../src/control/guards/guard-change.ts';
import { FAMILIES } from '../../../src/core/address.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';

const LIMITS = { percent: 30, mayBeReplaced: false };

describe('the limit', () => {
  const extent = (count: number) => ({ prefixes: count, addresses: BigInt(count) });
  const judge = (before: number, appeared: number, vanished: number, mayBeReplaced = false, percent = 30) =>
    judgeChange(
      {
        family: 'ipv4',
        before: extent(before),
        appeared: extent(appeared),
        vanished: extent(vanished),
        examples: [],
        lost: [],
        of: 'module',
        entryId: null,
      },
      { percent, mayBeReplaced },
      { id: 'm', name: 'clouds' },
    );

  test.each([
    // Fewer than a hundred: a hundred may appear, and half may vanish; of three, all.
    [99, 100, 49, false],
    [99, 101, 0, true],
    [99, 0, 50, true],
    [4, 100, 2, false],
    [4, 0, 3, true],
    [3, 100, 3, false],
    [1, 100, 1, false],
    [0, 100, 0, false],
    [0, 101, 0, true],
    // From a hundred on: the percentage.
    [100, 30, 30, false],
    [100, 31, 0, true],
    [100, 0, 31, true],
    [101, 30, 30, false],
    [101, 31, 0, true],
    [1_000, 300, 300, false],
    [1_000, 0, 301, true],
  ])('of %i prefixes %i appear and %i vanish: held %s', (before, appeared, vanished, isHeld) => {
    expect(judge(before, appeared, vanished) !== null).toBe(isHeld);
  });

  test('is the one that is exceeded most by its own measure', () => {
    expect(judge(50, 150, 50)).toMatchObject({ measured: 100, limit: 50 });
    expect(judge(50, 250, 50)).toMatchObject({ measured: 250, limit: 100 });
    // Of two that are exceeded alike, the larger number.
    expect(judge(50, 200, 50)).toMatchObject({ measured: 200, limit: 100 });
  });

  test('of a small list is all of it, where that changes in ordinary life', () => {
    expect(judge(99, 100, 99, true)).toBeNull();
    expect(judge(99, 101, 99, true)).toMatchObject({ measured: 101, limit: 100 });
    expect(judge(100, 0, 31, true)).toMatchObject({ measured: 31, limit: 30 });
  });

  test('of what is lost is never more than all that there was, however many prefixes write it', () => {
    const finding = judgeChange(
      {
        ...{ family: 'ipv4', before: { prefixes: 1_000, addresses: 1_000_000n }, appeared: extent(0) },
        ...{
          vanished: { prefixes: 1_471, addresses: 900_000n },
          examples: [],
          lost: [],
          of: 'module',
          entryId: null,
        },
      },
      LIMITS,
      { id: 'm', name: 'clouds' },
    );
    expect(finding).toMatchObject({ measured: 100, limit: 30 });
    expect(finding!.detail).toMatch(
      /its lists lost addresses that take 1471 prefixes to write, where all that was accepted before took 1000 IPv4 prefixes: that counts as 100 % of the prefixes, and 30 % is the most/,
    );
  });

  test('of a small list is at least half, and more where the setting says so', () => {
    expect(judge(20, 0, 10, false, 0)).toBeNull();
    expect(judge(20, 0, 11, false, 0)).toMatchObject({ measured: 55, limit: 50 });
    expect(judge(20, 0, 12, false, 60)).toBeNull();
    expect(judge(20, 0, 13, false, 60)).toMatchObject({ measured: 65, limit: 60 });
  });

  test('of what a small list grows by is a thousandth of the address space, or half of what it covered', () => {
    const grown = (covered: bigint, by: bigint, prefixes = 4) =>
      judgeChange(
        {
          ...{ family: 'ipv4', before: { prefixes, addresses: covered }, vanished: extent(0) },
          ...{
            appeared: { prefixes: 1, addresses: by },
            examples: [],
            lost: [],
            of: 'module',
            entryId: null,
          },
        },
        LIMITS,
        { id: 'm', name: 'clouds' },
      );
    const finding = grown(2n ** 12n, 2n ** 24n);
    expect(finding).toMatchObject({ measured: 0.46, limit: 0.1 });
    expect(finding!.detail).toMatch(
      /^Module clouds: without any edit, its lists gained 0\.46 % of what is routed on the Internet beside the 4 IPv4 prefixes accepted before, /,
    );
    expect(grown(2n ** 12n, 2n ** 21n)).toBeNull();
    expect(grown(2n ** 26n, 2n ** 25n)).toBeNull();
    expect(grown(2n ** 26n, 2n ** 25n + 1n)).toMatchObject({ code: 'max_change_exceeded' });
    expect(grown(2n ** 12n, 2n ** 32n)).toMatchObject({ measured: 100 });
    expect(grown(2n ** 12n, 2n ** 24n, 3)).toBeNull();
    expect(grown(0n, 2n ** 24n, 0)).toBeNull();
  });

  test('counts addresses as well as prefixes', () => {
    const change = {
      family: 'ipv6' as const,
      before: { prefixes: 1_000, addresses: 1_000n << 64n },
      appeared: { prefixes: 1, addresses: (300n << 64n) + 1n },
      vanished: extent(0),
      examples: ['2600::/40'],
      lost: [],
      of: 'module' as const,
      entryId: 'e',
    };
    const finding = judgeChange(change, LIMITS, { id: 'm', name: 'clouds' });
    expect(finding).toMatchObject({
      code: 'max_change_exceeded',
      module_id: 'm',
      entry_id: 'e',
      measured: 30.01,
      limit: 30,
      examples: ['2600::/40'],
      lost: [],
    });
    expect(finding!.detail).toMatch(
      /without any edit, its lists grew by 30\.01 % of the addresses in the 1000 IPv6 prefixes accepted before/,
    );
    const exactly = { prefixes: 1, addresses: 300n << 64n };
    expect(judgeChange({ ...change, appeared: exactly }, LIMITS, { id: 'm', name: 'clouds' })).toBeNull();
  });

  test('is for each family by itself', () => {
    const table = (count: number) => {
      const builder = new PrefixTableBuilder();
      for (let i = 0; i < 200; i++) builder.add('ipv4', [0x2d000000 + (i << 9)], 24, 'a');
      for (let i = 0; i < count; i++) builder.add('ipv6', [0x26000000, i << 17, 0, 0], 48, 'a');
      return builder.build();
    };
    const changes = measureChange(table(200), table(100), ['a'], FAMILIES, LIMITS);
    const findings = changes.map((change) => judgeChange(change, LIMITS, { id: 'm', name: 'clouds' }));
    expect(findings).toMatchObject([null, { measured: 50, entry_id: 'a' }]);
  });
});
