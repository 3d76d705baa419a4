/** Runs a command over prefix lists as a user does: a process of its own, `options` being those of Node.js. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const command = join(import.meta.dirname, '../../src/prefixcast.ts');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function prefixcast(
  args: readonly string[],
  input: string | Buffer = '',
  options: readonly string[] = [],
): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, command, ...args], {
    input,
    maxBuffer: 2 ** 28,
  });
  return { code: status, out: stdout.toString(), err: stderr.toString() };
}

/** As {@link prefixcast}, with a reader that goes away after the first bytes. */
export function prefixcastCutShort(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.once('data', (chunk: Buffer) => {
    out = chunk.toString();
    child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** As {@link prefixcast}, with a standard error that nobody reads any more. */
export function prefixcastUnheard(args: readonly string[], lists: Lists): Pick<Ended, 'code' | 'out'> {
  const pipe = join(lists.directory, 'unheard');
  spawnSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, 'w');
  closeSync(reader);
  try {
    const { status, stdout } = spawnSync(process.execPath, [command, ...args], {
      stdio: ['ignore', 'pipe', writer],
    });
    return { code: status, out: stdout.toString() };
  } finally {
    closeSync(writer);
    rmSync(pipe);
  }
}

/** A directory of lists; `remove` it at the end. */
export class Lists {
  readonly directory = mkdtempSync(join(tmpdir(), 'pc-lists-'));

  write(name: string, content: string | Buffer): string {
    const path = join(this.directory, name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}
