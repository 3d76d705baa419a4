/** Commands by which shells complete a line. */
import { EXIT } from '../process/command-error.ts';
import { command, type CommandGroup } from '../table/command.ts';

const SHELLS = {
  bash: 'source <(prefixcast completion bash)',
  zsh: 'source <(prefixcast completion zsh)',
  fish: 'prefixcast completion fish | source',
} as const;

const EXITS = { exitCodes: { [EXIT.ok]: 'done', [EXIT.usage]: 'wrong usage' } };

/** @param program what there is to complete */
export function completionGroup(program: () => CommandGroup): CommandGroup {
  return {
    name: 'completion',
    summary: 'let a shell complete commands, options and names',
    commands: [
      ...(['bash', 'zsh', 'fish'] as const).map((shell) =>
        command({
          name: shell,
          summary: `print what makes ${shell} complete; it stays right when the program is upgraded`,
          examples: [SHELLS[shell]],
          ...EXITS,
          run: async () => {
            const [{ SCRIPTS }, { print }] = await Promise.all([
              import('../completion/shell-scripts.ts'),
              import('../render/formats.ts'),
            ]);
            print(SCRIPTS[shell]);
            return EXIT.ok;
          },
        }),
      ),
      command({
        name: 'words',
        summary: 'print what may stand at the end of a line; the scripts of shells ask it',
        args: [{ name: 'WORD', many: true, optional: true }],
        options: { breaks: { value: 'CHARACTERS', about: 'of bash, which gives its line as one WORD' } },
        examples: ['prefixcast completion words -- module edit ""'],
        ...EXITS,
        run: async ({ options, args }) => {
          const { answerShell } = await import('../completion/complete.ts');
          return answerShell(program(), args, options.breaks);
        },
      }),
    ],
  };
}
