/** How a change of a ruleset goes into the kernel: a large set that changes a little stays, everything else is made anew. */
import { describe, expect, test } from 'vitest';
import { setOfTexts } from '../../src/core/sets/set-of-texts.ts';
import { chainRules, type ScriptRule } from '../../src/nftables/chains.ts';
import { nextTransaction, wholeTransaction } from '../../src/nftables/layout.ts';
import { ruleSet } from '../../src/nftables/names.ts';
import type { Script } from '../../src/nftables/script.ts';

const ID = '0198c5d2-7b1e-7c3a-9f42-000000000001';
const RULE: ScriptRule = { id: ID, action: 'block', direction: 'in', protocol: 'any', ports: [] };

/** /24s that nothing joins. */
const prefixes = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `45.${(from + n) >> 7}.${((from + n) & 127) * 2}.0/24`);

function script(listed: readonly string[], rule = RULE): Script {
  return {
    ...{ hash: '0'.repeat(64), policy: 'block', protected: [] },
    sets: [{ rule, ipv4: setOfTexts('ipv4', listed), ipv6: setOfTexts('ipv6', listed) }],
    local: { control: [], sessions: [], resolvers: [], connections: [] },
  };
}

/** Sets of the rule that are made, by their part. */
function madeBy(before: readonly string[], after: readonly string[]): string[] {
  const { made } = nextTransaction(wholeTransaction(script(before)).layout, script(after));
  return (['base', 'less', 'more'] as const).filter((part) => made.includes(ruleSet(ID, 'ipv4', part)));
}

describe('of a large set', () => {
  test.each([
    ['an eighth comes', prefixes(0, 4_096 + 512), ['more']],
    ['more than an eighth comes', prefixes(0, 4_096 + 513), ['base']],
    ['an eighth goes', prefixes(512, 4_096), ['less']],
    ['more than an eighth goes', prefixes(513, 4_096), ['base']],
    ['an eighth comes and goes together', prefixes(256, 4_096 + 256), ['less', 'more']],
    ['more than an eighth comes and goes together', prefixes(257, 4_096 + 256), ['base']],
    ['nothing changes', prefixes(0, 4_096), []],
    ['nothing is left', [], []],
  ])('%s', (_what, after, made) => {
    expect(madeBy(prefixes(0, 4_096), after)).toEqual(made);
  });
});

test('a small set is made again for one prefix', () => {
  expect(madeBy(prefixes(0, 1_024), prefixes(0, 1_025))).toEqual(['base']);
  expect(madeBy(prefixes(0, 1_025), prefixes(0, 1_026))).toEqual(['more']);
});

describe('the chains', () => {
  const linesOf = (ports: ScriptRule['ports']): string[] => {
    const { layout } = wholeTransaction(script(prefixes(0, 1), { ...RULE, protocol: 'tcp', ports }));
    return chainRules(layout.shape);
  };

  test('let a host have its address, of either family', () => {
    const ofDhcp = linesOf([]).filter((line) => line.includes('udp'));
    expect(ofDhcp.map((line) => line.replace('add rule inet prefixcast ', ''))).toEqual(
      expect.arrayContaining([
        'input udp sport 67 udp dport 68 accept',
        'input udp sport 547 udp dport 546 accept',
        'output udp sport 68 udp dport 67 accept',
        'output udp sport 546 udp dport 547 accept',
      ]),
    );
  });

  test('name ports in ranges that do not overlap, which nft would refuse, nor touch', () => {
    const ports = ['443', '80-82', '83-90', '85-86'];
    const [line] = linesOf(ports).filter((one) => one.includes('dport {') && one.includes('rule_'));
    expect(line).toContain('tcp dport { 80-90, 443 } counter');
  });
});
