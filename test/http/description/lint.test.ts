import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeApi } from '../../../src/http/description/openapi.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';

const LINTER = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js');
const version = {
  ...{ name: 'prefixcast', version: '1.2.3', commit: null },
  ...{ built_at: null, node: process.version, api: 'v1' as const },
};

interface Finding {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer: string }[];
}

/** What the recommended rules of Redocly find wrong with a description, warnings included. */
async function lint(description: unknown): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-openapi-'));
  const file = join(directory, 'openapi.json');
  writeFileSync(file, JSON.stringify(description));
  const options = ['--extends', 'recommended', '--format', 'json', '--max-problems', '1000'];
  // Whoever lints says nothing to anybody.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, [LINTER, 'lint', file, ...options], {
    env,
    cwd: directory,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: unknown) => error as { stdout: string }); // its exit code says that there are findings
  rmSync(directory, { recursive: true });
  const { problems } = JSON.parse(stdout) as { problems: Finding[] };
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

test('the description breaks none of the recommended rules', async () => {
  expect(await lint(describeApi(ROUTES, version, null))).toEqual([]);
});

test('the linter finds what is wrong', async () => {
  const { tags: _, ...rest } = describeApi(ROUTES.slice(0, 1), version, null);
  const wrong = { ...rest, tags: [{ name: 'service' }], paths: { '/x': { get: { responses: {} } } } };
  expect((await lint(wrong)).join('\n')).toMatch(/tag-description: .*\n?/);
});
