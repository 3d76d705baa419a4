import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/api/problems/problem.ts';
import { parseJsonBody, parseLongJsonBody } from '../../../src/http/request/json-body.ts';
import '../../fuzz.ts';

function refusal(body: string | Uint8Array): Problem {
  try {
    parseJsonBody(typeof body === 'string' ? Buffer.from(body) : body);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${String(body)} was taken`);
}

test('an empty body is no body', () => {
  expect(parseJsonBody(Buffer.alloc(0))).toBeUndefined();
});

describe('malformed JSON is reported by line and column', () => {
  test.each([
    ['{"a":1,}', 'unexpected "}" at line 1, column 8'],
    ['{"a":\n tru}', 'unexpected "t" at line 2, column 2'],
    ['{"a":"b\n"}', 'unexpected "\\n" at line 1, column 8'],
    ['{"a":"\\x"}', 'unexpected "\\\\" at line 1, column 7'],
    ['{"a" 1}', 'unexpected "1" at line 1, column 6'],
    ['{"a":1}}', 'unexpected "}" at line 1, column 8'],
    ['[1 2]', 'unexpected "2" at line 1, column 4'],
    ['01', 'unexpected "1" at line 1, column 2'],
    ['{', 'it ends too early at line 1, column 2'],
    ['"abc', 'it ends too early at line 1, column 5'],
    [' ', 'it ends too early at line 1, column 2'],
    ['['.repeat(100_000), 'it ends too early at line 1, column 100001'],
  ])('%.20s', (body, place) => {
    const problem = refusal(body);
    expect(problem.code).toBe('malformed_request');
    expect(problem.message).toContain(place);
  });

  test('for any cut of any JSON, at or before the cut', () => {
    const cuts = fc.tuple(fc.json(), fc.nat()).map(([json, at]) => json.slice(0, at % json.length));
    fc.assert(
      fc.property(cuts, (text) => {
        try {
          JSON.parse(text);
        } catch {
          if (text !== '') expect(refusal(text).message).toMatch(/at line \d+, column \d+/);
        }
      }),
    );
  });
});

test('bytes that are not UTF-8 are refused, not replaced', () => {
  expect(refusal(Uint8Array.of(0x22, 0xff, 0x22)).message).toContain('not UTF-8');
});

describe('text that the database cannot keep', () => {
  test.each(['{"a":{"b":"x\\u0000"}}', '{"a":{"b":"\\ud800"}}'])('%s names its place', (body) => {
    expect(refusal(body).errors.map(({ pointer }) => pointer)).toEqual(['/a/b']);
  });

  test('an escaped backslash or a whole surrogate pair is fine', () => {
    expect(parseJsonBody(Buffer.from('["\\\\u0000", "\\ud83d\\ude00"]'))).toEqual(['\\u0000', '😀']);
  });
});

test('hostile nesting is refused before it costs anybody the call stack', () => {
  expect(refusal(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).code).toBe('malformed_request');
  expect(parseJsonBody(Buffer.from(`${'['.repeat(32)}${']'.repeat(32)}`))).toBeTruthy();
});

describe('what would take long', () => {
  const many = (value: string, count: number): string =>
    `[${Array.from({ length: count }, () => value).join()}]`;

  test('more values than any body needs are refused before they are parsed', () => {
    for (const value of ['1', '[]', '{"a":1}', '"\\""'])
      expect(refusal(many(value, 300_000)).code, value).toBe('payload_too_large');
    expect(refusal('['.repeat(300_000)).code).toBe('payload_too_large');
  });

  test('commas and brackets in strings are no values', () => {
    const text = `["${',[{\\"'.repeat(200_000)}","\\\\"]`;
    expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  test('as many as the largest bodies have are taken', () => {
    const text = many('{"cidr":"192.0.2.0/24","note":"x","enabled":true}', 10_000);
    expect(parseJsonBody(Buffer.from(text))).toHaveLength(10_000);
  });

  test('is parsed in steps, with the same result', async () => {
    const text = many('{"cidr":"192.0.2.0/24","note":"\\u00e9"}', 2_000);
    const turns = { count: 0, isOver: false };
    const look = (): void => {
      turns.count++;
      if (!turns.isOver) setImmediate(look);
    };
    setImmediate(look);
    expect(await parseLongJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
    turns.isOver = true;
    expect(turns.count).toBeGreaterThanOrEqual(4);
    await expect(parseLongJsonBody(Buffer.from(text.slice(0, -1)))).rejects.toMatchObject({
      code: 'malformed_request',
    });
    await expect(parseLongJsonBody(Buffer.from(`[{"a":1,"a":${text}}]`))).rejects.toThrow('twice');
  });

  test('a fault is reported by its place in the first part of a long body only', () => {
    const long = ' '.repeat(2 ** 20);
    expect(refusal(`{"a" 1}${long}`).message).toContain('at line 1, column 6');
    expect(refusal(`${long}{"a" 1}`).message).toContain('wrong after its first 1048576 characters');
    expect(refusal(`"${'\\n'.repeat(2 ** 20)}`).message).toContain('wrong after its first');
    const twice = refusal(`{"a":1,"a":2}${long}`);
    expect([twice.code, twice.errors]).toEqual(['malformed_request', []]);
  });
});

describe('a name twice in one object', () => {
  test.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"items":[{"cidr":"a"},{"cidr":"b","note":"\\"cidr\\":","cidr":"c"}]}', '/items/1/cidr'],
    ['{"a":{"b/c":[true,{}],"b/c":null}}', '/a/b~1c'],
    ['{ "" : 1 ,\n"" : -1.5e3 }', '/'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['[[{"x\\\\":"y","x\\\\":"z"}]]', '/0/0/x\\'],
  ])('%s is at %s', (body, pointer) => {
    const problem = refusal(body);
    expect(problem.code).toBe('malformed_request');
    expect(problem.errors.map((fault) => fault.pointer)).toEqual([pointer]);
    expect(problem.message).toContain(pointer);
  });

  test.each(['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}', '["a:","a:",":"]', '{"a":"\\\\","b":":"}'])(
    'is not in %s',
    (body) => {
      expect(parseJsonBody(Buffer.from(body))).toEqual(JSON.parse(body));
    },
  );

  test('is found wherever it was put into any JSON', () => {
    // Names that the generator does not make, so that there is one duplicate.
    const withObject = fc
      .json({ maxDepth: 6 })
      .map((json) => [json, `{"~":${json}, "z":0, "~" :1}`] as const);
    fc.assert(
      fc.property(withObject, ([json, twice]) => {
        const kept = parseJsonBody(Buffer.from(`[${json}]`));
        expect(kept).toEqual(JSON.parse(`[${json}]`));
        expect(refusal(`[${json},${twice}]`).errors.map(({ pointer }) => pointer)).toEqual(['/1/~0']);
      }),
    );
  });
});

describe('a long body rests often, also while its fault is looked for', () => {
  test.each([
    ['values', `[${'1,'.repeat(100_000)}x]`, 'unexpected "x" at line 1, column 200002'],
    ['open brackets', '['.repeat(100_000), 'it ends too early at line 1, column 100001'],
    ['brackets', `${'['.repeat(100_000)}${']'.repeat(99_999)}`, 'it ends too early at line 1, column 200000'],
  ])('of many %s', async (_, body, place) => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await expect(parseLongJsonBody(Buffer.from(body))).rejects.toThrow(place);
    isDone = true;
    expect(turns).toBeGreaterThan(50);
  });
});

test('what is nested too deep is refused without a look at how it ends', () => {
  const { code, message } = refusal(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  expect(code).toBe('malformed_request');
  expect(message).toContain('more than 32 levels deep');
});
