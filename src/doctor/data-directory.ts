import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { type Check, fault, type Finding, ok, skipped, warning } from './finding.ts';

const NAME = 'data';
const LITTLE_BYTES = 1024 ** 3;

export const DATA_DIRECTORY: Check = {
  name: NAME,
  examine({ config: { dataDir } }) {
    return Promise.resolve(look(dataDir));
  },
};

function look(dataDir: string): Finding[] {
  if (!(statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() ?? false))
    return [skipped(NAME, `${dataDir} is not there yet: the first start makes it`)];
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch {
    return [
      fault(
        NAME,
        `this user cannot write in ${dataDir}`,
        'Run doctor as the user of the service; if you do, let that user own the directory.',
      ),
    ];
  }
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB are free for ${dataDir}`;
  if (free > LITTLE_BYTES) return [ok(NAME, found)];
  return [warning(NAME, found, 'Make room: without any, the database stops to take writes.')];
}
