/**
 * A scheduler in a process of its own, whose clock is wrong by as many hours as the second argument says. The first is the database's
 * address as JSON. Writes a line for every look at the modules.
 */
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startScheduler } from '../../src/jobs/scheduler.ts';
import type { DatabaseAddress } from '../../src/store/database/database-address.ts';
import { openDatabase } from '../../src/store/database/database.ts';

const wrongBy = Number(process.argv[3]) * 3_600_000;
const Right = Date;
globalThis.Date = class extends Right {
  static override now = (): number => Right.now() + wrongBy;
  constructor(...given: unknown[]) {
    if (given.length === 0) super(Right.now() + wrongBy);
    else super(...(given as [number]));
  }
} as DateConstructor;

const address = JSON.parse(process.argv[2]!) as DatabaseAddress;
const db = openDatabase(address);
const boss = await startBoss(address, () => undefined);
const alone = db.alone.bind(db);
// Every look is one statement across tenants.
db.alone = (work) => alone(work).finally(() => process.stdout.write('looked\n'));
const onFault = (_tenant: string | null, error: unknown): void => {
  process.stderr.write(`${String(error)}\n`);
};
startScheduler({ db, queue: createJobQueue(boss), onFault });
