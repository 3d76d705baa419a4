/** A process that works in the data directory of its argument until it is killed, and prints how that began. */
import { describeFault } from '../../src/agent/agent-fault.ts';
import { DataDirectory } from '../../src/agent/data-directory.ts';

const directory = new DataDirectory(process.argv[2]!);
await directory.open();
try {
  const claim = await directory.claim('An agent', (error) => console.log(String(error)));
  console.log('holds');
  process.stdin.on('data', () => claim.release()).resume();
} catch (error) {
  console.log(describeFault(error));
}
