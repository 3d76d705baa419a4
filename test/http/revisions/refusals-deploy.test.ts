/** Bad input of peers, speakers, keys, settings and applies: one row for each rule that schemas and verbs keep. */
import { describe, expect, test } from 'vitest';
import { NOBODY } from '../service.ts';
import { CONFLICT, INVALID, useRefusals } from './refusing.ts';

const refusals = useRefusals();

const PEERS = 'POST /v1/peers';
describe('peers', () => {
  const good = { name: 'n', address: '192.0.2.9', remote_asn: 64501 };
  refusals.each(INVALID, [
    [PEERS, { name: 'n', remote_asn: 1 }, '/address', /required/],
    [
      PEERS,
      { ...good, address: 'router.example' },
      '/address',
      /an IPv4 address such as .* or an IPv6 address/,
    ],
    [PEERS, { ...good, address: '0.0.0.0' }, '/address', /not the address of a host/],
    [PEERS, { ...good, address: '224.0.0.5' }, '/address', /not the address of a host/],
    [PEERS, { ...good, address: 'ff02::5' }, '/address', /not the address of a host/],
    [PEERS, { ...good, remote_asn: 0 }, '/remote_asn', /from 1 to 4294967294/],
    [PEERS, { ...good, remote_asn: 'AS64500' }, '/remote_asn', /a whole number from 1/],
    [PEERS, { ...good, remote_asn: 23456 }, '/remote_asn', /AS_TRANS.*write the number of a network/],
    [PEERS, { ...good, port: 0 }, '/port', /from 1 to 65535/],
    [PEERS, { ...good, multihop: 0 }, '/multihop', /from 1 to 255, or null/],
    [PEERS, { ...good, hold_time: 1 }, '/hold_time', /RFC 4271.*Use 0 .* or 3 and more/],
    [PEERS, { ...good, hold_time: 65536 }, '/hold_time', /from 0 to 65535/],
    [PEERS, { ...good, password: 'hunter2' }, '/password', /Leave the password out/],
    [PEERS, { ...good, password: '' }, '/password', /must not be empty/],
    [PEERS, { ...good, bfd: true }, '/bfd', /Set bfd to false/],
    [PEERS, { ...good, next_hop_ipv4: '255.255.255.255' }, '/next_hop_ipv4', /not the address of a host/],
    [PEERS, { ...good, next_hop_ipv6: '192.0.2.1' }, '/next_hop_ipv6', /an IPv6 address such as/],
    [PEERS, { ...good, max_prefixes_out: 0 }, '/max_prefixes_out', /from 1 to/],
    [PEERS, { ...good, speaker_ids: [':speaker', ':nobody'] }, '/speaker_ids/1', /List \/v1\/speakers/],
    [PEERS, { ...good, speaker_ids: [':speaker', ':speaker'] }, '/speaker_ids/1', /name each once/],
    [PEERS, { ...good, community_ids: [':nobody'] }, '/community_ids/0', /List \/v1\/communities/],
    [PEERS, { ...good, session_mismatch: true }, '/session_mismatch', /leave it out/],
    ['PATCH /v1/peers/:peer', { hold_time: 2 }, '/hold_time', /Use 0 .* or 3 and more/],
    ['PATCH /v1/peers/:peer', { password: 'hunter2' }, '/password', /Leave the password out/],
    ['PATCH /v1/peers/:peer', { speaker_ids: [':nobody'] }, '/speaker_ids/0', /List \/v1\/speakers/],
  ]);

  refusals.each(CONFLICT, [
    [PEERS, { ...good, name: 'core' }, '/name', /exists already\. Choose another/],
    [
      PEERS,
      { ...good, address: '192.0.2.2' },
      '/address',
      /The peer core has .* Change that one, or give each its own speaker_ids/,
    ],
  ]);

  test('409: an address is the same however it is written', async () => {
    const { id, address } = await refusals.service.make('/v1/peers', {
      ...good,
      name: 'six',
      address: '2001:DB8:0::9',
    });
    expect(address).toBe('2001:db8::9');
    await refusals.refuses(
      [PEERS, { ...good, name: 'six again', address: '2001:db8:0:0::9' }, '/address', /The peer six/],
      CONFLICT,
    );
    await refusals.service.call('DELETE', `/v1/peers/${id}`);
  });
});

