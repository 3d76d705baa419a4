/** Whatever rules somebody writes: the host stays reachable for those who would mend them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Kernel } from '../../src/firewall/kernel.ts';
import { setOfTexts } from '../../src/core/sets/set-of-texts.ts';
import type { Script } from '../../src/nftables/script.ts';
import { times } from '../fuzz.ts';
import { kernelOn } from './nft-on.ts';
import {
  CONTROL,
  CONTROL_PORT,
  HOST,
  OTHER,
  PORT,
  THIRD,
  makeSpace,
  requireNft,
  type Space,
} from './space.ts';

const nft = requireNft();
vi.setConfig({ testTimeout: 600_000 });

const NETWORKS = [
  ...['0.0.0.0/0', '10.0.0.0/8', '10.77.0.0/24', `${OTHER.ipv4}/32`, `${THIRD.ipv4}/32`, `${CONTROL}/32`],
  ...[
    '::/0',
    'fd77::/64',
    `${OTHER.ipv6}/128`,
    'fe80::/10',
    'ff00::/8',
    '127.0.0.0/8',
    '::1/128',
    `${HOST.ipv4}/32`,
  ],
];

const port = fc.oneof(
  fc.integer({ min: 1, max: 65_535 }).map(String),
  fc
    .tuple(fc.integer({ min: 1, max: 65_535 }), fc.integer({ min: 1, max: 65_535 }))
    .map((pair) => pair.sort((a, b) => a - b).join('-')),
);
const ruleOf = fc.record({
  action: fc.constantFrom('block' as const, 'accept' as const),
  direction: fc.constantFrom('in' as const, 'out' as const, 'both' as const),
  protocol: fc.constantFrom('any' as const, 'tcp' as const, 'udp' as const, 'icmp' as const),
  ports: fc.array(port, { maxLength: 3 }),
  prefixes: fc.uniqueArray(fc.constantFrom(...NETWORKS), { minLength: 1, maxLength: 4 }),
});
const rulesets = fc.record({
  policy: fc.constantFrom('block' as const, 'accept' as const),
  rules: fc.array(ruleOf, { maxLength: 5 }),
});

describe.skipIf(nft === null)('no ruleset', () => {
  let space: Space;
  let kernel: Kernel;
  beforeAll(async () => {
    space = await makeSpace();
    kernel = kernelOn(space);
    await space.outside.ask('listen', { host: CONTROL, port: CONTROL_PORT });
  });
  afterAll(() => space?.close());

  test('locks the host out', async () => {
    let number = 0;
    const local = {
      control: [{ address: CONTROL, port: CONTROL_PORT }],
      sessions: [THIRD.ipv4, THIRD.ipv6],
      resolvers: [],
      connections: [],
    };
    await space.outside.ask('open', { name: 'kept', host: HOST.ipv4, port: PORT });
    // From here on connections are tracked: the client lets those before go on by what the host tells (client.test.ts).
    await kernel.apply({ hash: '0'.repeat(64), policy: 'block', protected: [], sets: [], local });
    expect(await space.outside.ask('say', { name: 'kept', wait: 5_000 })).toBe(true);
    await fc.assert(
      fc.asyncProperty(rulesets, async ({ policy, rules }) => {
        const sets = rules.map(({ prefixes, ...rule }, index): Script['sets'][number] => ({
          rule: {
            ...rule,
            id: `0198c5d2-7b1e-7c3a-9f42-${String(index).padStart(12, '0')}`,
            ports: rule.protocol === 'tcp' || rule.protocol === 'udp' ? rule.ports : [],
          },
          ipv4: setOfTexts('ipv4', prefixes),
          ipv6: setOfTexts('ipv6', prefixes),
        }));
        await kernel.apply({
          ...{ hash: String(number++).padStart(64, '0'), policy, sets, local },
          protected: [`${OTHER.ipv4}/32`, `${OTHER.ipv6}/128`],
        });
        // Neighbours are looked for anew.
        space.host.ip('neigh', 'flush', 'all');
        space.others.ip('neigh', 'flush', 'all');
        const wait = 5_000;
        const [kept, control, administered, administeredIpv6, kept4, kept6, loopback] = await Promise.all([
          space.outside.ask('say', { name: 'kept', wait }),
          space.inside.ask('tcp', { host: CONTROL, port: CONTROL_PORT, wait }),
          space.outside.ask('tcp', { host: HOST.ipv4, port: PORT, from: THIRD.ipv4, wait }),
          space.outside.ask('tcp', { host: HOST.ipv6, port: PORT, from: THIRD.ipv6, wait }),
          space.outside.ask('tcp', { host: HOST.ipv4, port: PORT, from: OTHER.ipv4, wait }),
          space.inside.ask('tcp', { host: OTHER.ipv6, port: PORT, wait }),
          space.inside.ask('tcp', { host: '127.0.0.1', port: PORT, wait }),
        ]);
        expect({ kept, control, administered, administeredIpv6, kept4, kept6, loopback }).toEqual({
          ...{ kept: true, control: true, administered: true, administeredIpv6: true, loopback: true },
          ...{ kept4: true, kept6: true },
        });
      }),
      { numRuns: times(200) },
    );
  });
});
