/**
 * `node scripts/bundle-commands.ts [DIST]`: makes the published command, and one file with all that the commands over lists need. They are done
 * in less time than Node.js takes to find and link thirty modules, and a plain script starts sooner than a module. Each module stays
 * a function of its own and is run when it is first asked for, as before. Every other command is left to the bundle of the service.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { LIST_COMMANDS } from '../src/cli/list-commands.ts';

const SOURCE = join(import.meta.dirname, '../src');
const LISTS = 'cli/quick-commands.ts';
const RUNTIME_OPTIONS = 'runtime-options.ts';

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2024,
  removeComments: true,
};

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

/**
 * Modules are functions of `exports` and `require`, which gives those of this file and, for other names, what Node.js gives. They stand in
 * brackets because V8 then compiles them as it reads the file, and need not read most of them once more.
 */
function bundle(entry: string): string {
  const functions = Array.from(
    compileAll(entry),
    ([name, text]) => `${JSON.stringify(name)}: ((exports, require) => {\n${text}\n}),`,
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
const entry = load(${JSON.stringify(entry)});
`;
}

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  readonly version: string;
};

/** The service starts itself once more with its runtime options: here that costs least, before anything else is loaded. */
const COMMAND = `#!/usr/bin/env node
${bundle(RUNTIME_OPTIONS)}const name = process.argv[2];
if (name === '--version' || name === '-V') console.log(${JSON.stringify(version)});
else if (${JSON.stringify(LIST_COMMANDS.map(({ name }) => name))}.includes(name)) require('./list-commands.cjs');
else {
  if (name === undefined || name === 'start') entry.restartWithRuntimeOptions();
  require('./parts/prefixcast.cjs');
}
`;

const folder = process.argv[2] ?? 'dist';
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'prefixcast.cjs'), COMMAND, { mode: 0o755 });
writeFileSync(
  join(folder, 'list-commands.cjs'),
  `${bundle(LISTS)}void entry.runQuickCommand(process.argv.slice(2)).then((code) => process.exit(code));\n`,
);
