import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { peerAddressRefusal } from '../../../src/control/policy/peer-address.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { PEER_REACH } from '../../peer-allow.ts';

const INSIDE = ['127.0.0.1', '::1', '169.254.169.254', 'fe80::1', '0.0.0.0', '224.0.0.1', 'fd00:ec2::254'];

const NOTHING = { allow: [], own: [] };

test.each(INSIDE)('%s takes APP_PEER_ALLOW, except for the home tenant', (address) => {
  expect(peerAddressRefusal('acme', address, NOTHING)).toContain('APP_PEER_ALLOW');
  expect(peerAddressRefusal('default', address, NOTHING)).toBeNull();
  const parsed = parsePrefix(address);
  if (!parsed.ok) throw new Error(parsed.reason);
  expect(peerAddressRefusal('acme', address, { allow: [parsed.value], own: [] })).toBeNull();
});

test('every address of this machine takes it too', () => {
  const own = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  expect(own.length).toBeGreaterThan(0);
  for (const { address } of own) {
    const text = address.replace(/%.*$/, '');
    expect(peerAddressRefusal('acme', text, NOTHING), text).not.toBeNull();
  }
});

test("a router anywhere else is nobody else's business", () => {
  for (const address of ['203.0.113.77', '10.1.2.3', '2001:db8:77::1'])
    expect(peerAddressRefusal('acme', address, PEER_REACH)).toBeNull();
});

test('a router behind NAT64, 6to4 or Teredo is named by its own address, which its claim is for', () => {
  for (const [address, own] of [
    ['64:ff9b::203.0.113.77', '203.0.113.77'],
    ['64:ff9b:1::203.0.113.77', '203.0.113.77'],
    ['64:ff9b:1:fffe::10.66.0.2', '10.66.0.2'],
    ['2002:cb00:714d::1', '203.0.113.77'],
    // The server 192.0.2.1, and the client's port and address inverted.
    ['2001:0:c000:201:0:63bf:34ff:8eb2', '203.0.113.77'],
  ] as const) {
    expect(peerAddressRefusal('acme', address, NOTHING)).toContain(`the address of another router, ${own}`);
    expect(peerAddressRefusal('default', address, NOTHING)).toBeNull();
  }
});
