import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explaining, syncDirectory, writeWhole } from '../../src/speakers/config-files.ts';
import { SpeakerError } from '../../src/speakers/speaker.ts';

describe('a configuration file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-config-'));
    path = join(directory, 'ours.conf');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (text: string): Promise<void> =>
    explaining('BIRD', path, async () => {
      await writeWhole(path, 0o600, (file) => file.writeFile(text));
      await syncDirectory(directory);
    });

  it('takes the place of the old one, and only its owner reads it', async () => {
    await write('old');
    await write('new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['ours.conf']);
  });

  it('stays as it was when the disk is full, with nothing left beside it', async () => {
    await write('old');
    symlinkSync('/dev/full', `${path}.part`);
    await expect(write('new')).rejects.toMatchObject({
      code: 'disk_full',
      message: `there is no room for BIRD's configuration ${path}: free some; what BIRD runs stays`,
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(directory)).toEqual(['ours.conf']);
  });

  it('in a directory that is not there is reported with what to do', async () => {
    path = join(directory, 'missing', 'ours.conf');
    await expect(write('new')).rejects.toMatchObject({
      code: 'config_unwritable',
      message: expect.stringContaining("can't be written (ENOENT): see that its directory exists") as string,
    });
  });

  it('that can be no file is reported in the words of the system', async () => {
    mkdirSync(path);
    await expect(write('new')).rejects.toMatchObject({
      code: 'config_unwritable',
      message: expect.stringContaining('EISDIR') as string,
    });
  });

  it('whose writer has a reason of its own keeps that', async () => {
    const reason = new SpeakerError('config_refused', 'no');
    await expect(explaining('BIRD', path, () => Promise.reject(reason))).rejects.toBe(reason);
  });
});
