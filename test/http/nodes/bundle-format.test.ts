import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startNodeService, type NodeService } from './node-service.ts';

/** The lines of docs/reference/bundle-format.md that check a bundle by hand, run as they stand there. */
const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../docs/reference/bundle-format.md'), 'utf8');
const [GET_KEY, GET_BUNDLE, CHECK, READ] = [...DOCUMENT.matchAll(/```sh run by [^\n]*\n(.*?)```/gs)].map(
  (block) => block[1]!,
) as [string, string, string, string];

let service: NodeService;
let directory: string;

beforeAll(async () => {
  service = await startNodeService();
  await service.apply(await service.revisionOf(['192.0.2.0/24', '2001:db8::/32']));
});
afterAll(() => service.close());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bundle-format-'));
  return () => rmSync(directory, { recursive: true });
});

/** Runs lines of the document in a shell; rejects when one of them fails. */
async function run(...lines: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines.join('\n')], {
    cwd: directory,
    timeout: 60_000,
    env: {
      PATH: process.env.PATH,
      URL: service.url,
      KEY: service.tenant.keys.node,
      SPEAKER: service.speakerId,
    },
  });
  return stdout;
}

function damage(name: string): void {
  const path = join(directory, name);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
}

test('a bundle is checked with openssl, tar and sha256sum alone', async () => {
  const { sequence } = await service.assigned();
  const assigned = await run(GET_KEY, GET_BUNDLE, CHECK, READ);
  expect(assigned.split('\n')).toEqual([
    'Signature Verified Successfully',
    'speaker.json: OK',
    'routes.pct: OK',
    expect.stringMatching(/^"expires_at":"20/) as string,
    `"sequence":${sequence}`,
    `"speaker_id":"${service.speakerId}"`,
    `"tenant_id":"${service.tenant.id}"`,
    '',
  ]);
});

test('so is one while another key is announced', async () => {
  await service.call('POST', '/v1/bundles/signing-key/rotate', { body: {} });
  expect(await run(GET_KEY, GET_BUNDLE, CHECK)).toContain('Signature Verified Successfully');
});

test.each(['manifest.json', 'manifest.json.sig', 'speaker.json', 'routes.pct'])(
  'the check fails when somebody has changed %s',
  async (name) => {
    await run(GET_KEY, GET_BUNDLE, CHECK);
    damage(name);
    const rest = CHECK.split('\n').filter((line) => !line.startsWith('tar '));
    await expect(run(...rest)).rejects.toThrow();
  },
);

test('the check fails with the key of another tenant', async () => {
  await run(GET_KEY, GET_BUNDLE);
  const [theirs] = await service.signingKeys(service.other);
  writeFileSync(join(directory, 'signing-key.pem'), theirs!.public_key_pem);
  await expect(run(CHECK)).rejects.toThrow();
});
