import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differences, maskSecrets, secretMembers } from '../../src/api/activity/audit-masking.ts';
import { nounOf, severityOf } from '../../src/api/activity/audit.ts';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import '../fuzz.ts';

describe('maskSecrets', () => {
  test.each([
    [{ password: 'x' }, { password: '***' }],
    [
      { password: null, has_password: true },
      { password: null, has_password: true },
    ],
    [
      { smtp_password: 1, 'X-TOKEN': 'kept', access_token: 'x' },
      { smtp_password: '***', 'X-TOKEN': 'kept', access_token: '***' },
    ],
    [{ headers: { 'X-Key': 'x', Old: null } }, { headers: { 'X-Key': '***', Old: null } }],
    [{ api_key: { id: 'a', secret: 'x' } }, { api_key: { id: 'a', secret: '***' } }],
    [
      { settings: { mail: { credentials: ['a', { b: 'c' }] } } },
      { settings: { mail: { credentials: ['***', { b: '***' }] } } },
    ],
    [{ url: 'https://ada:pa55@example.net/?q=a:b@c' }, { url: 'https://ada:***@example.net/?q=a:b@c' }],
    [
      { url: 'https://example.net:8080/a@b', asn: 3333, items: ['token'] },
      { url: 'https://example.net:8080/a@b', asn: 3333, items: ['token'] },
    ],
  ])('%j', (value, masked) => {
    expect(maskSecrets(value)).toEqual(masked);
  });

  test('hides an API key wherever it stands, and shows its public form', () => {
    const { secret } = mintApiKey('operator');
    expect(maskSecrets({ note: `use ${secret}!`, [secret]: [secret] })).toEqual({
      note: 'use pc_o_***!',
      'pc_o_***': ['pc_o_***'],
    });
  });

  test('leaves nothing of a secret member, however deep it is and whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('password', 'secret', 'headers', 'private_key'),
        (inner, name) => {
          const planted = JSON.parse(
            JSON.stringify(inner, (_key, value: unknown) => (typeof value === 'string' ? 'hunter2' : value)),
          ) as unknown;
          const shown = JSON.stringify(maskSecrets({ a: [{ [name]: planted }] }));
          const values = shown.replace(/"(?:[^"\\]|\\.)*":/g, '');
          expect(values).not.toContain('hunter2');
        },
      ),
    );
  });
});

test('the secret members of a body are distinguished from the others', () => {
  expect(secretMembers({ name: 'n', password: 'x', headers: { a: 'b' } })).toEqual({
    password: 'x',
    headers: { a: 'b' },
  });
  expect(secretMembers([{ password: 'x' }])).toEqual({});
  expect(secretMembers(undefined)).toEqual({});
});

describe('differences', () => {
  test.each([
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, { b: 2 }, { b: 3 }],
    [{ a: { x: 1, y: 2 } }, { a: { x: 1, y: 3 } }, { a: { y: 2 } }, { a: { y: 3 } }],
    [{ a: [1, 2] }, { a: [2, 1] }, { a: [1, 2] }, { a: [2, 1] }],
    [{ a: 1 }, { b: null }, { a: 1 }, { b: null }],
    [{ a: { x: 1 } }, { a: null }, { a: { x: 1 } }, { a: null }],
    [{ a: { x: 1 } }, { a: { x: 1 } }, {}, {}],
  ])('%j -> %j', (before, after, old, now) => {
    expect(differences(before, after)).toEqual({ before: old, after: now });
  });

  test('of equal values are none', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(differences(value, structuredClone(value))).toEqual({ before: {}, after: {} });
      }),
    );
  });
});

test.each([
  ['module.create', 'info'],
  ['module.change', 'info'],
  ['module.delete', 'notice'],
  ['api_key.create', 'notice'],
  ['api_key.rotate', 'warning'],
  ['api_key.revoke', 'warning'],
  ['settings.change', 'notice'],
  ['revision.apply', 'notice'],
  ['revision.rollback', 'notice'],
  ['revision.prune', 'warning'],
  ['revision.override', 'critical'],
  ['job.fail', 'warning'],
] as const)('%s weighs %s', (action, severity) => {
  expect(severityOf(action)).toBe(severity);
  expect(nounOf(action)).toBe(action.split('.')[0]);
});
