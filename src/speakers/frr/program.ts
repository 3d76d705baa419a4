/** `vtysh` reads all commands in its own process before it sends any to FRR, so that FRR never gets half a configuration. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpeakerError } from '../speaker.ts';

const DEADLINE = 10_000;

/** FRR's programs print this about an optional file of their own. */
const NO_FILE_OF_ITS_OWN = /^% Can't open configuration file .*\n?/gm;

/**
 * Has `vtysh` check that it knows every command.
 * @throws {SpeakerError} with the words of `vtysh`
 */
export async function checkCommands(program: string, commands: readonly string[]): Promise<void> {
  // Commands contain passwords: the directory is closed to other users.
  const directory = await mkdtemp(join(tmpdir(), 'prefixcast-frr-'));
  try {
    const file = join(directory, 'commands');
    await writeFile(file, `${commands.join('\n')}\n`, { mode: 0o600 });
    await dryRun(program, file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function dryRun(program: string, file: string): Promise<void> {
  const args = ['--dryrun', '--inputfile', file];
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: DEADLINE, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(refusal(error, program, `${stdout}\n${stderr}`.replace(NO_FILE_OF_ITS_OWN, '').trim()));
    });
  });
}

function refusal(
  error: Error & { code?: unknown; killed?: boolean; signal?: unknown },
  program: string,
  words: string,
): SpeakerError {
  if (error.code === 'ENOENT' || error.code === 'EACCES')
    return new SpeakerError(
      'daemon_missing',
      `${program} can't be run (${error.code}): set APP_ROUTER_BIN to FRR's vtysh, which checks commands`,
    );
  const why =
    error.killed === true
      ? `it took longer than ${DEADLINE / 1000} s`
      : words.replace(/( password )\S+/g, '$1***') || `it ended by ${String(error.signal ?? error.code)}`;
  return new SpeakerError('config_refused', `vtysh refuses the configuration: ${why}`);
}
