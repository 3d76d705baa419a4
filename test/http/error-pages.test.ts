import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/api/problems/problem.ts';
import { RESULT_CODES } from '../../src/api/problems/result-codes.ts';
import { SOURCE_ERROR_CODES } from '../../src/sources/source-error.ts';
import { startService, type TestService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const read = async (path: string) => {
  const answer = await fetch(service.url + path);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

test('`type` of a problem leads to a page about its code, without a key', async () => {
  const { body } = await service.call('GET', '/v1/modules', { key: null });
  expect(body.type).toBe('/docs/errors/unauthenticated');
  const { status, headers, text } = await read(String(body.type));
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain('<h1>unauthenticated</h1>');
  expect(text).toContain('Status 401 Unauthorized.');
  expect(text).toContain('<code>Authorization: Bearer &lt;API key&gt;</code>');
  expect(headers.get('content-security-policy')).not.toMatch(/script|https?:/);
});

test('every code has a page that the list of them leads to', async () => {
  const codes = [...Object.keys(PROBLEMS), ...Object.keys(RESULT_CODES)];
  const { text: list } = await read('/docs/errors');
  for (const code of codes) {
    expect(list).toContain(`href="errors/${code}"`);
    const { status, text } = await read(`/docs/errors/${code}`);
    expect([status, text.includes(`<h1>${code}</h1>`)], code).toEqual([200, true]);
  }
});

test('a page says which status a code comes with, and of a result that none does', async () => {
  expect((await read('/docs/errors/not_found')).text).toContain('Status 404 Not Found.');
  expect((await read('/docs/errors/rate_limited')).text).toContain('Status 429 Too Many Requests.');
  const [result] = Object.keys(RESULT_CODES);
  expect((await read(`/docs/errors/${result}`)).text).toContain('No request is answered with it');
});

test('an unknown code is a 404 with the nearest one', async () => {
  const { status, text } = await read('/docs/errors/not_fund');
  expect(status).toBe(404);
  expect(text).toContain('Did you mean not_found?');
});

test('a page is not sent again while it is the same, and takes no other method', async () => {
  const { headers } = await read('/docs/errors/conflict');
  const again = await fetch(`${service.url}/docs/errors/conflict`, {
    headers: { 'if-none-match': headers.get('etag')! },
  });
  expect(again.status).toBe(304);
  expect((await fetch(`${service.url}/docs/errors/conflict`, { method: 'POST' })).status).toBe(405);
});

test('every code of an entry has help', () => {
  const codes = [...Object.keys(PROBLEMS), ...Object.keys(RESULT_CODES)];
  for (const code of SOURCE_ERROR_CODES) expect(codes).toContain(code);
});

/** Every word of our own sources in which the pattern finds a code, once. */
function codesIn(pattern: RegExp): string[] {
  const root = join(import.meta.dirname, '../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const text = files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
  return [...text.matchAll(pattern)].map(([, code]) => code!);
}

test.each([
  ['a speaker', /new SpeakerError\(\s*'(\w+)'/g, 20],
  ['a finding, an entry or a job', /\bcode: '([a-z_]+)'/g, 12],
  ['a job that fails', /new JobFailure\(\s*'(\w+)'/g, 2],
])('every code of %s has help, and stands in docs/reference/errors.md', (_, pattern, least) => {
  const written = codesIn(pattern);
  expect(written.length).toBeGreaterThan(least);
  const known = { ...PROBLEMS, ...RESULT_CODES };
  const docs = readFileSync(join(import.meta.dirname, '../../docs/reference/errors.md'), 'utf8');
  expect(
    [...new Set(written)].filter((code) => !Object.hasOwn(known, code) || !docs.includes(`\n## ${code}\n`)),
  ).toEqual([]);
});
