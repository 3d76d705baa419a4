/**
 * `node scripts/bundle-commands.ts [DIST]`: makes one file of the commands that need no service. They are done in less time
 * than Node.js takes to find and link thirty modules. Each module stays a function of its own and is run when it is first asked
 * for, as before.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

const SOURCE = join(import.meta.dirname, '../src');
const ENTRY = 'cli/prefixes/run.ts';
const BUNDLE = 'cli/prefixes/bundle.cjs';

const OPTIONS: ts.CompilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2024 };

function compileAll(entry: string): Map<string, string> {
  const modules = new Map<string, string>();
  const open = [entry];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (modules.has(name)) continue;
    const folder = posix.dirname(name);
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCE, name), 'utf8'), {
      compilerOptions: OPTIONS,
    });
    const linked = outputText.replaceAll(/\brequire\(['"](\.[^'"]+)['"]\)/g, (_call, path: string) => {
      const target = posix.join(folder, path);
      open.push(target);
      return `require(${JSON.stringify(target)})`;
    });
    modules.set(name, linked);
  }
  return modules;
}

/** Modules are functions of `exports` and `require`, which gives those of this file and, for other names, what Node.js gives. */
function bundle(modules: ReadonlyMap<string, string>): string {
  const functions = Array.from(
    modules,
    ([name, text]) => `${JSON.stringify(name)}: (exports, require) => {\n${text}\n},`,
  );
  return `'use strict';
const modules = {
${functions.join('\n')}
};
const loaded = {};
const load = (name) => {
  if (!(name in modules)) return require(name);
  if (!(name in loaded)) modules[name]((loaded[name] = {}), load);
  return loaded[name];
};
module.exports = load(${JSON.stringify(ENTRY)});
`;
}

const path = join(process.argv[2] ?? 'dist', BUNDLE);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, bundle(compileAll(ENTRY)));
