/** Every check, one after the other. */
import { CLOCK } from './clock.ts';
import { DATA_DIRECTORY } from './data-directory.ts';
import { DATABASE } from './database.ts';
import { DOH } from './doh.ts';
import { type Check, fault, type Finding, type Patient } from './finding.ts';
import { FIRST_KEY } from './first-key.ts';
import { FREEZE } from './freeze.ts';
import { HELD_MODULES } from './held-modules.ts';
import { PEERS } from './peers.ts';
import { PORTS } from './ports.ts';
import { PROXY } from './proxy.ts';
import { ROUTER } from './router.ts';
import { SECRET_KEY } from './secret-key.ts';
import { SESSIONS } from './sessions.ts';

const CHECKS: readonly Check[] = [
  DATA_DIRECTORY,
  DATABASE,
  CLOCK,
  SECRET_KEY,
  FIRST_KEY,
  PORTS,
  ROUTER,
  DOH,
  PROXY,
  HELD_MODULES,
  PEERS,
  SESSIONS,
  FREEZE,
];

export async function examine(patient: Patient): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(...(await orFinding(check, patient)));
  return findings;
}

async function orFinding(check: Check, patient: Patient): Promise<readonly Finding[]> {
  try {
    return await check.examine(patient);
  } catch (error) {
    const { message } = error as Error;
    return [
      fault(
        check.name,
        `this could not be looked at: ${message}`,
        'Report it, with the line above, if it stays.',
      ),
    ];
  }
}
