/**
 * `npm run assembly`: compiles assembly/*.ts (AssemblyScript) into WebAssembly, and writes each into src/core as text, so that it
 * is loaded like any other module. test/core/sets/compiled-modules.test.ts keeps what is checked in equal to what this makes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
// As a program: its types would bring a standard library of their own into all of this project.
const COMPILER = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');

/** A source, the module that carries its binary, both below the root, and the memory that it begins with, in pages of 64 KiB. */
export interface Assembly {
  readonly source: string;
  readonly module: string;
  readonly pages: number;
}

export const ASSEMBLY: readonly Assembly[] = [
  { source: 'assembly/ipv4-cover.ts', module: 'src/core/generated/ipv4-cover-binary.ts', pages: 52 },
  { source: 'assembly/ipv6-cover.ts', module: 'src/core/generated/ipv6-cover-binary.ts', pages: 8 },
  { source: 'assembly/ipv4-steps.ts', module: 'src/core/generated/ipv4-steps-binary.ts', pages: 2 },
  { source: 'assembly/ipv4-text.ts', module: 'src/core/generated/ipv4-text-binary.ts', pages: 4 },
  { source: 'assembly/ipv6-text.ts', module: 'src/core/generated/ipv6-text-binary.ts', pages: 8 },
];

const OPTIONS = ['-O3', '--runtime', 'stub', '--enable', 'simd,bulk-memory', '--noAssert'];

/** Names all that modules are made of: the sources, which import each other, the compiler and how it is called. */
export function assemblyStamp(): string {
  const hash = createHash('sha256').update(JSON.stringify([OPTIONS, ASSEMBLY]));
  const { version } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules/assemblyscript/package.json'), 'utf8'),
  ) as { version: string };
  hash.update(version);
  for (const name of readdirSync(join(ROOT, 'assembly')).sort())
    hash.update(`\0${name}\0`).update(readFileSync(join(ROOT, 'assembly', name)));
  return hash.digest('hex');
}

/** The text of the module. Throws what the compiler says. */
export function compileModule({ source, pages }: Assembly): string {
  const folder = mkdtempSync(join(tmpdir(), 'prefixcast-assembly-'));
  try {
    const binary = join(folder, 'out.wasm');
    const memory = ['--initialMemory', String(pages)];
    execFileSync(process.execPath, [COMPILER, source, ...OPTIONS, ...memory, '-o', binary], { cwd: ROOT });
    const text = readFileSync(binary).toString('base64');
    return `/** ${source}, compiled by \`npm run assembly\`: WebAssembly as base64. */\n// Of ${assemblyStamp()}.\nexport const BINARY =\n  '${text}';\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  for (const assembly of ASSEMBLY) writeFileSync(join(ROOT, assembly.module), compileModule(assembly));
}
