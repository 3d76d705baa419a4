/** Rows of each kind that has a quota. */
import { v7 as uuidv7 } from 'uuid';
import { type QuotaName } from '../../src/api/access/tenants.ts';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import { insertEnrollmentToken } from '../../src/store/keys/enrollment-tokens.ts';
import type { TenantTx } from '../../src/store/database/database.ts';

let counter = 0;

/** No two rows have the same. */
export function nextNumber(): number {
  return counter++;
}

/** What is counted row by row; sessions are in test/http/access/session-quota.test.ts. */
export type Counted = Exclude<QuotaName, 'entries' | 'sessions'>;

export const addToken = (tx: TenantTx): Promise<string> => {
  const { secret: _, ...minted } = mintApiKey('enrollment');
  const subject = { firewallPolicy: 'block', firewallClientId: null } as const;
  return insertEnrollmentToken(tx, { ...minted, validSeconds: 3_600, createdBy: 'key:somebody', ...subject });
};

/** Adds one of each kind to the tenant. */
export const ADD: Readonly<Record<Counted, (tx: TenantTx) => Promise<unknown>>> = {
  modules: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('module')
      .values({ tenant_id, id: uuidv7(), name: `m${nextNumber()}`, type: 'IP_RANGES' })
      .execute(),
  communities: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('community')
      .values({ tenant_id, id: uuidv7(), community: `1:${nextNumber()}`, title: 'c' })
      .execute(),
  speakers: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('speaker')
      .values({ tenant_id, id: uuidv7(), name: `s${nextNumber()}`, local_asn: 64512 })
      .execute(),
  peers: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('peer')
      .values({ tenant_id, id: uuidv7(), name: `p${nextNumber()}`, address: '192.0.2.1', remote_asn: 64500 })
      .execute(),
  api_keys: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('api_key')
      .values({
        tenant_id,
        id: uuidv7(),
        name: 'k',
        role: 'viewer',
        prefix: 'pc_v_',
        secret_hash: Buffer.from(String(nextNumber()).padStart(32, '0')),
      })
      .execute(),
  firewall_clients: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('firewall_client')
      .values({ tenant_id, id: uuidv7(), name: `f${nextNumber()}`, hostname: 'h' })
      .execute(),
  firewall_rules: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('firewall_rule')
      .values({ tenant_id, id: uuidv7(), name: `r${nextNumber()}`, action: 'block', direction: 'in' })
      .execute(),
  feeds: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('feed')
      .values({
        ...{ tenant_id, id: uuidv7(), name: `f${nextNumber()}`, families: ['ipv4'], format: 'text' },
        ...{ when_too_many: 'fail', token_prefix: 'pc_l_', token_hash: Buffer.from(uuidv7()) },
      })
      .execute(),
  webhooks: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('webhook')
      .values({
        ...{
          tenant_id,
          id: uuidv7(),
          name: `w${nextNumber()}`,
          url: 'https://example.net/',
          events: ['job'],
        },
        ...{ format: 'json', secret_prefix: 'pc_h_', secret_sealed: Buffer.from('') },
      })
      .execute(),
  doh_profiles: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('doh_profile')
      .values({ tenant_id, id: uuidv7(), name: `d${nextNumber()}`, url: 'https://dns.example.net/' })
      .execute(),
  enrollment_tokens: (tx) => addToken(tx),
  jobs_queued: ({ tenantId: tenant_id, sql }) =>
    sql.insertInto('job').values({ tenant_id, id: uuidv7(), type: 'apply', input: '{}' }).execute(),
};
