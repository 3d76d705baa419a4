/** What the guardrail about large withdrawals says: percents of what they count, which is addresses or prefixes. */
import { describe, expect, test } from 'vitest';
import {
  isTooMuch,
  judgeSlip,
  judgeWithdrawal,
  measureWithdrawal,
  type ModuleMove,
  type ModuleSide,
} from '../../../src/control/guards/guard-withdrawal.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';

const before = { prefixes: 3_588, addresses: 1_000_000n };
const examples = ['2600::/40'];
const slip = { moduleId: 'm', isHeld: false, examples, left: { prefixes: 0, addresses: 0n } };

function said(
  vanished: { readonly prefixes: number; readonly addresses: bigint },
  lost = vanished,
): string[] {
  const withdrawal = { family: 'ipv6' as const, before, vanished, examples, moduleId: 'm', releasedIds: [] };
  const own = { ...slip, lost };
  const finding = judgeWithdrawal({ ...withdrawal, slips: [own] }, 50, new Map([['m', 'clouds']]));
  return [judgeSlip({ ...withdrawal, slips: [own] }, own, 50, 'clouds').detail, finding!.detail];
}

test('addresses, where these are most: few prefixes may cover nearly all', () => {
  const [ofModule, ofRevision] = said(
    { prefixes: 904, addresses: 992_700n },
    { prefixes: 4_000, addresses: 900_000n },
  );
  expect(ofModule).toBe(
    'Module clouds: Edits take away 99.27 % of the addresses in the 3588 IPv6 prefixes that a speaker runs, and guard_max_withdraw_percent is 50. ' +
      'This module takes away 90 %, and stays as it was. Undo the edit, or release the module with override and a reason if it is meant.',
  );
  expect(ofRevision).toMatch(
    /^Edits take away 99\.27 % of the addresses in the 3588 IPv6 prefixes that a speaker runs, /,
  );
});

test('addresses, where more of them go than of the prefixes, and both are too much', () => {
  const [ofModule, ofRevision] = said({ prefixes: 2_000, addresses: 990_000n });
  expect(ofModule).toContain('Edits take away 99 % of the addresses in the 3588 IPv6 prefixes');
  expect(ofRevision).toContain('Edits take away 99 % of the addresses in the 3588 IPv6 prefixes');
});

test('prefixes, where these are most', () => {
  const [ofModule, ofRevision] = said(
    { prefixes: 3_588, addresses: 600_000n },
    { prefixes: 1_794, addresses: 600_000n },
  );
  expect(ofModule).toMatch(
    /^Module clouds: Edits take away 100 % of the 3588 IPv6 prefixes .* This module takes away 50 %, /,
  );
  expect(ofRevision).toMatch(/^Edits take away 100 % of the 3588 IPv6 prefixes that a speaker runs, /);
});

test.each([
  // A list of fewer than a hundred may be emptied by hand.
  [99, 99, false],
  [100, 100, true],
  // Exactly the limit is good.
  [100, 50, false],
  [100, 51, true],
])('of %i prefixes %i go: too much %s', (prefixes, gone, isMore) => {
  const extent = (count: number) => ({ prefixes: count, addresses: BigInt(count) * 256n });
  expect(isTooMuch({ before: extent(prefixes), vanished: extent(gone) }, 50)).toBe(isMore);
});

test('what holes take out of routes is counted by the routes, and is never more than all', () => {
  const [before, after] = [new PrefixTableBuilder(), new PrefixTableBuilder()];
  for (let n = 0; n < 200; n++) {
    const first = 0x20000000 + n * 0x20000;
    before.add('ipv4', [first], 16, '65000:1');
    // A hole of a /32 each in half of them: sixteen prefixes write what is left.
    if (n % 2 === 0) after.add('ipv4', [first], 16, '65000:1');
    else
      for (let length = 17; length <= 32; length++)
        after.add('ipv4', [first + 2 ** (32 - length)], length, '65000:1');
  }
  const [ipv4] = measureWithdrawal(before.build(), after.build());
  expect(ipv4).toMatchObject({ before: { prefixes: 200 }, vanished: { prefixes: 100, addresses: 100n } });
  const [back] = measureWithdrawal(after.build(), before.build());
  expect(back!.vanished).toEqual({ prefixes: 0, addresses: 0n });
  const none = new PrefixTableBuilder();
  none.add('ipv4', [0x20000001], 32, '65000:1');
  const [all] = measureWithdrawal(before.build(), none.build());
  expect(judgeWithdrawal(all!, 50, new Map())).toMatchObject({ measured: 100 });
});

