import { describe, expect, test } from 'vitest';
import { CLOSED_POLICY, type TenantPolicyPatch } from '../../../src/api/access/tenant-policy.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { changeTenant } from '../../../src/control/tenants/tenants.ts';
import { loadRoutes } from '../../../src/control/peer-routes/load-routes.ts';
import { inspectTable } from '../../../src/control/guards/guard.ts';
import { OPEN_POLICY, type PolicyGuardrail } from '../../../src/policy/policy-guardrail.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { useGuarded } from './guarded.ts';
import { guardrailsOf } from './guardrails.ts';

/** A table of `prefix community` each. */
function tableOf(...routes: string[]): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const route of routes) {
    const [text = '', community = null] = route.split(' ');
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    builder.add(parsed.value.family, parsed.value.words, parsed.value.length, community);
  }
  return builder.build();
}

describe('routes outside of a policy', () => {
  const inspect = (policy: Partial<PolicyGuardrail>, ...routes: string[]) =>
    inspectTable(tableOf(...routes), guardrailsOf({ policy: { ...OPEN_POLICY, ...policy } }));

  test('by their prefix: wider ones too, each family by itself', () => {
    const prefixes = ['9.9.8.0/24', '9.9.9.0/24', '2620:fe::/32'];
    expect(inspect({ prefixes }, '9.9.8.0/23 65000:1', '9.9.9.9/32 65000:2', '2620:fe::/48')).toEqual([]);
    const found = inspect(
      { prefixes },
      '9.9.8.0/22 65000:1',
      '9.9.9.0/24 65000:1',
      '2a00::/32',
      '2620:fe::/48',
    );
    expect(found).toMatchObject([
      { code: 'tenant_policy', examples: ['9.9.8.0/22'], community: '65000:1', measured: 1 },
      { code: 'tenant_policy', examples: ['2a00::/32'], measured: 1 },
    ]);
    expect(found[0]!.detail).toMatch(
      /^1 IPv4 prefix is not among those .*\(allowed_prefixes\): 9\.9\.8\.0\/22\. Correct what it comes from\. /,
    );
    const [several] = inspect({ prefixes }, '9.9.8.0/22', '8.8.8.0/24');
    expect(several!.detail).toMatch(
      /^2 IPv4 prefixes are not among those .*\(allowed_prefixes\), such as \S+\. Correct what they come from\. /,
    );
  });

  test('an empty list allows none', () => {
    expect(inspect({ prefixes: [] }, '9.9.9.0/24')).toMatchObject([{ code: 'tenant_policy' }]);
    expect(inspect({ prefixes: [] })).toEqual([]);
  });

  test('by a community, also where they have an allowed one', () => {
    const routes = ['9.9.9.0/24 65010:1', '8.8.8.0/24 65000:1', '8.8.8.0/24 65010:1'];
    const found = inspect({ communities: ['65010:*'] }, ...routes);
    expect(found).toMatchObject([{ code: 'tenant_policy', examples: ['8.8.8.0/24'] }]);
    expect(inspect({ communities: ['65010:*', '65000:1'] }, ...routes)).toEqual([]);
  });

  test('by the next hop of a community', () => {
    const found = inspect({ foreignNextHops: ['65010:1'] }, '9.9.9.0/24 65010:1', '8.8.8.0/24 65010:2');
    expect(found).toMatchObject([{ code: 'tenant_policy', examples: ['9.9.9.0/24'] }]);
  });
});

describe('a tenant with a policy', () => {
  const guarded = useGuarded();

  const allow = (policy: TenantPolicyPatch) =>
    guarded.plane.run((tx) =>
      changeTenant(tx, guarded.plane.context, guarded.plane.tenantId, { policy }, null),
    );

  test('what a source brings outside of it is not announced, unless a super role lets it through', async () => {
    await allow({ allowed_prefixes: ['45.0.0.0/16'] });
    const id = await guarded.addModule('list');
    await guarded.addSource(id, '/policy');
    guarded.answer('/policy', ['45.0.1.0/24', '46.0.1.0/24']);
    expect(await guarded.refresh(id)).toMatchObject({
      state: 'ready',
      quarantined: [{ module_id: id, findings: [{ code: 'tenant_policy', examples: ['46.0.1.0/24'] }] }],
    });
    const request = { override: ['tenant_policy' as const], reason: 'agreed with the customer by phone' };
    await expect(guarded.release(id, request)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('tenant_policy') as string,
    });
    await guarded.release(id, request, 'super_admin');
    expect(await guarded.routes()).toEqual(['45.0.1.0/24', '46.0.1.0/24']);
    await allow({ allowed_prefixes: null });
  });

  test('a policy that was tightened takes away what it does not allow, and holds nobody else', async () => {
    const { plane } = guarded;
    const module = await plane.run((tx) => createModule(tx, { name: 'ranges', type: 'IP_RANGES' }));
    const { id } = module.resource;
    const ranges = [{ cidr: '47.0.0.0/15' }, { cidr: '47.8.0.0/24' }];
    await plane.run((tx) => createIpRangeEntries(tx, id, ranges, () => ''));
    const ready = await guarded.refresh(id);
    expect(ready.state).toBe('ready');
    await allow({ ...CLOSED_POLICY, allowed_prefixes: ['45.0.0.0/16'], allowed_communities: null });
    expect(await guarded.refused({ revision_id: ready.id })).toMatchObject({ code: 'tenant_policy' });
    // What a speaker would be given of it now.
    const { table } = await plane.run((tx) => loadRoutes(tx, ready.id));
    expect([table.ipv4.size, table.ipv6.size]).toEqual([0, 0]);
    // Half of a route that is allowed stays, and what another module brings goes through.
    await allow({ allowed_prefixes: ['47.0.0.0/16', '46.0.0.0/16'] });
    const other = await guarded.addRange('other', '46.0.0.0/24');
    expect(await guarded.refresh(other)).toMatchObject({
      state: 'ready',
      quarantined: [{ module_id: id, findings: [{ code: 'tenant_policy' }, { code: 'tenant_policy' }] }],
    });
    expect(await guarded.routes()).toEqual(['46.0.0.0/24', '47.0.0.0/16']);
    await allow({ allowed_prefixes: null, allowed_communities: null });
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual(['46.0.0.0/24', '47.0.0.0/15', '47.8.0.0/24']);
  });
});
