import { readSessionsDown, type SessionDown } from '../store/postgres/examination.ts';
import { asSystem, type Check, type Finding, findingsOf, skipped, warning } from './finding.ts';

const NAME = 'sessions';

export const SESSIONS: Check = {
  name: NAME,
  async examine(patient) {
    // What was reported before the service ended says nothing of routers: that it is down is a fault of its own.
    if (patient.isDown) return [skipped(NAME, 'the service does not answer, and says how they are')];
    return asSystem(NAME, patient, async (client) =>
      findingsOf(NAME, await readSessionsDown(client), {
        none: 'every enabled peer has its sessions',
        toFinding,
        more: (count) => `${count} more sessions are down`,
        all: 'See all: prefixcast session list',
      }),
    );
  },
};

function toFinding({ tenant, name, speaker, error, is_silent: isSilent }: SessionDown): Finding {
  return warning(
    NAME,
    `the session of ${name} with ${speaker} (tenant ${tenant}) is not up${error === null ? '' : `: ${error}`}`,
    isSilent
      ? `Look at the process or the node that has the speaker ${speaker}: prefixcast status`
      : 'Compare addresses and AS numbers with those of the router, and follow it: prefixcast session watch',
  );
}
