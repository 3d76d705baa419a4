#!/usr/bin/env node
/** The command `prefixcast`. Each subcommand loads what it needs and nothing else, so that small ones start in a moment. */
import { enableCompileCache } from 'node:module';
import { Command } from 'commander';
import { ConfigError, currentPlatform, parseConfig } from './config.ts';
import { version } from './version.ts';

// Halves the time to load the service from the second start on.
enableCompileCache();

const program = new Command('prefixcast')
  .description('git for route lists: collects prefixes, keeps immutable revisions, casts them over BGP')
  .version(version.version)
  .showHelpAfterError('(prefixcast --help lists the commands)');

program
  .command('start')
  .description('run the service (what `prefixcast` alone does); the environment configures it')
  .action(async () => {
    const { runService } = await import('./main.ts');
    await runService(parseConfig(process.env, currentPlatform()));
  });

program
  .command('listen')
  .description('accept a BGP session and show what a router would receive')
  .allowUnknownOption()
  .helpOption(false)
  .argument('[options...]')
  .action(async () => {
    const { listenCommand } = await import('./cli/commands/listen.ts');
    await listenCommand().name('prefixcast listen').parseAsync(process.argv.slice(3), { from: 'user' });
  });

program
  .command('keys')
  .description('API keys without a running service')
  .command('generate')
  .description('print a fresh super_admin key, for APP_BOOTSTRAP_API_KEY')
  .action(async () => {
    const { mintApiKey } = await import('./store/api-key-secret.ts');
    console.log(mintApiKey('super_admin').secret);
  });

try {
  const args = process.argv.slice(2);
  await program.parseAsync(args.length === 0 ? ['start'] : args, { from: 'user' });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 78; // EX_CONFIG of sysexits(3)
}
