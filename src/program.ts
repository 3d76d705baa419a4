/** The command line of everything that runs or asks the service. `prefixcast.ts` loads it for all but the quick commands. */
import { Command } from 'commander';
import { currentPlatform, parseConfig } from './config.ts';
import { ConfigError } from './environment.ts';
import { version } from './version.ts';

/** `prefixcast.ts` runs these itself; here they stand for `--help`. */
const QUICK_COMMANDS = {
  aggregate: 'print the fewest prefixes that cover exactly what some lists hold',
  diff: 'print what one list holds and another does not',
  contains: 'tell whether a list holds some addresses, and by which prefixes',
};

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
  .command('agent')
  .description('the node agent: pull the routes of a speaker to this machine, and keep them announced')
  .allowUnknownOption()
  .helpOption(false)
  .argument('[options...]')
  .action(async () => {
    const { agentCommand } = await import('./agent-command.ts');
    await agentCommand().name('prefixcast agent').parseAsync(process.argv.slice(3), { from: 'user' });
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

for (const [name, description] of Object.entries(QUICK_COMMANDS)) {
  program.command(name).description(description);
}

/** Runs what `args` (without program names) say; none: the service. */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args.length === 0 ? ['start'] : args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 78; // EX_CONFIG of sysexits(3)
  }
}
