/** What the guardrail about large withdrawals says: percents of what they count, which is addresses or prefixes. */
import { expect, test } from 'vitest';
import { isTooMuch, judgeSlip, judgeWithdrawal } from '../../../src/control/guards/guard-withdrawal.ts';

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
