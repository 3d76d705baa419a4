/** What a route needs beyond its example and the fixtures to succeed. */
import { randomUUID } from 'node:crypto';
import type { TenantRoute } from '../../src/http/route.ts';
import type { ListServer } from '../sources/lists/list-server.ts';
import { Browser } from './access/browser.ts';
import type { Fixtures } from './fixtures.ts';
import type { TestService, TestTenant } from './service.ts';

export interface Setting {
  readonly ids?: Fixtures;
  readonly body?: unknown;
  readonly query?: string;
  /** What lets the request in, in place of an API key. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Place {
  readonly service: TestService;
  readonly lists: ListServer;
  readonly tenant: TestTenant;
}

const SETTINGS: Readonly<Record<string, (place: Place, ids: Fixtures) => Promise<Setting>>> = {
  createCommunity: () => Promise.resolve({ body: { community: '65000:101', title: 'Another' } }),
  createPeer: () => Promise.resolve({ body: { name: 'b', address: '192.0.2.8', remote_asn: 64500 } }),
  createIpRangeEntries: () => Promise.resolve({ body: { cidr: '9.9.9.0/24' } }),
  async deleteCommunity({ service, tenant: { keys } }) {
    const unused = { community: '65000:102', title: 'Unused' };
    return { ids: { community: (await service.make('/v1/communities', unused, keys.operator)).id } };
  },
  previewCdnSource: ({ lists }) => Promise.resolve({ body: { url: `${lists.origin}/list` } }),
  previewGeofeed: ({ lists }) =>
    Promise.resolve({ body: { url: `${lists.origin}/list`, countries: ['DE'] } }),
  importEntries: (_place, ids) => Promise.resolve({ ids: { module: ids['module of ranges']! } }),
  async restoreModule({ service, tenant: { keys } }) {
    const key = keys.operator;
    const { id } = await service.make(
      '/v1/modules',
      { name: `gone ${randomUUID()}`, type: 'IP_RANGES' },
      key,
    );
    await service.call('DELETE', `/v1/modules/${id}`, { key });
    return { ids: { module: id } };
  },
  async restoreEntries({ service, tenant: { keys } }) {
    const key = keys.operator;
    const { id } = await service.make(
      '/v1/modules',
      { name: `less ${randomUUID()}`, type: 'AS_PREFIXES' },
      key,
    );
    const entry = await service.make(`/v1/modules/${id}/as-entries`, { asn: 3333 }, key);
    await service.call('DELETE', `/v1/modules/${id}/as-entries/${entry.id}`, { key });
    const { body } = await service.call('GET', `/v1/modules/${id}/removed-entries`, { key });
    return { ids: { module: id }, body: { batch: (body.items as { id: string }[])[0]!.id } };
  },
  openSession: ({ tenant: { keys } }) => Promise.resolve({ body: { api_key: keys.operator } }),
  async endSession({ service, tenant: { keys } }) {
    const browser = new Browser(service.url);
    await browser.signIn(keys.operator);
    const [[name, { value }] = ['', { value: '' }]] = browser.cookies;
    return {
      headers: { cookie: `${name}=${value}`, 'x-csrf-token': String(browser.session.csrf_token) },
    };
  },
  async deleteTenant({ service, tenant: { keys } }, ids) {
    const path = `/v1/tenants/${ids.tenant}`;
    const { body } = await service.call('PATCH', path, {
      key: keys.super_admin,
      body: { status: 'suspended' },
    });
    return { query: `?confirm=${String(body.slug)}` };
  },
};

export async function settingOf(
  { operation }: Pick<TenantRoute, 'operation'>,
  place: Place,
  ids: Fixtures,
): Promise<Setting> {
  return (await SETTINGS[operation]?.(place, ids)) ?? {};
}
