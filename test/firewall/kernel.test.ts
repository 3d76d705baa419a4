import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Kernel } from '../../src/firewall/kernel.ts';
import { Nft } from '../../src/firewall/nft.ts';
import type { ScriptRule } from '../../src/nftables/chains.ts';
import { ruleObject, ruleSet } from '../../src/nftables/names.ts';
import { setOfTexts } from '../../src/core/sets/set-of-texts.ts';
import type { Script } from '../../src/nftables/script.ts';
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
import { kernelOn } from './nft-on.ts';

const nft = requireNft();

let rules = 0;
/** A rule of its own id that lists these. */
function rule(prefixes: readonly string[], more: Partial<ScriptRule> = {}): Script['sets'][number] {
  const id = `0198c5d2-7b1e-7c3a-9f42-${String(rules++).padStart(12, '0')}`;
  return {
    rule: { id, action: 'block', direction: 'both', protocol: 'any', ports: [], ...more },
    ipv4: setOfTexts('ipv4', prefixes),
    ipv6: setOfTexts('ipv6', prefixes),
  };
}

let scripts = 0;
function script(sets: Script['sets'], more: Partial<Script> = {}): Script {
  return {
    hash: String(scripts++).padStart(64, '0'),
    policy: 'block',
    protected: [],
    sets,
    local: {
      control: [{ address: CONTROL, port: CONTROL_PORT }],
      sessions: [],
      resolvers: [],
      connections: [],
    },
    ...more,
  };
}

