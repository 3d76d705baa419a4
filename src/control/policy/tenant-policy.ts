import { CLOSED_POLICY, type TenantPolicy, type TenantPolicyPatch } from '../../api/access/tenant-policy.ts';
import type { FieldFault } from '../../api/problems/problem.ts';
import { parseAsn } from '../../core/asn.ts';
import { formatCommunity, parseCommunity } from '../../core/community.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import { findRepeats, refuseFaults } from '../body-faults.ts';

/**
 * The policy with what the patch names in its place, in canonical text.
 * @throws {Problem} `validation_failed` with a pointer to each item below `/policy`
 */
export function changedPolicy(
  patch: TenantPolicyPatch | undefined,
  before: TenantPolicy = CLOSED_POLICY,
): TenantPolicy {
  if (patch === undefined) return before;
  const faults: FieldFault[] = [];
  const read = <Item>(
    name: keyof TenantPolicyPatch,
    list: readonly Item[] | null | undefined,
    canonical: (item: Item) => Read,
  ): string[] | null | undefined => {
    if (list === null || list === undefined) return list;
    const at = (index: number): string => `/policy/${name}/${index}`;
    const items = list.map(canonical);
    const texts = items.map((item) => (item.ok ? item.text : null));
    faults.push(
      ...items.flatMap((item, index) => (item.ok ? [] : [{ pointer: at(index), detail: item.reason }])),
    );
    faults.push(...findRepeats(texts, at));
    return texts.filter((text) => text !== null);
  };
  const asns = read('allowed_local_asns', patch.allowed_local_asns, asnOf);
  const named = {
    ...patch,
    allowed_prefixes: read('allowed_prefixes', patch.allowed_prefixes, prefixOf),
    allowed_communities: read('allowed_communities', patch.allowed_communities, communityOf),
    allowed_local_asns: asns?.map(Number) ?? asns,
    allowed_peer_networks: read('allowed_peer_networks', patch.allowed_peer_networks, prefixOf),
    allowed_source_addresses: read('allowed_source_addresses', patch.allowed_source_addresses, prefixOf),
  };
  refuseFaults(faults);
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...before, ...(given as Partial<TenantPolicy>) };
}

type Read = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

function prefixOf(text: string): Read {
  const parsed = parsePrefix(text.trim());
  return parsed.ok
    ? { ok: true, text: formatPrefix(parsed.value) }
    : { ok: false, reason: `${parsed.reason}.` };
}

function asnOf(asn: number): Read {
  const parsed = parseAsn(asn);
  return parsed.ok ? { ok: true, text: String(parsed.value) } : { ok: false, reason: `${parsed.reason}.` };
}

/** A `*` stands for a number behind the first, which is whose communities these are. */
function communityOf(text: string): Read {
  const [first, ...others] = text.trim().split(':');
  const isPattern = others.includes('*');
  const example = [first, ...others.map((part) => (part === '*' ? '1' : part))].join(':');
  const parsed = parseCommunity(isPattern ? example : text.trim());
  if (!parsed.ok)
    return { ok: false, reason: `${parsed.reason}. For any number behind the first write *, as in 65000:*.` };
  if (!isPattern) return { ok: true, text: formatCommunity(parsed.value) };
  if (parsed.value.kind === 'well-known')
    return { ok: false, reason: 'Well-known communities are allowed by name, such as blackhole.' };
  return { ok: true, text: [first, ...others].join(':') };
}
