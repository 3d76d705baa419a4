import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/api/problems/problem.ts';
import { ROUTES } from '../../src/http/server/route-table.ts';
import { generatedDocs } from '../../scripts/generate-docs.ts';
import { memberTable, typeText } from '../../scripts/docs/schema-text.ts';

const files = await generatedDocs();

test.each([...files])('%s is what `npm run docs` makes', (path, text) => {
  expect(readFileSync(path, 'utf8') === text, 'It is not: run `npm run docs` and commit the file').toBe(true);
});

test('every route and every code has a section', () => {
  const [api, errors] = [...files.values()];
  for (const { method, path } of ROUTES) expect(api).toContain(`### \`${method} ${path}\``);
  for (const code of Object.keys(PROBLEMS)) expect(errors).toContain(`## ${code}\n`);
});

test('docs/api.md leads to every group of operations', () => {
  const walkthrough = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
  const groups = new Set(ROUTES.map(({ tag }) => tag));
  expect([...groups].filter((tag) => !walkthrough.includes(`[${tag}](reference/api.md#`))).toEqual([]);
});

test('every variable of the environment is in docs/reference/variables.md, docs/routers/nodes.md or docs/firewall.md', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const code = ['config', 'agent-config', 'firewall-config', 'router-config']
    .map((name) => read(`src/config/${name}.ts`))
    .join('\n');
  const variables = new Set(code.match(/\b(?:APP|AUTH|DATABASE)_[A-Z_]+(?=['`])/g));
  const docs =
    read('docs/reference/variables.md') +
    read('docs/reference/limits.md') +
    read('docs/routers/nodes.md') +
    read('docs/firewall.md');
  expect(variables.size).toBeGreaterThan(25);
  expect([...variables].filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});

describe('types in words', () => {
  test.each([
    [{ type: 'integer', minimum: 1, maximum: 65_535 }, 'integer 1 to 65,535'],
    [{ type: 'string', maxLength: 5 }, 'string of up to 5 characters'],
    [{ type: 'string', format: 'uuid' }, 'string (uuid)'],
    [{ type: 'string', enum: ['a', 'b'] }, '`a`, `b`'],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, 'boolean or null'],
    [
      { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Id' } },
      'array of 1 or more of [Id](#id)',
    ],
    [{ type: 'object', properties: { a: { type: 'null' } } }, '{ `a`: null }'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'object of string by name'],
    [{}, 'any JSON'],
  ])('%j', (schema, text) => {
    expect(typeText(schema)).toBe(text);
  });

  test('a cell never ends its row', () => {
    const schema = { properties: { a: { type: 'string', pattern: 'x|y', description: 'one\ntwo' } } };
    expect(memberTable(schema).split('\n')[2]).toBe('| `a` | string (matching `x\\|y`) |  | one two |');
  });
});
