import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { TenantCreate } from '../../../src/api/access/tenants.ts';
import { FeedCreate } from '../../../src/api/feeds/feeds.ts';
import { CdnSourceCreate } from '../../../src/api/entries/cdn-sources.ts';
import { ModuleCreate, ModulePatch, ModuleQuery } from '../../../src/api/lists/modules.ts';
import { BulkOf } from '../../../src/api/shapes/page.ts';
import { PeerCreate } from '../../../src/api/speakers/peers.ts';
import { Problem } from '../../../src/api/problems/problem.ts';
import { SpeakerCreate } from '../../../src/api/speakers/speakers.ts';
import { compileBody, compileQuery, type Check } from '../../../src/http/request/validation.ts';

/** Faults by pointer. */
function faults(check: Check, value: unknown): Record<string, string> {
  try {
    check(value);
  } catch (error) {
    if (error instanceof Problem)
      return Object.fromEntries(error.errors.map(({ pointer, detail }) => [pointer, detail]));
    throw error;
  }
  throw new Error('The value was taken.');
}

describe('a body', () => {
  const module = compileBody(ModuleCreate, ['id', 'created_at']);

  test('that is good passes as it is', () => {
    const body = { name: 'aws', type: 'CDN_SOURCES', community_id: null };
    expect(module(body)).toBe(body);
  });

  test('with a name that is part of a URL says which letters that may have', () => {
    expect(faults(compileBody(TenantCreate, []), { name: 'Acme', slug: 'Acme' })).toEqual({
      '/slug':
        'must be lower-case letters, digits and hyphens, at most 63, beginning with a letter or a digit; unique, and it cannot be changed; it is "Acme"',
    });
    expect(faults(compileBody(FeedCreate, []), { name: 'Drop', format: 'text' })).toEqual({
      '/name': expect.stringMatching(
        /^must be lower-case letters, digits and hyphens, at most 27, /,
      ) as string,
    });
  });

  test('is not coerced', () => {
    expect(faults(module, { name: 'a', type: 'DOMAINS', enabled: 'true' })).toEqual({
      '/enabled': 'must be true or false; it is "true"',
    });
  });

  test('is answered with every fault at once, each with its remedy', () => {
    const body = {
      nmae: 'x',
      type: 'CDN_SOURCE',
      id: 'x',
      refresh_interval_seconds: 5,
      community_id: 'x',
      families: ['ipv4', 'ipv4'],
      doh_resolver_policy: { quorom: 1 },
    };
    expect(faults(module, body)).toEqual({
      '/name': 'is required: a string',
      '/nmae': 'is not a known field; did you mean "name"?',
      '/type':
        'must be one of CDN_SOURCES, AS_PREFIXES, DOMAINS, IP_RANGES, GEOFEED; it is "CDN_SOURCE"; did you mean "CDN_SOURCES"?',
      '/id': 'cannot be set here; leave it out',
      '/refresh_interval_seconds': 'must be from 60 to 2592000, or null; it is 5',
      '/community_id': 'must be an id (UUID), or null; it is "x"',
      '/families/1': 'repeats "ipv4"; name each once',
      '/doh_resolver_policy/quorom': 'is not a known field; did you mean "quorum"?',
    });
  });

  test('that is no object, or changes nothing, is reported', () => {
    expect(faults(compileBody(ModulePatch, []), [])).toEqual({ '': 'must be an object; it is a list' });
    expect(faults(compileBody(ModulePatch, []), {})).toEqual({ '': 'must set at least one field' });
  });

  test('has strict addresses', () => {
    const check = compileBody(PeerCreate, []);
    for (const address of ['010.0.0.1', '127.1', '1.2.3.4/32', 'fe80::1%eth0', '1::2::3', ' 1.2.3.4'])
      expect(faults(check, { name: 'p', address, remote_asn: 64500 })).toEqual({
        '/address': `must be an IPv4 address such as 192.0.2.1 or an IPv6 address such as 2001:db8::1; it is "${address}"`,
      });
    expect(check({ name: 'p', address: '2001:db8::1', remote_asn: 64500 })).toBeTruthy();
  });

  test('never has its secrets repeated', () => {
    const peer = faults(compileBody(PeerCreate, []), {
      name: 'p',
      address: '192.0.2.1',
      remote_asn: 1,
      password: 424242,
    });
    expect(peer).toEqual({ '/password': 'must be a string, or null' });
    const source = faults(compileBody(CdnSourceCreate, []), {
      name: 's',
      url: 'https://example.net',
      headers: { Authorization: 424242 },
    });
    expect(source).toEqual({ '/headers/Authorization': 'must be a string' });
  });

  test('has records whose names are checked too', () => {
    const check = compileBody(SpeakerCreate, []);
    const speaker = { name: 's', local_asn: 1, policies_json: { peers: { everyone: { local_asn: 2 } } } };
    expect(Object.keys(faults(check, speaker))).toEqual(['/policies_json/peers/everyone']);
    const source = { name: 's', url: 'https://example.net', headers: { 'bad name': 'x' } };
    expect(Object.keys(faults(compileBody(CdnSourceCreate, []), source))).toEqual(['/headers/bad name']);
  });

  test('of one or many is read as what it looks like', () => {
    const check = compileBody(Type.Union([CdnSourceCreate, BulkOf(CdnSourceCreate)]), []);
    expect(
      faults(check, {
        items: [
          { name: 'a', url: 'u' },
          { name: 'b', ulr: 'u' },
        ],
      }),
    ).toEqual({
      '/items/1/url': 'is required: a string',
      '/items/1/ulr': 'is not a known field; did you mean "url"?',
    });
    expect(faults(check, { items: [] })).toEqual({ '/items': 'must have at least 1 item' });
    expect(faults(check, { name: 'b' })).toEqual({ '/url': 'is required: a string' });
  });

  test('with thousands of faults is answered with the first hundred', () => {
    const items = Array.from({ length: 5000 }, () => ({}));
    expect(Object.keys(faults(compileBody(BulkOf(CdnSourceCreate), []), { items }))).toHaveLength(100);
  });
});

describe('a query', () => {
  const check = compileQuery(ModuleQuery);

  test('is read by type, with defaults', () => {
    const sort = 'created_at';
    expect(check({ enabled: 'true', q: 'aws' })).toEqual({ enabled: true, q: 'aws', limit: 50, sort });
    expect(check({ enabled: 'false', limit: '500' })).toEqual({ enabled: false, limit: 500, sort });
  });

  test('is answered with its faults by parameter', () => {
    expect(faults(check, { limit: '501', enabled: 'yes', typ: 'DOMAINS', community_id: '1' })).toEqual({
      '?limit': 'must be from 1 to 500; it is 501',
      '?enabled': 'must be true or false; it is "yes"',
      '?community_id': 'must be an id (UUID); it is "1"',
      '?typ': 'is not a known parameter; did you mean "type"?',
    });
    expect(faults(check, { limit: '1e2' })).toEqual({
      '?limit': 'must be a whole number from 1 to 500; it is "1e2"',
    });
    expect(faults(check, { q: ['a', 'b'] })).toEqual({ '?q': 'is given more than once; give it once' });
    expect(faults(check, { q: '\0' })).toEqual({ '?q': 'holds U+0000; remove it' });
  });
});
