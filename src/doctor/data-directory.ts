import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { type Check, fault, type Finding, ok, skipped, warning } from './finding.ts';

const NAME = 'data';
const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const LITTLE_BYTES = GIB;
/** Some segments of PostgreSQL's log, which takes one at a time. */
const NOTHING_BYTES = 64 * MIB;

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
  const found = `${sizeText(free)} are free for ${dataDir}`;
  if (free > LITTLE_BYTES) return [ok(NAME, found)];
  if (free > NOTHING_BYTES)
    return [warning(NAME, found, 'Make room: without any, the database stops taking writes.')];
  return [
    fault(
      NAME,
      found,
      'Make room at once: the database stops taking writes. Delete or move files that are not of the service, or enlarge the file system; nothing in the directory itself is to be deleted by hand.',
    ),
  ];
}

function sizeText(bytes: number): string {
  return bytes < GIB ? `${Math.floor(bytes / MIB)} MiB` : `${(bytes / GIB).toFixed(1)} GiB`;
}
