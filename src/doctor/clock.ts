import { execFile } from 'node:child_process';
import { readServerFacts } from '../store/postgres/examination.ts';
import { type Check, fault, type Finding, ok, skipped, warning } from './finding.ts';

const NAME = 'clock';
/** Leases and bundles go by the clock of the database; a process that is further away shows wrong times. */
const TOLERATED_SECONDS = 5;
const REMEDY = 'Set both machines by NTP: timedatectl set-ntp true, or chrony.';

export const CLOCK: Check = {
  name: NAME,
  async examine({ database }) {
    const findings: Finding[] = [];
    if (database === null) findings.push(skipped(NAME, 'the database cannot be reached'));
    else {
      const asked = Date.now();
      const { time } = await readServerFacts(database);
      const seconds = Math.abs(time - (asked + Date.now()) / 2) / 1_000;
      const found = `${seconds.toFixed(1)} s away from that of the database`;
      findings.push(seconds > TOLERATED_SECONDS ? fault(NAME, found, REMEDY) : ok(NAME, found));
    }
    if ((await isSynchronised()) === false)
      findings.push(warning(NAME, 'the system does not say that it is set by NTP', REMEDY));
    return findings;
  },
};

/** As systemd knows it; null: there is no systemd to ask. */
function isSynchronised(): Promise<boolean | null> {
  return new Promise((resolve) => {
    const words = ['show', '--property', 'NTPSynchronized', '--value'];
    execFile('timedatectl', words, { timeout: 2_000 }, (error, out) => {
      resolve(error === null ? out.trim() === 'yes' : null);
    });
  });
}
