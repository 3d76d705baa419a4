/** The key beside the data, by which commands on this machine find the service: it may have been given another secret, and the file does not know. */
import { bootstrapKeyPath, readBootstrapKey } from '../config/bootstrap-key.ts';
import { hashApiKey } from '../store/keys/api-key-secret.ts';
import { readKeyState } from '../store/postgres/examination.ts';
import { asSystem, type Check, fault, type Finding, ok, skipped, warning } from './finding.ts';

const NAME = 'first key';
const ANSWER_MS = 3_000;

export const FIRST_KEY: Check = {
  name: NAME,
  async examine(patient) {
    const path = bootstrapKeyPath(patient.config.dataDir);
    const key = readBootstrapKey(path);
    if (key === null) return [skipped(NAME, `there is no ${path}`)];
    const found = await asSystem(NAME, patient, async (client) => {
      const state = await readKeyState(client, hashApiKey(key));
      if (state === 'valid') return [ok(NAME, `${path} opens the service`)];
      return [
        warning(
          NAME,
          `${path} opens nothing any more: ${WHY[state ?? 'unknown']}`,
          `Put the new secret there, or remove the file and let commands have another key: prefixcast login URL.`,
        ),
      ];
    });
    const isValid = found.some(({ verdict }) => verdict === 'ok') && patient.database !== null;
    return isValid && patient.api !== null ? [...found, ...(await ofAnother(patient.api, key))] : found;
  },
};

const WHY = {
  revoked: 'the key was revoked',
  expired: 'the key has expired',
  rotated: 'the key was given another secret since',
  unknown: 'no key has this secret',
} as const;

/** Whoever refuses a key of this database has another one: all that was found here is not of the service that answers. */
async function ofAnother(api: string, key: string): Promise<Finding[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${api}/v1/auth/session`, {
    headers,
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  if (answer?.status !== 401) return [];
  return [
    fault(
      NAME,
      `the service at ${api} refuses the key of this database: it has other data, and what is found here is not of it`,
      'Set APP_DATA_DIR or DATABASE_URL as that service has it; or stop it, or give this one another APP_PORT.',
    ),
  ];
}
