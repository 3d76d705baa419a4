import { statSync } from 'node:fs';
import { join } from 'node:path';
import { tryKey } from '../store/archive/try-key.ts';
import { readSecretKey, SecretBox, SecretError } from '../store/secrets.ts';
import { asSystem, type Check, fault, type Finding, ok, skipped, warning } from './finding.ts';

const NAME = 'key';
const FOR_OTHERS = 0o077;

export const SECRET_KEY: Check = {
  name: NAME,
  async examine(patient) {
    const { dataDir, secretKey } = patient.config;
    const path = join(dataDir, 'secret-key');
    let key;
    try {
      key = secretKey ?? readSecretKey(dataDir);
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      return [fault(NAME, error.message, 'Take the file from a backup.')];
    }
    if (key === null) return [skipped(NAME, `there is none yet: the first start makes ${path}`)];
    const findings: Finding[] = [];
    if (secretKey === null && (statSync(path).mode & FOR_OTHERS) !== 0)
      findings.push(fault(NAME, `others may read ${path}`, `chmod 600 ${path}`));
    const box = new SecretBox(key);
    findings.push(
      ...(await asSystem(NAME, patient, async (client) => {
        const { tried, refused } = await tryKey(client, box);
        if (refused.length === 0) return [ok(NAME, `it opens ${tried} secrets of ${tried}`)];
        const some = refused
          .slice(0, 3)
          .map(({ table, id }) => `${table} ${id}`)
          .join(', ');
        return [
          (refused.length === tried ? fault : warning)(
            NAME,
            `it does not open ${refused.length} secrets of ${tried}: ${some}`,
            'Start with the APP_SECRET_KEY they were stored with (backups hold it), or set these secrets again.',
          ),
        ];
      })),
    );
    return findings;
  },
};
