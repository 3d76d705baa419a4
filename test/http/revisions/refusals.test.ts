/** Bad input of modules, sources, ranges and communities: one row for each rule that schemas and verbs keep. */
import { describe, expect, test } from 'vitest';
import { CONFLICT, INVALID, useRefusals } from './refusing.ts';

const refusals = useRefusals();

const MODULES = 'POST /v1/modules';
describe('modules', () => {
  const good = { name: 'n', type: 'IP_RANGES' };
  refusals.each(INVALID, [
    [MODULES, [], '', /must be an object/],
    [MODULES, { type: 'IP_RANGES' }, '/name', /is required: a string/],
    [MODULES, { ...good, name: '' }, '/name', /must not be empty/],
    [MODULES, { ...good, name: 'n'.repeat(101) }, '/name', /at most 100 characters; it has 101/],
    [MODULES, { ...good, name: 'a\u0000b' }, '/name', /remove it/],
    [MODULES, { name: 'n', type: 'IP_RANGE' }, '/type', /did you mean "IP_RANGES"/],
    [MODULES, { ...good, enabld: true }, '/enabld', /did you mean "enabled"/],
    [MODULES, { ...good, id: ':nobody' }, '/id', /leave it out/],
    [MODULES, { ...good, entry_count: 1 }, '/entry_count', /leave it out/],
    [MODULES, { ...good, enabled: 'yes' }, '/enabled', /true or false/],
    [MODULES, { ...good, purpose: 'deny' }, '/purpose', /one of announce, exclude/],
    [
      MODULES,
      { ...good, refresh_interval_seconds: 59 },
      '/refresh_interval_seconds',
      /from 60 to 2592000, or null/,
    ],
    [MODULES, { ...good, refresh_interval_seconds: 90.5 }, '/refresh_interval_seconds', /whole number/],
    [MODULES, { ...good, families: [] }, '/families', /at least 1 item/],
    [MODULES, { ...good, families: ['ipv4', 'ipv4'] }, '/families/1', /name each once/],
    [MODULES, { ...good, families: ['ipv5'] }, '/families/0', /one of ipv4, ipv6/],
    [MODULES, { ...good, community_id: '65000:1' }, '/community_id', /an id \(UUID\), or null/],
    [MODULES, { ...good, community_id: ':nobody' }, '/community_id', /List \/v1\/communities/],
    [
      MODULES,
      { ...good, doh_profile_ids: [':nobody'] },
      '/doh_profile_ids',
      /DOMAINS.*Leave doh_profile_ids out/,
    ],
    [MODULES, { ...good, doh_profile_id: ':nobody' }, '/doh_profile_id', /DOMAINS.*Leave doh_profile_id out/],
    [MODULES, { ...good, doh_resolver_policy: {} }, '/doh_resolver_policy', /Leave doh_resolver_policy out/],
    [
      MODULES,
      { name: 'n', type: 'DOMAINS', doh_resolver_policy: { quorum: 0 } },
      '/doh_resolver_policy/quorum',
      /from 1 to 16/,
    ],
    [
      MODULES,
      { name: 'n', type: 'DOMAINS', doh_profile_ids: [':nobody'], doh_profile_id: ':speaker' },
      '/doh_profile_id',
      /Give doh_profile_ids only/,
    ],
    ['PATCH /v1/modules/:cdn', {}, '', /at least one field/],
    ['PATCH /v1/modules/:cdn', { type: 'IP_RANGES' }, '/type', /cannot be set here; leave it out/],
    [
      'PATCH /v1/modules/:cdn',
      { doh_profile_ids: [':nobody'] },
      '/doh_profile_ids',
      /this one is CDN_SOURCES/,
    ],
    ['PATCH /v1/modules/:cdn', { community_id: ':nobody' }, '/community_id', /List \/v1\/communities/],
  ]);

  refusals.each(CONFLICT, [
    [MODULES, { ...good, name: 'cdn' }, '/name', /exists already\. Choose another/],
    ['PATCH /v1/modules/:ranges', { name: 'cdn' }, '/name', /exists already\. Choose another/],
    ['POST /v1/modules/:off/refresh', undefined, null, /disabled.*Enable it/],
  ]);
});

