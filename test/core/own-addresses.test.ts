import { networkInterfaces } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { addressesOf, machineAddresses, ownAddresses, setOwnHosts } from '../../src/core/own-addresses.ts';

afterEach(() => setOwnHosts([]));

test('addresses are taken, with or without the brackets of a URL; names are not asked for', () => {
  setOwnHosts([
    { host: '192.0.2.1', of: 'this service' },
    { host: '[2001:db8::1]', of: 'the database' },
    { host: 'db.example.net', of: 'the database' },
    { host: '', of: 'nothing' },
  ]);
  expect(ownAddresses()).toEqual([
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
  setOwnHosts([{ host: '45.9.9.1', of: 'this service' }]);
  const interfaces = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  expect(machineAddresses()).toHaveLength(interfaces.length + 1);
  expect(machineAddresses()).toContainEqual({ family: 'ipv4', words: [0x2d090901], length: 32 });
});
