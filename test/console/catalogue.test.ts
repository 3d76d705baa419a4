/** Where words of the console are, and what makes its numbers, dates and places: the sources themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const CONSOLE = join(import.meta.dirname, '../../console/src');
const files = readdirSync(CONSOLE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name));
const named = (ending: RegExp): string[] => files.filter((file) => ending.test(file));

/** Attributes that somebody sees or hears. */
const SAID = new Set(['aria-label', 'alt', 'label', 'placeholder', 'title', 'hint', 'what']);
/** At least two letters: signs and units of one are no words. */
const WORDS = /\p{L}{2}/u;

/** Texts of a component that people read, and that are written in it. */
function wordsIn(file: string, text = readFileSync(file, 'utf8')): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && WORDS.test(node.text)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && SAID.has(node.name.getText()))
      for (const one of literalsIn(node.initializer)) if (WORDS.test(one)) found.push(one);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Of a value or a choice of values. */
function literalsIn(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isJsxExpression(node)) return literalsIn(node.expression);
  if (ts.isConditionalExpression(node)) return [...literalsIn(node.whenTrue), ...literalsIn(node.whenFalse)];
  return [];
}

test('all words are in the catalogue', () => {
  const components = named(/\.tsx$/);
  expect(components.length).toBeGreaterThan(100);
  expect(
    components.flatMap((file) => wordsIn(file).map((said) => `${relative(CONSOLE, file)}: ${said}`)),
  ).toEqual([]);
  // What it looks for is found.
  expect(wordsIn('one.tsx', '<p title={a ? "Two" : b}>Save <b aria-label="the list" /></p>')).toEqual([
    ...['Two', 'Save', 'the list'],
  ]);
});

test('numbers and times are written by the catalogue, with Intl', () => {
  const elsewhere = named(/\.tsx?$/).filter(
    (file) => !relative(CONSOLE, file).startsWith('strings/') && !file.includes('/generated/'),
  );
  const own = /\bnew Intl\.|\.toLocale(?:Date|Time)?String\(|\.to(?:UTC|Date|Time)String\(/;
  expect(elsewhere.filter((file) => own.test(readFileSync(file, 'utf8')))).toEqual([]);
  const format = readFileSync(join(CONSOLE, 'strings/format.ts'), 'utf8');
  for (const kind of ['NumberFormat', 'DateTimeFormat', 'RelativeTimeFormat', 'ListFormat'])
    expect(format).toContain(`Intl.${kind}`);
});

test('places are said from where a line begins, whichever way it is read', () => {
  const sheets = named(/\.css$/);
  expect(sheets.length).toBeGreaterThan(30);
  const physical =
    /^\s*(?:(?:margin|padding|border)-(?:left|right|top|bottom)\b[\w-]*|left|right|top|bottom|width|height|min-width|max-width|min-height|max-height|text-align:\s*(?:left|right)|float)\b\s*:?/;
  const found = sheets.flatMap((sheet) =>
    readFileSync(sheet, 'utf8')
      .split('\n')
      .filter((line) => physical.test(line))
      .map((line) => `${relative(CONSOLE, sheet)}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
