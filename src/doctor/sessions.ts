import { readSessionsDown, type SessionDown } from '../store/postgres/examination.ts';
import { asSystem, type Check, type Finding, findingsOf, warning } from './finding.ts';

const NAME = 'sessions';

export const SESSIONS: Check = {
  name: NAME,
  examine: (patient) =>
    asSystem(NAME, patient, async (client) =>
      findingsOf(NAME, await readSessionsDown(client), {
        none: 'every enabled peer has its sessions',
        toFinding,
        more: (count) => `${count} more sessions are down`,
        all: 'See all: prefixcast session list',
      }),
    ),
};

function toFinding({ tenant, name, speaker, error }: SessionDown): Finding {
  return warning(
    NAME,
    `the session of ${name} with ${speaker} (tenant ${tenant}) is not up${error === null ? '' : `: ${error}`}`,
    'Compare addresses and AS numbers with those of the router, and follow it: prefixcast session watch',
  );
}