const SOURCES = 'POST /v1/modules/:cdn/cdn-sources';
describe('CDN sources', () => {
  const good = { name: 'n', url: 'https://a.example/list' };
  const second = (body: object) => ({
    items: [
      { ...good, name: 'first' },
      { ...good, ...body },
    ],
  });
  refusals.each(INVALID, [
    [SOURCES, { url: good.url }, '/name', /required/],
    [SOURCES, { ...good, url: '' }, '/url', /must not be empty/],
    [SOURCES, { ...good, url: 'a.example/list' }, '/url', /write it in full/],
    [SOURCES, { ...good, url: 'ftp://a.example/list' }, '/url', /https: or http: only/],
    [SOURCES, { ...good, url: 'file:///etc/passwd' }, '/url', /https: or http: only/],
    [SOURCES, { ...good, url: 'https://me:secret@a.example/' }, '/url', /header \(Authorization\) instead/],
    [SOURCES, { ...good, url: 'https://a.example/a list' }, '/url', /%20/],
    [SOURCES, { ...good, url: `https://a.example/${'x'.repeat(2048)}` }, '/url', /at most 2048/],
    [SOURCES, { ...good, format: 'xml' }, '/format', /one of auto, text, json, csv/],
    [SOURCES, { ...good, format: 'json', json_path: '$.[' }, '/json_path', /RFC 9535.*Write it such as/],
    [
      SOURCES,
      { ...good, format: 'text', json_path: '$.a' },
      '/json_path',
      /Leave it out, or set format to json/,
    ],
    [
      SOURCES,
      { ...good, format: 'json', csv_column: '1' },
      '/csv_column',
      /Leave it out, or set format to csv/,
    ],
    [SOURCES, { ...good, format: 'csv', csv_column: '0' }, '/csv_column', /numbered from 1/],
    [SOURCES, { ...good, format: 'csv', csv_column: ' ' }, '/csv_column', /write a number from 1/],
    [SOURCES, { ...good, headers: { 'X Y': 'z' } }, '/headers/X Y', /not a name that is allowed/],
    [SOURCES, { ...good, headers: { Host: 'b.example' } }, '/headers/Host', /leave it out/],
    [SOURCES, { ...good, headers: { Authorization: 'a\r\nX: b' } }, '/headers/Authorization', /line end/],
    [SOURCES, { ...good, headers: { Authorization: 7 } }, '/headers/Authorization', /must be a string/],
    [SOURCES, { ...good, community_id: ':nobody' }, '/community_id', /List \/v1\/communities/],
    [SOURCES, { ...good, status: 'ok' }, '/status', /known are name, url/],
    [SOURCES, { items: [] }, '/items', /at least 1 item/],
    [SOURCES, second({ url: 'ftp://a.example/' }), '/items/1/url', /https: or http: only/],
    [SOURCES, second({ community_id: ':nobody' }), '/items/1/community_id', /List \/v1\/communities/],
    [
      SOURCES,
      second({ name: 'first' }),
      '/items/1/name',
      /stands at \/items\/0\/name already.*Leave one out/,
    ],
    [SOURCES, second({ nme: 'x' }), '/items/1/nme', /did you mean "name"/],
    [
      'PATCH /v1/modules/:cdn/cdn-sources/:source',
      { format: 'csv', json_path: '$.a' },
      '/json_path',
      /set format to json/,
    ],
    [
      'PATCH /v1/modules/:cdn/cdn-sources/:source',
      { csv_column: 'cidr' },
      '/csv_column',
      /set format to csv/,
    ],
    [
      'PATCH /v1/modules/:cdn/cdn-sources/:source',
      { community_id: ':nobody' },
      '/community_id',
      /List \/v1\/communities/,
    ],
  ]);

  refusals.each(CONFLICT, [
    [SOURCES, { ...good, name: 'aws' }, '/name', /Choose another name/],
    [SOURCES, second({ name: 'aws' }), '/items/1/name', /Choose another name/],
    [
      'POST /v1/modules/:ranges/cdn-sources',
      good,
      null,
      /type IP_RANGES; CDN sources belong to modules of type CDN_SOURCES/,
    ],
  ]);
});

const RANGES = 'POST /v1/modules/:ranges/ip-range-entries';
describe('IP ranges', () => {
  const items = (...cidrs: string[]) => ({ items: cidrs.map((cidr) => ({ cidr })) });
  refusals.each(INVALID, [
    [RANGES, {}, '/cidr', /required/],
    [RANGES, { cidr: 'x' }, '/cidr', /at least 2 characters/],
    [
      RANGES,
      { cidr: '5.5.5.5/24' },
      '/cidr',
      /write 5\.5\.5\.0\/24 for the network or 5\.5\.5\.5\/32 for the address/,
    ],
    [
      RANGES,
      { cidr: '2600::1/32' },
      '/cidr',
      /write 2600::\/32 for the network or 2600::1\/128 for the address/,
    ],
    [RANGES, { cidr: '5.5.5.0/33' }, '/cidr', /a number from 0 to 32/],
    [RANGES, { cidr: '5.5.5.0/255.255.255.0' }, '/cidr', /not a netmask/],
    [RANGES, { cidr: '010.0.0.1' }, '/cidr', /leading zero/],
    [RANGES, { cidr: '10.0.0.0/8' }, '/cidr', /bogon_prefix.*RFC 1918.*guard_bogons/],
    [RANGES, { cidr: '2001:db8::/32' }, '/cidr', /bogon_prefix.*RFC 3849.*guard_bogons/],
    [RANGES, { cidr: '::ffff:8.8.8.8' }, '/cidr', /8\.8\.8\.8/],
    [RANGES, { cidr: '5.5.5.0/24', note: 7 }, '/note', /a string, or null/],
    [RANGES, { cidr: '5.5.5.0/24', community_id: ':nobody' }, '/community_id', /List \/v1\/communities/],
    [
      RANGES,
      items('5.5.5.0/24', '5.5.6.0/24', '5.5.5.0/24'),
      '/items/2/cidr',
      /stands at \/items\/0\/cidr already.*Leave one out/,
    ],
    [RANGES, items('5.5.5.0/24', '127.0.0.0/8'), '/items/1/cidr', /bogon_prefix/],
    [
      RANGES,
      { items: [{ cidr: '5.5.5.0/24' }, { cidr: '5.5.6.0/24', community_id: ':nobody' }] },
      '/items/1/community_id',
      /List \/v1\/communities/,
    ],
    [
      'PATCH /v1/modules/:ranges/ip-range-entries/:range',
      { cidr: '9.9.9.9/24' },
      '/cidr',
      /9\.9\.9\.0\/24.*9\.9\.9\.9\/32/,
    ],
    [
      'PATCH /v1/modules/:ranges/ip-range-entries/:range',
      { cidr: '192.168.0.0/16' },
      '/cidr',
      /bogon_prefix/,
    ],
  ]);

  refusals.each(CONFLICT, [
    [RANGES, { cidr: '9.9.9.0/24' }, '/cidr', /Leave it out/],
    [RANGES, items('5.5.5.0/24', '9.9.9.0/24'), '/items/1/cidr', /holds 9\.9\.9\.0\/24 already/],
    [
      'POST /v1/modules/:asns/ip-range-entries',
      { cidr: '5.5.5.0/24' },
      null,
      /type AS_PREFIXES; ranges belong to modules of type IP_RANGES/,
    ],
  ]);
});

