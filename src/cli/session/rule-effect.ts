/** What a firewall rule does, where a dry run of it is asked for: no route depends on it, and hosts do. */
import type { Schemas } from '#client';
import { RULE } from '../nouns/access-nouns.ts';
import { counted, named } from '../render/counted.ts';
import type { Session } from './run-remote.ts';

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

type Rule = Schemas['FirewallRule'];
type Shown = Pick<
  Rule,
  'action' | 'direction' | 'protocol' | 'ports' | 'module_ids' | 'community_ids' | 'cidrs' | 'client_ids'
> & { readonly enabled: boolean };

/** As the API has them. */
const DEFAULTS: Shown = {
  ...{ action: 'block', direction: 'both', protocol: 'any', enabled: true },
  ...{ ports: [], module_ids: [], community_ids: [], cidrs: [], client_ids: [] },
};

/** Networks that are named. */
const NAMED = 3;

export function isOfRule({ path }: Pick<Write, 'path'>): boolean {
  return path === RULE.path || path.startsWith(`${RULE.path}/`);
}

/** What packets it stops or lets pass at which hosts, now and then. */
export async function ruleLines(session: Session, { method, path, body }: Write): Promise<string[]> {
  const { client } = session;
  const clients = await client.list('/v1/firewall/clients', { params: { query: { limit: 500 } } }).toArray();
  const known = await session.names.byId(['module', 'community']);
  const text = (rule: Shown): string => ruleText(rule, clients, known);
  if (method === 'POST') return [`Then: it ${text({ ...DEFAULTS, ...(body as Partial<Shown>) })}`];
  const now = (await (await client.request('GET', path)).json()) as Rule;
  const then = method === 'DELETE' ? 'it is gone' : `it ${text({ ...now, ...(body as Partial<Shown>) })}`;
  return [`Now: it ${text(now)}`, `Then: ${then}`];
}

function ruleText(
  rule: Shown,
  clients: readonly Schemas['FirewallClient'][],
  known: ReadonlyMap<string, string>,
): string {
  if (!rule.enabled) return 'is disabled, and does nothing';
  const { action, direction, protocol, ports, client_ids: ids } = rule;
  const hosts = clients.filter(({ id }) => ids.length === 0 || ids.includes(id)).map(({ name }) => name);
  const { count, names } = named('host', hosts);
  const way = { in: 'that come from', out: 'that go to', both: 'from and to' }[direction];
  const what = protocol === 'any' ? 'packets' : `${protocol} packets`;
  const at = ports.length === 0 ? '' : ` (port ${ports.join(', ')})`;
  const where = hosts.length === 0 ? 'no host yet' : `${count}: ${names}`;
  const does = action === 'block' ? 'blocks' : 'accepts';
  return `${does} ${what} ${way} ${listedText(rule, known)}${at}, at ${where}`;
}

function listedText(
  { module_ids: modules, community_ids: communities, cidrs }: Shown,
  known: ReadonlyMap<string, string>,
): string {
  const called = (ids: readonly string[]): string => ids.map((id) => known.get(id) ?? id).join(', ');
  const rest = cidrs.length - NAMED;
  const networks = [...cidrs.slice(0, NAMED), ...(rest > 0 ? [`${counted(rest, 'other')}`] : [])];
  const all = [
    ...(networks.length > 0 ? [networks.join(', ')] : []),
    ...(modules.length > 0 ? [`the lists of ${called(modules)}`] : []),
    ...(communities.length > 0 ? [`prefixes with ${called(communities)}`] : []),
  ];
  return all.length === 0 ? 'no address' : all.join(' and ');
}
