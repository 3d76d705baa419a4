/** The two chains: first the rules that protect the host, then the client's rules in their order, then the policy. */
import type { FirewallPolicy } from '../api/firewall/firewall-clients.ts';
import type { FirewallRule } from '../api/firewall/firewall-rules.ts';
import { FAMILIES, type Family } from '../core/address.ts';
import {
  CHAINS,
  FAMILY,
  PRIORITY,
  TABLE,
  localSet,
  ruleObject,
  ruleSet,
  rulesetComment,
  type ChainName,
} from './names.ts';

/** A rule without its prefixes. */
export type ScriptRule = Pick<FirewallRule, 'id' | 'action' | 'direction' | 'protocol' | 'ports'>;

/** Which sets a rule has, by family. */
export interface RuleShape {
  readonly rule: ScriptRule;
  readonly parts: Readonly<
    Record<Family, { readonly base: boolean; readonly less: boolean; readonly more: boolean }>
  >;
}

/** A TCP connection of the host. */
export interface OpenConnection {
  readonly family: Family;
  /** Address of the other end. */
  readonly address: string;
  readonly remotePort: number;
  readonly localPort: number;
}

export interface ChainsShape {
  readonly hash: string;
  readonly policy: FirewallPolicy;
  /** Ports on which the control plane listens. */
  readonly controlPorts: readonly number[];
  /** Connections that connection tracking may not know. */
  readonly connections: readonly OpenConnection[];
  readonly rules: readonly RuleShape[];
}

const ND_TYPES =
  'nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, ' +
  'mld-listener-query, mld-listener-report, mld-listener-done, mld2-listener-report';

const IP: Readonly<Record<Family, string>> = { ipv4: 'ip', ipv6: 'ip6' };
const ICMP: Readonly<Record<Family, string>> = { ipv4: 'icmp', ipv6: 'ipv6-icmp' };

/** The chain with its policy, as `add chain` takes it. */
export function chainLine(chain: ChainName, policy: FirewallPolicy): string {
  const verdict = policy === 'accept' ? 'drop' : 'accept';
  return `add chain ${FAMILY} ${TABLE} ${chain} { type filter hook ${chain} priority ${PRIORITY}; policy ${verdict}; }`;
}

/** Every rule of both chains, a line each. */
export function chainRules(shape: ChainsShape): string[] {
  return CHAINS.flatMap((chain) =>
    [...protection(chain, shape), ...shape.rules.flatMap((rule) => ruleLines(chain, rule))].map(
      (line) => `add rule ${FAMILY} ${TABLE} ${chain} ${line}`,
    ),
  );
}

/** How many rules each chain has. */
export function countRules(shape: ChainsShape): Readonly<Record<ChainName, number>> {
  const count = (chain: ChainName): number =>
    protection(chain, shape).length +
    shape.rules.reduce((sum, rule) => sum + ruleLines(chain, rule).length, 0);
  return { input: count('input'), output: count('output') };
}

/** Rules that come before all others: without them nobody could reach the host to correct a mistake. */
function protection(chain: ChainName, { hash, controlPorts, connections }: ChainsShape): string[] {
  const isInput = chain === 'input';
  const side = isInput ? 'saddr' : 'daddr';
  const ports = controlPorts.length === 0 ? null : `{ ${[...new Set(controlPorts)].join(', ')} }`;
  const ofFamily = (family: Family): string[] => [
    ...connectionLines(chain, family, connections),
    `${IP[family]} ${side} @${localSet('protected', family)} accept`,
    ...(ports === null
      ? []
      : [
          `${IP[family]} ${side} @${localSet('control', family)} tcp ${isInput ? 'sport' : 'dport'} ${ports} accept`,
        ]),
    // Its name must be resolved to find the control plane.
    `${IP[family]} ${side} @${localSet('resolvers', family)} meta l4proto { tcp, udp } th ${isInput ? 'sport' : 'dport'} 53 accept`,
  ];
  return [
    `${isInput ? 'iifname' : 'oifname'} "lo" accept`,
    `ct state established,related accept comment "${rulesetComment(hash)}"`,
    `icmpv6 type { ${ND_TYPES} } accept`,
    // A host whose DHCP lease expires is as unreachable as one that is locked.
    isInput ? 'udp sport 67 udp dport 68 accept' : 'udp sport 68 udp dport 67 accept',
    isInput ? 'udp sport 547 udp dport 546 accept' : 'udp sport 546 udp dport 547 accept',
    ...FAMILIES.flatMap(ofFamily),
  ];
}

/** Connections that were open before they were tracked, which would otherwise seem invalid. */
function connectionLines(chain: ChainName, family: Family, connections: readonly OpenConnection[]): string[] {
  const tuples = connections
    .filter((one) => one.family === family)
    .map(({ address, remotePort, localPort }) =>
      chain === 'input'
        ? `${address} . ${remotePort} . ${localPort}`
        : `${address} . ${localPort} . ${remotePort}`,
    );
  if (tuples.length === 0) return [];
  const address = `${IP[family]} ${chain === 'input' ? 'saddr' : 'daddr'}`;
  return [`${address} . tcp sport . tcp dport { ${[...new Set(tuples)].join(', ')} } accept`];
}

function ruleLines(chain: ChainName, { rule, parts }: RuleShape): string[] {
  const isInput = chain === 'input';
  if (rule.direction !== 'both' && rule.direction !== (isInput ? 'in' : 'out')) return [];
  const end = `counter name "${ruleObject(rule.id)}" ${rule.action === 'block' ? 'drop' : 'accept'}`;
  return FAMILIES.flatMap((family) => {
    const address = `${IP[family]} ${isInput ? 'saddr' : 'daddr'}`;
    const { base, less, more } = parts[family];
    const unless = less ? ` ${address} != @${ruleSet(rule.id, family, 'less')}` : '';
    const rest = `${protocolMatch(rule, family)}${end}`;
    return [
      ...(base ? [`${address} @${ruleSet(rule.id, family)}${unless} ${rest}`] : []),
      ...(more ? [`${address} @${ruleSet(rule.id, family, 'more')} ${rest}`] : []),
    ];
  });
}

function protocolMatch({ protocol, ports }: ScriptRule, family: Family): string {
  if (protocol === 'any') return '';
  if (protocol === 'icmp') return `meta l4proto ${ICMP[family]} `;
  if (ports.length === 0) return `meta l4proto ${protocol} `;
  return `${protocol} dport { ${mergePorts(ports).join(', ')} } `;
}

/** Sorted ranges that do not touch: nft rejects overlapping ones. */
function mergePorts(ports: readonly string[]): string[] {
  const ranges = ports
    .map((text) => {
      const [first = 0, last = first] = text.split('-').map(Number);
      return { first, last };
    })
    .sort((a, b) => a.first - b.first);
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of ranges) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
}