const COMMUNITIES = 'POST /v1/communities';
describe('communities', () => {
  const good = { community: '65000:1', title: 't' };
  refusals.each(INVALID, [
    [COMMUNITIES, { community: '65000:1' }, '/title', /required/],
    [COMMUNITIES, { ...good, community: '70000:1' }, '/community', /large community, such as/],
    [COMMUNITIES, { ...good, community: '1:70000' }, '/community', /0 to 65535/],
    [COMMUNITIES, { ...good, community: '65000:01' }, '/community', /leading zero: write it without/],
    [COMMUNITIES, { ...good, community: 'no-exprot' }, '/community', /a name such as no-export/],
    [COMMUNITIES, { ...good, community: '65535:1234' }, '/community', /your own AS number in front/],
    [COMMUNITIES, { ...good, community: '1:2:4294967296' }, '/community', /0 to 4294967295/],
    [COMMUNITIES, { ...good, community: '65000' }, '/community', /write two numbers/],
    [COMMUNITIES, { ...good, color: 'red' }, '/color', /#rrggbb/],
    [COMMUNITIES, { ...good, next_hop_ipv4: '2001:db8::1' }, '/next_hop_ipv4', /an IPv4 address such as/],
    [COMMUNITIES, { ...good, next_hop_ipv4: '0.0.0.0' }, '/next_hop_ipv4', /not the address of a host/],
    [COMMUNITIES, { ...good, next_hop_ipv6: 'ff02::1' }, '/next_hop_ipv6', /not the address of a host/],
    ['PATCH /v1/communities/:community', { community: 'blackole' }, '/community', /write two numbers/],
  ]);

  refusals.each(CONFLICT, [
    [COMMUNITIES, { ...good, community: '65000:100' }, '/community', /exists already\. Choose another/],
    [
      'PATCH /v1/communities/:used',
      { community: '65000:100' },
      '/community',
      /exists already\. Choose another/,
    ],
  ]);

  test('409: one that is used is not deleted, and what uses it is named', async () => {
    const used = await refusals.service.make('/v1/communities', {
      community: '65000:300',
      title: 'everywhere',
    });
    const community_id = used.id;
    await refusals.service.make('/v1/modules', { name: 'user', type: 'IP_RANGES', community_id });
    await refusals.service.make(refusals.withIds('/v1/modules/:cdn/cdn-sources'), {
      name: 'user source',
      url: 'https://b.example/',
      community_id,
    });
    await refusals.service.make(refusals.withIds('/v1/modules/:ranges/ip-range-entries'), {
      cidr: '7.7.7.0/24',
      community_id,
    });
    await refusals.service.make('/v1/peers', {
      name: 'user peer',
      address: '192.0.2.50',
      remote_asn: 64501,
      community_ids: [community_id],
    });
    await refusals.service.call('PATCH', '/v1/settings', { body: { default_community_id: community_id } });
    const answer = await refusals.service.call('DELETE', `/v1/communities/${community_id}`);
    expect(answer.body).toMatchObject({ status: 409, code: 'in_use' });
    for (const user of [
      'the module user',
      'the CDN source user source',
      'the range 7.7.7.0/24',
      'the peer user peer',
      'the setting default_community_id',
    ])
      expect(answer.body.detail).toContain(user);
    expect(answer.body.detail).toMatch(/Give them another one, or none, first/);
    expect((await refusals.service.call('GET', `/v1/communities/${community_id}`)).status).toBe(200);
    await refusals.service.call('PATCH', '/v1/settings', { body: { default_community_id: null } });
  });
});