const SPEAKERS = 'POST /v1/speakers';
describe('speakers', () => {
  const good = { name: 'n', local_asn: 64512 };
  const EDGE = 'PATCH /v1/speakers/:speaker';
  refusals.each(INVALID, [
    [SPEAKERS, { name: 'n' }, '/local_asn', /required/],
    [SPEAKERS, { ...good, daemon: 'bird' }, '/daemon', /use builtin/i],
    [SPEAKERS, { ...good, daemon: 'brid' }, '/daemon', /did you mean "bird"/],
    [SPEAKERS, { ...good, local_asn: 65535 }, '/local_asn', /RFC 7300.*write the number of a network/],
    [
      SPEAKERS,
      { ...good, router_id: '0.0.0.0' },
      '/router_id',
      /RFC 6286.*null: the service then chooses one/,
    ],
    [SPEAKERS, { ...good, router_id: '1.2.3' }, '/router_id', /an IPv4 address such as/],
    [SPEAKERS, { ...good, local_ipv4: '224.0.0.1' }, '/local_ipv4', /not the address of a host/],
    [
      SPEAKERS,
      { ...good, policies_json: { local_ip: '::' } },
      '/policies_json/local_ip',
      /not the address of a host/,
    ],
    [
      SPEAKERS,
      { ...good, policies_json: { localip: '192.0.2.1' } },
      '/policies_json/localip',
      /did you mean "local_ip"/,
    ],
    [
      EDGE,
      { policies_json: { peers: { [NOBODY]: { local_asn: 1 } } } },
      `/policies_json/peers/${NOBODY}`,
      /List \/v1\/peers/,
    ],
    [EDGE, { daemon: 'builtin' }, '/daemon', /leave it out/],
    [EDGE, { local_asn: 23456 }, '/local_asn', /AS_TRANS/],
  ]);

  test('409: a name that is taken', () =>
    refusals.refuses(
      [SPEAKERS, { ...good, name: 'edge' }, '/name', /exists already\. Choose another/],
      CONFLICT,
    ));

  test('409: the only speaker of a peer is not deleted', () =>
    refusals.refuses(
      [
        'DELETE /v1/speakers/:speaker',
        undefined,
        null,
        /only speaker of core\. Give these peers other speaker_ids/,
      ],
      {
        status: 409,
        code: 'in_use',
      },
    ));
});

