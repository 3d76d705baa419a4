#!/usr/bin/env node
/** The command `prefixcast`. Each subcommand loads what it needs and nothing else, so that small ones start in a moment. */
import { createRequire, enableCompileCache } from 'node:module';
import type * as PrefixCommands from './cli/prefixes/run.ts';

// Halves the time to load the service from the second start on.
enableCompileCache();

const [name, ...args] = process.argv.slice(2);
if (name === 'aggregate' || name === 'diff' || name === 'contains') {
  const { runPrefixCommand } = await loadPrefixCommands();
  process.exitCode = await runPrefixCommand(name, args);
} else {
  const { runProgram } = await import('./program.ts');
  await runProgram(process.argv.slice(2));
}

/** What is built has them as one file (scripts/bundle-commands.ts); from source they are loaded module by module. */
async function loadPrefixCommands(): Promise<typeof PrefixCommands> {
  if (import.meta.filename.endsWith('.ts')) return import('./cli/prefixes/run.ts');
  return createRequire(import.meta.url)('./cli/prefixes/bundle.cjs') as typeof PrefixCommands;
}
