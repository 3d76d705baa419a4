import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kernel } from '../../src/firewall/kernel.ts';
import { Nft } from '../../src/firewall/nft.ts';
import { daemonDirectory } from '../daemons/process.ts';
import { programPath } from '../daemons/programs.ts';
import type { Space } from './space.ts';

/** The kernel of the host of the space, as this process can reach it. */
export function kernelOn({ onHost }: Pick<Space, 'onHost'>): Kernel {
  const directory = daemonDirectory('nft');
  const path = join(directory, 'nft');
  writeFileSync(path, `#!/bin/sh\nexec ${[...onHost, programPath('nft')].join(' ')} "$@"\n`);
  chmodSync(path, 0o755);
  return new Kernel(new Nft(path), directory);
}

/** A program nft that makes the file `mark` and waits for a second before it does what `when`, a condition of the shell, is true of. */
export function slowNft(directory: string, when: string): { readonly slow: string; readonly mark: string } {
  const [slow, mark] = [join(directory, 'slow-nft'), join(directory, 'began')];
  rmSync(mark, { force: true });
  writeFileSync(
    slow,
    `#!/bin/sh\nif ${when}; then touch ${mark}; sleep 1; fi\nexec ${programPath('nft')} "$@"\n`,
  );
  chmodSync(slow, 0o755);
  return { slow, mark };
}