describe('what modules take away', () => {
  const numbers = (from: number, to: number): number[] =>
    Array.from({ length: to - from }, (_, n) => from + n);

  /** A /24 for each number, none beside another. */
  function tableOf(some: readonly number[], entry = 'entry'): PrefixTable {
    const table = new PrefixTableBuilder();
    for (const n of some) table.add('ipv4', [0x20000000 + n * 512], 24, entry);
    return table.build();
  }

  const side = (purpose: ModuleSide['purpose'], some: readonly number[], entry?: string): ModuleSide => ({
    ...{ purpose, table: tableOf(some, entry), contributions: null },
  });

  const move = (
    id: string,
    before: ModuleSide | null,
    after: ModuleSide | null,
    more: Partial<ModuleMove> = {},
  ): ModuleMove => ({ id, before, after, unchanged: [], stale: [], way: 'holdable', ...more });

  const measure = (applied: readonly number[], next: readonly number[], moves: readonly ModuleMove[]) =>
    measureWithdrawal(tableOf(applied), tableOf(next), moves)[0]!;

  test('those that are held already stay first, then those that lose most', () => {
    const { moduleId, slips } = measure(numbers(0, 200), numbers(115, 200), [
      move('few', side('announce', numbers(0, 10)), null),
      move('many', side('announce', numbers(10, 110)), null),
      move('held', side('announce', numbers(110, 115)), null, { way: 'held' }),
    ]);
    expect(slips.map(({ moduleId: id, lost, left }) => [id, lost.prefixes, left.prefixes])).toEqual([
      ['held', 5, 110],
      ['many', 100, 10],
      ['few', 10, 0],
    ]);
    expect(moduleId).toBe('many');
  });

  test('what sources say, and what has left by itself, is no edit', () => {
    const { vanished, slips } = measure(numbers(0, 30), numbers(10, 20), [
      move('ended', side('announce', numbers(0, 10), 'gone'), side('announce', []), { stale: ['gone'] }),
      move('excluding', side('exclude', []), side('exclude', numbers(20, 30), 'source'), {
        unchanged: ['source'],
      }),
    ]);
    expect(vanished).toEqual({ prefixes: 0, addresses: 0n });
    expect(slips).toEqual([]);
  });

  test('what somebody let through before a later edit stays so, and only what that takes away counts', () => {
    const { vanished, releasedIds, slips } = measure(numbers(0, 100), numbers(60, 100), [
      move('list', side('announce', numbers(0, 100)), side('announce', numbers(60, 100)), {
        released: side('announce', numbers(40, 100)),
      }),
    ]);
    expect(vanished.prefixes).toBe(20);
    expect(releasedIds).toEqual(['list']);
    expect(slips).toMatchObject([{ moduleId: 'list', lost: { prefixes: 20 }, left: { prefixes: 0 } }]);
  });

  test('the module is named that had most of it, and none that takes it out of the lists of others', () => {
    const { moduleId, slips } = measure(numbers(0, 100), numbers(50, 100), [
      move('excluding', side('exclude', []), side('exclude', numbers(0, 40))),
      move('announcing', side('announce', numbers(40, 60)), side('announce', numbers(50, 60))),
    ]);
    expect(moduleId).toBe('announcing');
    // It is the one whose edit takes most away.
    expect(slips.map(({ moduleId: id, lost }) => [id, lost.prefixes])).toEqual([
      ['excluding', 40],
      ['announcing', 10],
    ]);
  });

  test('a list that is turned into an exclusion takes all of it away, whatever its source says', () => {
    const { vanished } = measure(
      numbers(0, 100),
      [],
      [
        move('list', side('announce', numbers(0, 100), 'source'), side('exclude', [], 'source'), {
          unchanged: ['source'],
        }),
      ],
    );
    expect(vanished.prefixes).toBe(100);
  });
});
