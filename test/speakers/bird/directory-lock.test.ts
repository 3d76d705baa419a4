import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DirectoryLock } from '../../../src/speakers/bird/process/directory-lock.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startClaimant, type Claimant } from '../claimant.ts';

describe('the lock of a directory', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-lock-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const another = (): Promise<Claimant> => startClaimant('DirectoryLock', directory);

  it('is one process’s, which says who has it, until that lets go', async () => {
    const lock = new DirectoryLock(directory);
    expect(await lock.claim()).toBeNull();
    expect(await lock.claim()).toBeNull();
    expect(await new DirectoryLock(directory).claim()).toBeNull();
    expect((await another()).answer).toMatch(
      new RegExp(`is driven by the process ${process.pid} on .*, since \\d{4}-`),
    );
    await lock.release();
    expect((await another()).answer).toBe('null');
    expect(await lock.claim()).toMatch(/is driven by the process \d+/);
  });

  it('is free again when its process was killed, also when another has its pid by now', async () => {
    const { child, answer } = await another();
    expect(answer).toBe('null');
    const lock = new DirectoryLock(directory);
    expect(await lock.claim()).toMatch(`the process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await lock.claim()).toBeNull();
    await lock.release();
    const living = await another();
    const path = join(directory, 'prefixcast.lock');
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...owner, started: '1' }));
    expect(living.answer).toBe('null');
    expect(await lock.claim()).toBeNull();
  });

  it('is free again when its process has ended and nobody took note of that', async () => {
    const url = new URL('../../../src/speakers/bird/process/directory-lock.ts', import.meta.url);
    const code = `import { DirectoryLock } from ${JSON.stringify(url)};
      console.log(process.pid, await new DirectoryLock(${JSON.stringify(directory)}).claim());
      setInterval(() => undefined, 1_000);`;
    // Whoever started it has become a program that waits for no child, as in containers without an init of their own.
    const program = '"$0" --input-type=module -e "$1" & exec sleep 600';
    const parent = spawn('sh', ['-c', program, process.execPath, code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [answer] = (await once(parent.stdout, 'data')) as [Buffer];
    const [pid, reason] = answer.toString().trim().split(' ');
    expect(reason).toBe('null');
    process.kill(Number(pid), 'SIGKILL');
    await waitFor(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(' Z '), {
      what: 'it to have ended',
    });
    expect(await new DirectoryLock(directory).claim()).toBeNull();
  });

  it('is made again when somebody emptied the directory, unless another process was first', async () => {
    const path = join(directory, 'prefixcast.lock');
    const lock = new DirectoryLock(directory);
    expect(await lock.claim()).toBeNull();
    rmSync(path);
    expect(await lock.claim()).toBeNull();
    expect((await another()).answer).toMatch(`the process ${process.pid}`);
    rmSync(path);
    const { child, answer } = await another();
    expect(answer).toBe('null');
    expect(await lock.claim()).toMatch(`the process ${child.pid}`);
    await lock.release();
    expect((await another()).answer).toMatch(`the process ${child.pid}`);
  });

  it('lets go of nothing that another process has taken since', async () => {
    const lock = new DirectoryLock(directory);
    expect(await lock.claim()).toBeNull();
    rmSync(join(directory, 'prefixcast.lock'));
    const { child, answer } = await another();
    expect(answer).toBe('null');
    await lock.release();
    expect((await another()).answer).toMatch(`the process ${child.pid}`);
  });

  it('is one’s when many want it at once, with a dead one in the way', async () => {
    writeFileSync(join(directory, 'prefixcast.lock'), 'no lock at all');
    const answers = await Promise.all(Array.from({ length: 6 }, another));
    expect(answers.filter(({ answer }) => answer === 'null').length).toBe(1);
    expect(readdirSync(directory)).toEqual(['prefixcast.lock']);
  });
});
