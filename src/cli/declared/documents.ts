/** YAML files as documents that know where everything stands in them. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';

/** What is wrong in a file, and how to correct it. */
export interface FileFault {
  /** `file:line`. */
  readonly at: string;
  readonly detail: string;
}

/** One object of a file. */
export interface SourceDocument {
  readonly path: string;
  readonly value: unknown;
  /** `file:line` of a JSON Pointer into it; that of the nearest member around it where there is none. */
  readonly at: (pointer: string) => string;
}

const MAXIMUM_BYTES = 4 * 1024 * 1024;
const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml']);

/** The YAML files of a directory and those inside of it, in the order of their names; or the file itself. Hidden ones are none. */
export function listYamlFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) return listYamlFiles(inside);
      return entry.isFile() && EXTENSIONS.has(extname(entry.name)) ? [inside] : [];
    });
}

/** @param shown what faults call the file */
export function readDocuments(
  path: string,
  shown: string,
  report: (fault: FileFault) => void,
): SourceDocument[] {
  const { size } = statSync(path);
  if (size > MAXIMUM_BYTES) {
    report({
      at: `${shown}:1`,
      detail: `has ${size} bytes, and ${MAXIMUM_BYTES} is the most: entries belong into CSV files`,
    });
    return [];
  }
  const lines = new LineCounter();
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { lineCounter: lines, uniqueKeys: true });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const at = (pointer: string): string => `${shown}:${lineOf(document, pointer, lines)}`;
    const [error] = document.errors;
    if (error !== undefined) {
      const { line } = error.linePos?.[0] ?? { line: 1 };
      report({ at: `${shown}:${line}`, detail: `is not YAML: ${error.message.split('\n')[0]!}` });
      return [];
    }
    if (document.contents === null) return [];
    try {
      return [{ path, value: document.toJS({ maxAliasCount: 100 }) as unknown, at }];
    } catch (error) {
      report({ at: at(''), detail: `cannot be read: ${(error as Error).message}` });
      return [];
    }
  });
}

function lineOf(document: Document, pointer: string, lines: LineCounter): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node)) {
      node = (node.items[Number(name)] as Node | undefined) ?? null;
      offset = node?.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}

/** Whether the path is the directory or inside of it, wherever links lead. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(realpathSync(directory), realpathSync(path));
  return way !== '..' && !way.startsWith(`..${sep}`);
}
