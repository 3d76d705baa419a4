import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOG, ROWS, rowTypes, type Column } from '../../scripts/row-types.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('types of rows are what migrations make', async () => {
  const text = await rowTypes(await database.admin<Column>(CATALOG));
  expect(readFileSync(ROWS, 'utf8'), 'They are not: run `npm run rows` and commit the file').toBe(text);
});

describe('a column', () => {
  const none = { type: 'text', nullable: false, defaulted: false, always: false, checks: [] };
  const typeOf = async (column: Partial<Column>, shapes: readonly string[] = []): Promise<string> => {
    const text = await rowTypes([{ table: 'peer', column: 'it', ...none, ...column }], new Set(shapes));
    return /^ {2}it: (.*);$/m.exec(text)![1]!;
  };

  test.each<[string, Partial<Column>, string]>([
    ['of text', {}, 'string'],
    ['that may be null', { nullable: true }, 'string | null'],
    ['with a default', { type: 'bigint', defaulted: true }, 'Generated<number>'],
    ['with a default that may be null', { nullable: true, defaulted: true }, 'Generated<string | null>'],
    ['that the database writes', { type: 'bigint', always: true }, 'GeneratedAlways<number>'],
    ['with a time', { type: 'timestamp with time zone' }, 'Time'],
    ['with a time of its own', { type: 'timestamp with time zone', defaulted: true }, 'DefaultedTime'],
    ['with a time or none', { type: 'timestamp with time zone', nullable: true }, 'NullableTime'],
    ['of lists', { type: 'bytea[]' }, 'Buffer[]'],
    [
      'with a closed set of values',
      { checks: ['CHECK ((length(it) < 9))', "CHECK ((it = ANY (ARRAY['a'::text, 'b'::text])))"] },
      "'a' | 'b'",
    ],
    ['with one value', { checks: ["CHECK ((it = 'a'::text))"] }, "'a'"],
    ['with another check', { checks: ["CHECK ((it <> 'a'::text))"] }, 'string'],
  ])('%s', async (_what, column, type) => {
    expect(await typeOf(column)).toBe(type);
  });

  test('has the shape that column-shapes.ts gives it', async () => {
    expect(await typeOf({}, ['peer.it'])).toBe("ColumnShapes['peer.it']");
    expect(await typeOf({ type: 'jsonb' }, ['peer.it'])).toBe("Json<ColumnShapes['peer.it']>");
    expect(await typeOf({ type: 'jsonb', nullable: true }, ['peer.it'])).toBe(
      "NullableJson<ColumnShapes['peer.it']>",
    );
  });

  test('has the shape that column-shapes.ts gives it in every table, unless it has one of its own there', async () => {
    expect(await typeOf({ type: 'jsonb' }, ['*.it'])).toBe("Json<ColumnShapes['*.it']>");
    expect(await typeOf({ type: 'jsonb' }, ['*.it', 'peer.it'])).toBe("Json<ColumnShapes['peer.it']>");
    await expect(typeOf({}, ['*.was'])).rejects.toThrow('names *.was, and no migration makes that column');
  });

  test.each<[string, Partial<Column>, readonly string[], RegExp]>([
    ['of JSON without a shape', { type: 'jsonb' }, [], /peer\.it is jsonb: say its shape/],
    ['of an unknown type', { type: 'interval' }, [], /peer\.it is interval: say in scripts/],
    ['that is gone', {}, ['peer.was'], /names peer\.was, and no migration makes that column/],
  ])('%s stops the making', async (_what, column, shapes, message) => {
    await expect(typeOf(column, shapes)).rejects.toThrow(message);
  });
});