describe.skipIf(nft === null)('the packet filter', () => {
  let space: Space;
  let kernel: Kernel;
  beforeAll(async () => {
    space = await makeSpace();
  });
  afterAll(() => space?.close());
  beforeEach(async () => {
    kernel = kernelOn(space);
    await kernel.remove();
  });

  /** What passes of everything between the host and another. */
  async function passes(other: typeof OTHER): Promise<Record<string, boolean>> {
    const asked = (['ipv4', 'ipv6'] as const).flatMap((family) => {
      const [here, there] = [HOST[family], other[family]];
      return [
        [`tcp in ${family}`, space.outside.ask('tcp', { host: here, port: PORT, from: there })],
        [`tcp out ${family}`, space.inside.ask('tcp', { host: there, port: PORT })],
        [`udp in ${family}`, space.outside.ask('udp', { host: here, port: PORT, from: there })],
        [`udp out ${family}`, space.inside.ask('udp', { host: there, port: PORT })],
        [`icmp in ${family}`, space.ping('outside', here, there)],
        [`icmp out ${family}`, space.ping('inside', there)],
      ] as const;
    });
    const found: Record<string, boolean> = {};
    for (const [name, passing] of asked) found[name] = await passing;
    return found;
  }

  const names = (passing: Record<string, boolean>): string[] =>
    Object.entries(passing).flatMap(([name, isPassing]) => (isPassing ? [name] : []));
  const ALL = ['ipv4', 'ipv6'].flatMap((family) =>
    ['tcp in', 'tcp out', 'udp in', 'udp out', 'icmp in', 'icmp out'].map((name) => `${name} ${family}`),
  );

  test('blocks what a rule lists, and nothing else', async () => {
    expect(names(await passes(OTHER)).sort()).toEqual([...ALL].sort());
    await kernel.apply(script([rule([OTHER.ipv4, OTHER.ipv6])]));
    expect(names(await passes(OTHER))).toEqual([]);
    expect(names(await passes(THIRD)).sort()).toEqual([...ALL].sort());
  });

  test.each(['in', 'out'] as const)('blocks the direction %s alone', async (direction) => {
    await kernel.apply(script([rule([OTHER.ipv4, OTHER.ipv6], { direction })]));
    const open = ALL.filter((name) => !name.includes(` ${direction} `));
    expect(names(await passes(OTHER)).sort()).toEqual(open.sort());
  });

  test.each(['tcp', 'udp', 'icmp'] as const)('blocks the protocol %s alone', async (protocol) => {
    await kernel.apply(script([rule([OTHER.ipv4, OTHER.ipv6], { protocol })]));
    const open = ALL.filter((name) => !name.startsWith(protocol));
    expect(names(await passes(OTHER)).sort()).toEqual(open.sort());
  });

  test('blocks ports, one and in a range, and leaves others open', async () => {
    const listed = (ports: string[]) => script([rule([OTHER.ipv4], { protocol: 'tcp', ports })]);
    const reaches = (): Promise<boolean> => space.inside.ask('tcp', { host: OTHER.ipv4, port: PORT });
    await kernel.apply(listed(['6000-6999', '7001', '7001-7010']));
    expect(await reaches()).toBe(true);
    await kernel.apply(listed(['80', '6999-7000']));
    expect(await reaches()).toBe(false);
  });

  test('accepts only what a rule accepts, where that is the policy', async () => {
    const accepted = rule([OTHER.ipv4, OTHER.ipv6], { action: 'accept' });
    await kernel.apply(script([accepted], { policy: 'accept' }));
    expect(names(await passes(OTHER)).sort()).toEqual([...ALL].sort());
    expect(names(await passes(THIRD))).toEqual([]);
    await kernel.apply(script([rule([OTHER.ipv4]), accepted], { policy: 'accept' }));
    expect(names(await passes(OTHER)).sort()).toEqual(ALL.filter((name) => name.endsWith('ipv6')).sort());
  });

  test('lets protected networks and resolvers pass, whatever is listed', async () => {
    await space.outside.ask('listen', { host: THIRD.ipv4, port: 53 });
    const everything = rule(['0.0.0.0/0', '::/0']);
    const { local } = script([]);
    const kept = { protected: [`${OTHER.ipv4}/32`, `${OTHER.ipv6}/128`] };
    await kernel.apply(script([everything], { ...kept, local: { ...local, resolvers: [THIRD.ipv4] } }));
    expect(names(await passes(OTHER)).sort()).toEqual([...ALL].sort());
    expect(names(await passes(THIRD))).toEqual([]);
    const ask = (what: string): Promise<boolean> => space.inside.ask(what, { host: THIRD.ipv4, port: 53 });
    expect([await ask('udp'), await ask('tcp')]).toEqual([true, true]);
    await kernel.apply(script([everything], kept));
    expect([await ask('udp'), await ask('tcp')]).toEqual([false, false]);
  });

  test('counts what each rule has matched, and goes on counting over a change', async () => {
    const blocked = rule([OTHER.ipv4]);
    await kernel.apply(script([blocked]));
    await space.ping('outside', HOST.ipv4, OTHER.ipv4);
    const before = (await kernel.look()).counters.find((one) => one.rule_id === blocked.rule.id)!;
    expect(before.packets).toBeGreaterThan(0);
    await kernel.apply(script([blocked, rule(['192.0.2.0/24'])]));
    const { counters, fault } = await kernel.look();
    expect(fault).toBeNull();
    expect(counters).toContainEqual(before);
  });

  test('takes a small change of a large set as a difference, and holds exactly what it should', async () => {
    const many = Array.from({ length: 5_000 }, (_, i) => `45.${i >> 8}.${i & 255}.0/25`);
    const listed = rule([...many, OTHER.ipv4]);
    await kernel.apply(script([listed]));
    expect(await space.inside.ask('tcp', { host: OTHER.ipv4, port: PORT })).toBe(false);
    const changed = { ...listed, ipv4: setOfTexts('ipv4', [...many.slice(3), THIRD.ipv4]) };
    await kernel.apply(script([changed]));
    const sets = space.nft('-t', 'list', 'ruleset', 'inet');
    expect(sets).toMatch(/_v4_less/);
    expect(sets).toMatch(/_v4_more/);
    expect(await space.inside.ask('tcp', { host: OTHER.ipv4, port: PORT })).toBe(true);
    expect(await space.inside.ask('tcp', { host: THIRD.ipv4, port: PORT })).toBe(false);
    // And back: nothing is left of the difference.
    await kernel.apply(script([listed]));
    expect(space.nft('-t', 'list', 'ruleset', 'inet')).not.toMatch(/_less|_more/);
    expect(await space.inside.ask('tcp', { host: OTHER.ipv4, port: PORT })).toBe(false);
  });

  test('touches nothing but its own table, and takes that out', async () => {
    space.nft('add table inet of_somebody_else');
    await kernel.apply(script([rule([OTHER.ipv4])]));
    await kernel.remove();
    expect(space.nft('list', 'tables')).toBe('table inet of_somebody_else\n');
    expect(await kernel.isEmpty()).toBe(true);
    space.nft('delete table inet of_somebody_else');
  });

  test('sees what somebody else does to the table', async () => {
    const listed = script([rule([OTHER.ipv4])]);
    await kernel.apply(listed);
    for (const [args, fault] of [
      [['flush chain inet prefixcast input'], /chain input has 0 rules/],
      [['add set inet prefixcast strange { type ipv4_addr; }'], /strange/],
      [['delete table inet prefixcast'], /is gone/],
    ] as const) {
      space.nft(...args);
      expect((await kernel.look()).fault).toMatch(fault);
      await kernel.apply(listed, { whole: true });
      expect((await kernel.look()).fault).toBeNull();
    }
  });

  test('sees a single rule and a single prefix that somebody else puts in the place of another', async () => {
    const first = rule([OTHER.ipv4, '192.0.2.0/24'], { direction: 'in' });
    const listed = script([first, rule([THIRD.ipv6])]);
    await kernel.apply(listed);
    const handleOf = (text: string): string =>
      /# handle (\d+)/.exec(
        space
          .nft('-a', 'list', 'chain', 'inet', 'prefixcast', 'input')
          .split('\n')
          .find((line) => line.includes(text))!,
      )![1]!;
    const [set, counter] = [ruleSet(first.rule.id, 'ipv4'), ruleObject(first.rule.id)];
    const inChain = `inet prefixcast input`;
    for (const [what, change, fault] of [
      [
        'a block that lets pass',
        `replace rule ${inChain} handle ${handleOf(`@${set}`)} ip saddr @${set} counter name "${counter}" accept`,
        /rule \d+ of the chain input was changed/,
      ],
      ['a prefix more', `add element inet prefixcast ${set} { 198.51.100.0/24 }`, /set/],
      ['a prefix less', `delete element inet prefixcast ${set} { ${OTHER.ipv4} }`, /set/],
    ] as const) {
      space.nft(change);
      expect((await kernel.look()).fault, what).toMatch(fault);
      await kernel.apply(listed, { whole: true });
      expect((await kernel.look()).fault, what).toBeNull();
    }
    // Another order of the same rules lets others through.
    const loopback = handleOf('iifname "lo"');
    space.nft(`delete rule ${inChain} handle ${loopback}; add rule ${inChain} iifname "lo" accept`);
    expect((await kernel.look()).fault).toMatch(/rule 1 of the chain input was changed/);
  });

  test('keeps what is in force when nft refuses', async () => {
    const good = script([rule([OTHER.ipv4])]);
    await kernel.apply(good);
    const bad = {
      ...rule([THIRD.ipv4]),
      rule: { ...rule([]).rule, ports: ['0-70000'], protocol: 'tcp' as const },
    };
    await expect(kernel.apply(script([bad]))).rejects.toMatchObject({ code: 'kernel_refused' });
    expect(kernel.script).toBe(good);
    expect((await kernel.look()).fault).toBeNull();
    expect(await space.inside.ask('tcp', { host: OTHER.ipv4, port: PORT })).toBe(false);
  });
});

test('a missing program is reported with the remedy', async () => {
  await expect(new Nft('/nonexistent/nft').run(['list', 'tables'])).rejects.toMatchObject({
    code: 'wrong_setup',
    message: expect.stringContaining('APP_FIREWALL_NFT') as unknown,
  });
});
