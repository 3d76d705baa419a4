/** docs/reference/cli.md: the help of every command, from the table that the command line goes by. */
import { type Command, type CommandGroup, isGroup } from '../../src/cli/table/command.ts';
import { helpOf } from '../../src/cli/table/help.ts';
import { COMMANDS } from '../../src/commands.ts';

const INTRODUCTION = `# Command line

Made by \`npm run docs\` from the table of commands; do not edit. From a checkout, \`npm run prefixcast -- COMMAND\` runs a command.`;

export function cliDocs(): string {
  return [INTRODUCTION, ...sections(COMMANDS, COMMANDS.name)].join('\n\n');
}

function sections(entry: Command | CommandGroup, path: string): string[] {
  const own = `## ${path}\n\n\`\`\`text\n${helpOf(entry, path).trimEnd()}\n\`\`\``;
  return isGroup(entry)
    ? [own, ...entry.commands.flatMap((one) => sections(one, `${path} ${one.name}`))]
    : [own];
}
