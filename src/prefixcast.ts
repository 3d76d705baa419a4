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
  .command('start', { isDefault: true })
  .description('run the service; the environment configures it, see the README')
  .action(async () => {
    const { runService } = await import('./main.ts');
    await runService(parseConfig(process.env, currentPlatform()));
  });

program
  .command('listen', { hidden: false })
  .description('accept a BGP session and show what a router would receive')
  .allowUnknownOption()
  .helpOption(false)
  .argument('[options...]')
  .action(async () => {
    const { listenCommand } = await import('./cli/commands/listen.ts');
    await listenCommand().parseAsync(process.argv.slice(3), { from: 'user' });
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
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 78; // EX_CONFIG of sysexits(3)
}