describe('API keys', () => {
  const KEYS = 'POST /v1/api-keys';
  refusals.each(INVALID, [
    [KEYS, { name: 'n' }, '/role', /one of viewer, operator/],
    [KEYS, { name: 'n', role: 'admin' }, '/role', /one of viewer, operator/],
    [KEYS, { name: 'n', role: 'viewer', expires_at: 'tomorrow' }, '/expires_at', /RFC 3339 time such as/],
    [
      KEYS,
      { name: 'n', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' },
      '/expires_at',
      /Give a time to come, or null/,
    ],
    [
      'PATCH /v1/api-keys/:key',
      { expires_at: '2020-01-01T00:00:00Z' },
      '/expires_at',
      /Give a time to come, or null/,
    ],
    ['PATCH /v1/api-keys/:key', { role: 'operator' }, '/role', /leave it out/],
  ]);

  test.each(['super_viewer', 'super_admin'])('403: no key creates a stronger one (%s)', (role) =>
    refusals.refuses([KEYS, { name: 'n', role }, '/role', /Ask somebody who holds that role/], {
      status: 403,
      code: 'role_escalation',
    }),
  );
});

describe('settings', () => {
  const SETTINGS = 'PATCH /v1/settings';
  refusals.each(INVALID, [
    [SETTINGS, {}, '', /at least one field/],
    [SETTINGS, { autoApply: true }, '/autoApply', /did you mean "auto_apply"/],
    [SETTINGS, { 'Auto.Apply': true }, '/Auto.Apply', /did you mean "auto_apply"/],
    [SETTINGS, { auto_apply: 'on' }, '/auto_apply', /true or false, or null/],
    [SETTINGS, { guard_bogons: 'keep' }, '/guard_bogons', /one of drop, allow/],
    [
      SETTINGS,
      { auto_apply: false, default_community_id: ':nobody' },
      '/default_community_id',
      /List \/v1\/communities/,
    ],
  ]);
});

describe('applies', () => {
  const APPLY = 'POST /v1/apply';
  refusals.each(INVALID, [
    [APPLY, { revision_id: 'newest' }, '/revision_id', /`latest`/],
    [APPLY, { revision_id: ':nobody' }, '/revision_id', /List \/v1\/revisions/],
    [APPLY, { speaker_ids: [] }, '/speaker_ids', /at least 1 item/],
    [APPLY, { speaker_ids: [':speaker', ':nobody'] }, '/speaker_ids/1', /List \/v1\/speakers/],
    [APPLY, { speaker_ids: [':idle'] }, '/speaker_ids/0', /disabled\. Enable it/],
    ['POST /v1/speakers/:speaker/apply', { revision_id: ':nobody' }, '/revision_id', /List \/v1\/revisions/],
    ['POST /v1/speakers/:speaker/apply', { speaker_ids: [] }, '/speaker_ids', /not a known field/],
  ]);

  test('409: a speaker that is disabled', () =>
    refusals.refuses(['POST /v1/speakers/:idle/apply', {}, null, /idle is disabled\. Enable it/], CONFLICT));

  test('409: a revision that is not ready, and a tenant that has none', async () => {
    await refusals.service.database.admin(`UPDATE revision SET state = 'failed' WHERE id = $1`, [
      refusals.ids.revision,
    ]);
    const notReady = { status: 409, code: 'revision_not_ready' };
    await refusals.refuses(
      [APPLY, { revision_id: ':revision' }, null, /is failed; only a ready one, or a held one with override/],
      notReady,
    );
    await refusals.refuses([APPLY, {}, null, /no ready revision yet\. Refresh a module/], notReady);
    await refusals.service.database.admin(`UPDATE revision SET state = 'ready' WHERE id = $1`, [
      refusals.ids.revision,
    ]);
  });
});

const MODULES = 'POST /v1/modules';
const SOURCES = 'POST /v1/modules/:cdn/cdn-sources';
const RANGES = 'POST /v1/modules/:ranges/ip-range-entries';
describe("another tenant's things", () => {
  test('are as unknown as those that do not exist', async () => {
    const key = refusals.service.other.keys.operator;
    const theirs = await refusals.service.make('/v1/communities', { community: '65000:9', title: 'x' }, key);
    const speaker = await refusals.service.make('/v1/speakers', { name: 'x', local_asn: 64512 }, key);
    const peer = { name: 'n', address: '192.0.2.9', remote_asn: 64501 };
    await refusals.refuses(
      [MODULES, { name: 'n', type: 'IP_RANGES', community_id: theirs.id }, '/community_id', /List/],
      INVALID,
    );
    await refusals.refuses(
      [SOURCES, { name: 'n', url: 'https://a.example', community_id: theirs.id }, '/community_id', /List/],
      INVALID,
    );
    await refusals.refuses(
      [RANGES, { cidr: '5.5.5.0/24', community_id: theirs.id }, '/community_id', /List/],
      INVALID,
    );
    await refusals.refuses(
      [PEERS, { ...peer, community_ids: [theirs.id] }, '/community_ids/0', /List/],
      INVALID,
    );
    await refusals.refuses(
      [PEERS, { ...peer, speaker_ids: [speaker.id] }, '/speaker_ids/0', /List/],
      INVALID,
    );
    await refusals.refuses(
      ['POST /v1/apply', { speaker_ids: [speaker.id] }, '/speaker_ids/0', /List/],
      INVALID,
    );
    await refusals.refuses(
      ['PATCH /v1/settings', { default_community_id: theirs.id }, '/default_community_id', /List/],
      INVALID,
    );
  });
});
