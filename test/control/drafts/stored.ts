/** Contents and policies that a tenant has stored, as drafts read them. */
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import type { StoredGroup } from '../../../src/store/columns/column-shapes.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import { hashOfGroups, storePolicies } from '../../../src/store/revisions/module-policies.ts';
import type { useTenant } from '../../tenant.ts';

type Tenant = ReturnType<typeof useTenant>;

/** Stores a snapshot to which each of these entries contributes /24s of its own, from its place on. @returns its hash */
export function storeSnapshot(
  tenant: Tenant,
  entries: Readonly<Record<string, readonly [from: number, count: number]>>,
): Promise<string> {
  const builder = new PrefixTableBuilder();
  for (const [id, [from, count]] of Object.entries(entries))
    for (let i = from; i < from + count; i++) builder.add('ipv4', [0x2d000000 + (i << 9)], 24, id);
  const table = builder.build();
  const counts = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  return tenant.run((tx) => storeTable(tx, encodeTable(table), counts));
}

/** Stores what the entries of a list carried. @returns its hash */
export async function storeGroups(tenant: Tenant, groups: readonly StoredGroup[]): Promise<string> {
  const hash = hashOfGroups(groups);
  await tenant.run((tx) => storePolicies(tx, new Map([[hash, groups]])));
  return hash;
}
