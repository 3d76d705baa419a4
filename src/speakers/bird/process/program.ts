/** BIRD's program checks a configuration in its own process: a fault there ends that process, not the daemon. */
import { execFile } from 'node:child_process';
import { SpeakerError } from '../../speaker.ts';

/**
 * Has `bird -p` check a configuration.
 * @param deadline in milliseconds
 * @throws {SpeakerError} with BIRD's own words
 */
export function checkConfiguration(program: string, path: string, deadline: number): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      ['-p', '-c', path],
      { timeout: deadline, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        if (error === null) resolve();
        else reject(refusal(error, program, path, deadline, `${stdout}\n${stderr}`.trim()));
      },
    );
  });
}

function refusal(
  error: Error & { code?: unknown; killed?: boolean; signal?: unknown },
  program: string,
  path: string,
  deadline: number,
  words: string,
): SpeakerError {
  if (error.code === 'ENOENT' || error.code === 'EACCES')
    return new SpeakerError(
      'daemon_missing',
      `${program} can't be run (${error.code}): set APP_ROUTER_BIN to BIRD's program, which checks configurations`,
      { isOfDaemon: true },
    );
  const why =
    error.killed === true
      ? `it took longer than ${deadline / 1000} s`
      : words || `it ended by ${String(error.signal ?? error.code)}`;
  return new SpeakerError('config_refused', `BIRD refuses the configuration ${path}: ${why}`, {
    isOfDaemon: true,
  });
}
