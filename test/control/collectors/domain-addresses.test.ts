import { describe, expect, test } from 'vitest';
import type { DomainAddress } from '../../../src/api/entries/domain-entries.ts';
import {
  type DomainAnswers,
  mergeAddresses,
  prefixesOf,
} from '../../../src/control/collectors/domain-addresses.ts';
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import type { DomainAnswer } from '../../../src/sources/doh/domain.ts';
import { SourceError } from '../../../src/sources/source-error.ts';

const NOW = '2026-11-21T12:00:00.000Z';
const ago = (seconds: number): string => new Date(Date.parse(NOW) - seconds * 1000).toISOString();
const rules = { at: NOW, retainSeconds: 3_600, maxAddresses: 100, bogons: 'drop' } as const;

const failure = new SourceError('source_dns_failure', 'SERVFAIL');
const answered = (addresses: string[], isComplete = true): DomainAnswer => ({
  ...{ kind: 'answered', isMissing: false, failure: isComplete ? null : failure },
  addresses: addresses.map((address) => ({ address, ttl: 60 })),
});
const failed: DomainAnswer = { kind: 'failed', error: failure };
const ipv4 = (answer: DomainAnswer): DomainAnswers => new Map([['ipv4', answer]]);
const held = (address: string, seconds: number): DomainAddress => ({
  ...{ address, ttl: 30, first_seen_at: ago(86_400), last_seen_at: ago(seconds), dropped: null },
});
const texts = (addresses: readonly DomainAddress[]): string[] => addresses.map(({ address }) => address);

test('a new address is seen now for the first time; a known one keeps when that was', () => {
  const { addresses } = mergeAddresses(
    [held('45.0.0.1', 60)],
    ipv4(answered(['45.0.0.1', '45.0.0.2'])),
    rules,
  );
  expect(addresses).toEqual([
    { address: '45.0.0.1', ttl: 60, first_seen_at: ago(86_400), last_seen_at: NOW, dropped: null },
    { address: '45.0.0.2', ttl: 60, first_seen_at: NOW, last_seen_at: NOW, dropped: null },
  ]);
});

test.each([
  [3_599, 3_600, true],
  [3_600, 3_600, true],
  [3_601, 3_600, false],
  [1, 0, false],
])('last seen %i s ago, retained %i s: stays %s', (seconds, retainSeconds, stays) => {
  const { addresses } = mergeAddresses([held('45.0.0.1', seconds)], ipv4(answered([])), {
    ...rules,
    retainSeconds,
  });
  expect(texts(addresses)).toEqual(stays ? ['45.0.0.1'] : []);
});

test('a failure, and an answer that may not be all, let nothing go', () => {
  const old = [held('45.0.0.1', 1_000_000)];
  expect(texts(mergeAddresses(old, ipv4(failed), rules).addresses)).toEqual(['45.0.0.1']);
  expect(texts(mergeAddresses(old, ipv4(answered(['45.0.0.2'], false)), rules).addresses)).toEqual([
    '45.0.0.2',
    '45.0.0.1',
  ]);
});

test('what stays only for that is stale', () => {
  const stale = (seconds: number, answer: DomainAnswer) =>
    mergeAddresses([held('45.0.0.1', seconds)], ipv4(answer), rules).isStale;
  expect(stale(60, answered(['45.0.0.2'], false))).toBe(false);
  expect(stale(3_601, answered(['45.0.0.2'], false))).toBe(true);
  expect(stale(3_601, answered(['45.0.0.1'], false))).toBe(false);
  expect(stale(3_601, answered(['45.0.0.2']))).toBe(false);
  expect(stale(60, failed)).toBe(true);
  expect(mergeAddresses([], ipv4(failed), rules).isStale).toBe(false);
});

test('families are apart; one that is not asked for keeps nothing', () => {
  const old = [held('45.0.0.1', 1_000_000), held('2600:80::1', 1_000_000)];
  const both: DomainAnswers = new Map([
    ['ipv4', answered([])],
    ['ipv6', failed],
  ]);
  expect(texts(mergeAddresses(old, both, rules).addresses)).toEqual(['2600:80::1']);
  expect(texts(mergeAddresses(old, ipv4(failed), rules).addresses)).toEqual(['45.0.0.1']);
});

test('beyond the maximum those seen last stay', () => {
  const old = [held('45.0.0.1', 30), held('45.0.0.2', 20), held('45.0.0.3', 10)];
  const merged = mergeAddresses(old, ipv4(answered(['45.0.0.9'])), { ...rules, maxAddresses: 2 });
  expect(texts(merged.addresses)).toEqual(['45.0.0.9', '45.0.0.3']);
  expect(merged.excess).toBe(2);
});

describe('special-purpose addresses', () => {
  const answer = ipv4(answered(['10.0.0.1', '45.0.0.1', '127.0.0.1']));

  test('are reported and contribute nothing', () => {
    const { addresses } = mergeAddresses([], answer, rules);
    expect(addresses.find(({ address }) => address === '10.0.0.1')!.dropped).toBe(
      'Private use (10.0.0.0/8, RFC 1918)',
    );
    const rows = prefixesOf(addresses).ipv4;
    expect(Array.from({ length: rows.size }, (_, row) => formatPrefixAt(rows, row))).toEqual(['45.0.0.1/32']);
  });

  test('contribute where the tenant allows it, also when they were dropped before', () => {
    const before = mergeAddresses([], answer, rules).addresses;
    const { addresses } = mergeAddresses(before, ipv4(answered([])), { ...rules, bogons: 'allow' });
    expect(addresses.map(({ dropped }) => dropped)).toEqual([null, null, null]);
    expect(prefixesOf(addresses).ipv4.size).toBe(3);
  });
});
