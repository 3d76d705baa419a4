// A process that holds a speaker with one peer until it is killed:
// restart-child.ts PEER_ADDRESS PEER_PORT LISTEN_PORT FIRST COUNT
import { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import { bigTable, never, peerModel, routesModel, silent, speakerModel, waitSession } from './models.ts';

const [address, ...numbers] = process.argv.slice(2);
const [port, listen, first, count] = numbers.map(Number) as [number, number, number, number];

const engine = new BuiltinEngine({
  listen: { host: '127.0.0.1', port: listen },
  version: 'test',
  log: silent,
});
await engine.start();
const driver = engine.driver('s');
await driver.configure(
  speakerModel([peerModel({ id: 'peer', address: address!, port, nextHopIpv4: '192.0.2.179' })]),
);
await driver.apply(routesModel(bigTable(count, ['65000:1'], first)), never);
await waitSession(driver, 'all routes sent', ({ routesExported }) => routesExported === count);
process.stdout.write('sent\n');
