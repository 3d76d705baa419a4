#!/usr/bin/env node
/** The command `prefixcast`. Each subcommand loads what it needs and nothing else, so that small ones start in a moment. */
import { enableCompileCache } from 'node:module';
import { startWithLeanMemory } from './lean-memory.ts';

// Halves the time to load the service from the second start on.
enableCompileCache();

const [name, ...args] = process.argv.slice(2);
if (name === undefined || name === 'start' || name === 'agent') startWithLeanMemory();

const { isPrefixCommand, runPrefixCommand } = await import('./cli/prefixes/run.ts');
if (isPrefixCommand(name)) process.exit(await runPrefixCommand(name, args));
const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2));
