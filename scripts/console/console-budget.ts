/** What a browser loads of the console, and how much that may be. */
import { gzipSync } from 'node:zlib';
import type { Rolldown } from 'vite';

type Output = readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[];

/** Bytes as gzip sends them. */
export interface Size {
  /** `first load`, or the file of a page that is loaded when it is opened. */
  readonly name: string;
  readonly script: number;
  readonly style: number;
}

const KILOBYTE = 1_000;
const FIRST_LOAD = { script: 220 * KILOBYTE, style: 20 * KILOBYTE };
/** Beyond the first load. All CSS is in one file, which comes with that. */
const ROUTE = { script: 40 * KILOBYTE, style: 0 };
/** A part of a page that comes when somebody asks for it. */
const EDITOR = { script: 110 * KILOBYTE, style: 0 };

/** The first load, and what each page brings that the first load has not. */
export function measure(output: Output): Size[] {
  const chunks = new Map(
    output.filter((file) => file.type === 'chunk').map((chunk) => [chunk.fileName, chunk]),
  );
  const entry = [...chunks.values()].find(({ isEntry }) => isEntry)!;
  const first = withImports(entry, chunks);
  const pages = [...chunks.values()].filter(({ isDynamicEntry }) => isDynamicEntry);
  const styles = output.filter(({ fileName }) => fileName.endsWith('.css'));
  return [
    {
      name: 'first load',
      script: sum([...first].map(({ code }) => code)),
      style: sum(styles.map((file) => (file.type === 'asset' ? file.source : ''))),
    },
    ...pages.map((page) => ({
      name: page.fileName,
      script: sum(
        [...withImports(page, chunks)].filter((chunk) => !first.has(chunk)).map(({ code }) => code),
      ),
      style: 0,
    })),
  ];
}

/** A line for each size that is over. */
export function overBudget(sizes: readonly Size[]): string[] {
  return sizes.flatMap(({ name, script, style }) => {
    const budget = budgetOf(name);
    return [
      ...(script > budget.script ? [`${name}: ${script} bytes of script; ${budget.script} are allowed`] : []),
      ...(style > budget.style ? [`${name}: ${style} bytes of CSS; ${budget.style} are allowed`] : []),
    ];
  });
}

function budgetOf(name: string): { readonly script: number; readonly style: number } {
  if (name === 'first load') return FIRST_LOAD;
  return /\/TextEditor-[^/]*$/.test(name) ? EDITOR : ROUTE;
}

function withImports(
  chunk: Rolldown.OutputChunk,
  chunks: ReadonlyMap<string, Rolldown.OutputChunk>,
  found = new Set<Rolldown.OutputChunk>(),
): Set<Rolldown.OutputChunk> {
  if (found.has(chunk)) return found;
  found.add(chunk);
  for (const name of chunk.imports) {
    const imported = chunks.get(name);
    if (imported !== undefined) withImports(imported, chunks, found);
  }
  return found;
}

function sum(texts: readonly (string | Uint8Array)[]): number {
  return texts.reduce((total, text) => total + gzipSync(text, { level: 9 }).length, 0);
}
