import { chmodSync, writeFileSync } from 'node:fs';
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
