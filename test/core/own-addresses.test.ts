import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { addressesOf, machineAddresses, ownAddresses } from '../../src/core/own-addresses.ts';

test('addresses are taken, with or without the brackets of a URL; names are not asked for', () => {
  const own = ownAddresses([
    { host: '192.0.2.1', of: 'this service' },
    { host: '[2001:db8::1]', of: 'the database' },
    { host: 'db.example.net', of: 'the database' },
    { host: '', of: 'nothing' },
  ]);
  expect(own).toEqual([
    { prefix: '192.0.2.1', of: 'this service' },
    { prefix: '2001:db8::1', of: 'the database' },
  ]);
});

test('a wildcard stands for every address of the machine', () => {
  const ofMachine = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const ipv4 = ofMachine.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
  expect(addressesOf('0.0.0.0')).toEqual(ipv4);
  expect(addressesOf('[::]')).toEqual(ofMachine.map(({ address }) => address));
});

test('all interfaces are of the machine, and what the service needs', () => {
  const own = ownAddresses([{ host: '45.9.9.1', of: 'this service' }]);
  const interfaces = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  expect(machineAddresses(own)).toHaveLength(interfaces.length + 1);
  expect(machineAddresses(own)).toContainEqual({ family: 'ipv4', words: [0x2d090901], length: 32 });
});
