#!/usr/bin/env node
/** The command `prefixcast`. Each command loads what it needs and nothing else, so that small ones start in a moment. */
import { enableCompileCache } from 'node:module';

// Halves the time to load the service from the second start on.
enableCompileCache();

// npm runs its scripts in the folder of the package: file names are those of whoever typed them.
if (process.env.npm_lifecycle_event === 'prefixcast' && process.env.INIT_CWD)
  process.chdir(process.env.INIT_CWD);

// No await, so that the published program can be a plain script, which starts sooner than a module.
void import('./program.ts').then(async ({ runProgram }) => {
  process.exitCode = await runProgram(process.argv.slice(2));
});
