import { describe, expect, test } from 'vitest';
import type { DomainAnswer, Resolver } from '../../../src/sources/doh/domain.ts';
import { resolveDomain } from '../../../src/sources/doh/domain.ts';
import { SourceError } from '../../../src/sources/source-error.ts';

/** Resolvers that say this; null: it fails; of nothing, there is no such name. What is asked is written down. */
function saying(...answers: (readonly string[] | null)[]): { resolvers: Resolver[]; asked: number[] } {
  const asked: number[] = [];
  const resolvers = answers.map((addresses, index): Resolver => ({
    lookUp: () => {
      asked.push(index);
      return addresses === null
        ? Promise.reject(new SourceError('source_dns_failure', `resolver ${index} answered SERVFAIL.`))
        : Promise.resolve({
            addresses: addresses.map((address) => ({ address, ttl: 60 - index })),
            isMissing: addresses.length === 0,
          });
    },
  }));
  return { resolvers, asked };
}

const shown = (answer: DomainAnswer): unknown =>
  answer.kind === 'failed'
    ? answer.error.code
    : [answer.addresses.map(({ address }) => address).sort(), answer.failure === null];

const [A, B, C] = ['45.0.0.1', '45.0.0.2', '45.0.0.3'];

describe('first_success', () => {
  test.each([
    ['the first', [[A], [B]], [[A], true], [0]],
    ['the first, when it knows of nothing', [[], [B]], [[], true], [0]],
    ['the second, when the first fails', [null, [B]], [[B], true], [0, 1]],
    ['nobody', [null, null], 'source_dns_failure', [0, 1]],
  ])('%s', async (_, answers, expected, order) => {
    const { resolvers, asked } = saying(...(answers as (string[] | null)[]));
    const strategy = { strategy: 'first_success', quorum: 1 } as const;
    expect(shown(await resolveDomain('a.example', 'ipv4', resolvers, strategy))).toEqual(expected);
    expect(asked).toEqual(order);
  });
});

describe('union', () => {
  test.each([
    [
      'of what all say',
      [
        [A, B],
        [B, C],
      ],
      [[A, B, C], true],
    ],
    ['is not all when one fails', [[A], null], [[A], false]],
    ['of nothing', [[], []], [[], true]],
    ['of nothing and a failure is a failure', [[], null], 'source_dns_failure'],
    ['of failures', [null, null], 'source_dns_failure'],
  ])('%s', async (_, answers, expected) => {
    const { resolvers } = saying(...(answers as (string[] | null)[]));
    const strategy = { strategy: 'union', quorum: 1 } as const;
    expect(shown(await resolveDomain('a.example', 'ipv4', resolvers, strategy))).toEqual(expected);
  });
});

describe('quorum of two', () => {
  test.each([
    ['agree on some', [[A, B], [B, C], [C]], [[B, C], true]],
    ['agree on nothing', [[A], [B], [C]], [[], true]],
    ['agree while one fails', [[A], [A], null], [[A], false]],
    ['agree on nothing while one fails', [[A], [B], null], 'source_dns_failure'],
    ['are not there', [[A], null, null], 'source_dns_failure'],
    ['are more than there are', [[A]], 'source_no_resolver'],
  ])('%s', async (_, answers, expected) => {
    const { resolvers } = saying(...answers);
    const strategy = { strategy: 'quorum', quorum: 2 } as const;
    expect(shown(await resolveDomain('a.example', 'ipv4', resolvers, strategy))).toEqual(expected);
  });
});

test('the least time to live of an address counts', async () => {
  const { resolvers } = saying([A], [A]);
  const answer = await resolveDomain('a.example', 'ipv4', resolvers, { strategy: 'union', quorum: 1 });
  expect(answer).toMatchObject({ addresses: [{ address: A, ttl: 59 }] });
});

test.each([
  [[[], []], true],
  [[[], [A]], false],
])('a name is missing where all that answer say so', async (said, isMissing) => {
  const { resolvers } = saying(...said);
  const answer = await resolveDomain('a.example', 'ipv4', resolvers, { strategy: 'union', quorum: 1 });
  expect(answer).toMatchObject({ kind: 'answered', isMissing });
});

test('without a resolver it says how to get one', async () => {
  const answer = await resolveDomain('a.example', 'ipv4', [], { strategy: 'union', quorum: 1 });
  expect(answer).toMatchObject({ kind: 'failed', error: { code: 'source_no_resolver' } });
  expect((answer as { error: Error }).error.message).toContain('POST /v1/doh-profiles');
});

test('what is no fault of a resolver is not one of the domain', async () => {
  const broken: Resolver = { lookUp: () => Promise.reject(new TypeError('a slip of ours')) };
  const asking = resolveDomain('a.example', 'ipv4', [broken], { strategy: 'first_success', quorum: 1 });
  await expect(asking).rejects.toThrow('a slip of ours');
});
