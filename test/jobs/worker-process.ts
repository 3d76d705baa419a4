/** A worker in a process of its own, for tests that kill it. Argument: the database's address as JSON. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHandler } from '../../src/control/job.ts';
import { startBoss } from '../../src/jobs/queue.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import type { DatabaseAddress } from '../../src/store/database/database-address.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { handlersOf } from './handlers.ts';

const address = JSON.parse(process.argv[2]!) as DatabaseAddress;
const hang: JobHandler = async ({ signal, progress }) => {
  progress('hang', 0, null);
  await sleep(600_000, undefined, { signal });
  return () => Promise.resolve({});
};
const db = openDatabase(address);
const boss = await startBoss(address, () => undefined);
startWorker({ boss, db, handlers: handlersOf(hang), onFault: () => undefined });
process.stdout.write('ready\n');
