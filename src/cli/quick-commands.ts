/** Where the published command begins: what it can do by itself, before any module of the service is looked for. */
import { LIST_COMMANDS } from './list-commands.ts';
import { runCommand } from './table/run-command.ts';

/** Null: it is no quick command. Resolves to the exit code. */
export function runQuickCommand([name, ...words]: readonly string[]): Promise<number> | null {
  const command = LIST_COMMANDS.find((known) => known.name === name);
  return command === undefined ? null : runCommand(command, `prefixcast ${command.name}`, words);
}
