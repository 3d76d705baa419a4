#!/usr/bin/env node
/** The command `prefixcast`. Each subcommand loads what it needs and nothing else, so that small ones start in a moment. */
import { enableCompileCache } from 'node:module';

// Halves the time to load the service from the second start on.
enableCompileCache();

const [name, ...args] = process.argv.slice(2);
if (name === 'aggregate' || name === 'diff' || name === 'contains') {
  const { runPrefixCommand } = await import('./cli/prefixes/run.ts');
  process.exitCode = await runPrefixCommand(name, args);
} else {
  const { runProgram } = await import('./program.ts');
  await runProgram(process.argv.slice(2));
}
