import { expect, test } from 'vitest';
import { parseAddress } from '../../src/core/address.ts';
import { insideAddress } from '../../src/core/inside-address.ts';

function read(text: string): string | null {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return insideAddress(parsed.value);
}

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '169.254.0.1',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '224.0.0.5',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::5',
  'fd00:ec2::254',
  'fd20:ce::254',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::127.0.0.1',
  '64:ff9b:1:ffff::a9fe:a9fe',
  '2001:0:c000:201:0:63bf:80ff:fffe',
  '2002:7f00:1::1',
  '2002:a9fe:a9fe::1',
])('%s is inside', (text) => {
  expect(read(text)).not.toBeNull();
});

test.each([
  '1.1.1.1',
  '10.0.0.1',
  '100.100.100.201',
  '192.168.1.1',
  '198.51.100.1',
  '223.255.255.255',
  '2001:db8::1',
  'fd00::1',
  'fc00::1',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
  '64:ff9b:2::127.0.0.1',
  '2001:1:c000:201:0:63bf:80ff:fffe',
])('%s may be a router', (text) => {
  expect(read(text)).toBeNull();
});
