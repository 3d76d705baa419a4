/**
 * The one directory in BIRD's configuration that is ours; BIRD's main file includes `DIRECTORY/*.conf`. Files never change in place: a new
 * one is renamed over the old one.
 *
 *     pc_1a2b3c4d.conf       the speaker's head, which BIRD reads; it names the routes files to include
 *     pc_1a2b3c4d.good       the head that was confirmed last; except during an apply, a link to the same file
 *     pc_1a2b3c4d.next       a head that is being checked
 *     routes/<hash>.inc      routes of a group, named by their content; heads share them
 */
import { link, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { explaining, nullWhereMissing, syncDirectory, writeWhole } from '../config-files.ts';
import { routesPath } from './config/render.ts';
import { renderRoutes, type RouteGroup } from './config/route-groups.ts';
import { endMark, isSealed } from './config/sealed-text.ts';

/** BIRD reads them, possibly as a user of the directory's group; a head contains passwords of sessions. */
const FILE_MODE = 0o640;
const DIRECTORY_MODE = 0o750;

/** Prefixes formatted in one piece: a few milliseconds. */
const PIECE = 1 << 14;

/** Suffixes of temporary files of an apply. */
const LEFT_OVER = ['next', 'check', 'link', 'next.part', 'check.part'];

export type Head = 'conf' | 'good' | 'next';

export class ConfigDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  headPath(tag: string, head: Head): string {
    return join(this.path, `${tag}.${head}`);
  }

  /** The heads of all speakers of all owners that BIRD reads, or may still run. */
  async readHeads(): Promise<string[]> {
    const names = await namesIn(this.path);
    const tags = new Set(names.flatMap((name) => /^(pc_\w+)\.(?:conf|good)$/.exec(name)?.[1] ?? []));
    const read = async (tag: string): Promise<string | null> =>
      (await this.readHead(tag, 'conf')) ?? (await this.readHead(tag, 'good'));
    return (await Promise.all([...tags].map(read))).filter((text) => text !== null);
  }

  /** The text of a head; null where it is missing or incomplete. */
  async readHead(tag: string, head: Head): Promise<string | null> {
    const bytes = await this.#read(this.headPath(tag, head));
    return bytes !== null && isSealed(bytes) ? bytes.toString('utf8') : null;
  }

  /** Writes the routes of every group whose file is missing or incomplete. */
  async writeRoutes(groups: readonly RouteGroup[]): Promise<void> {
    await this.#explained(async () => {
      await mkdir(join(this.path, 'routes'), { recursive: true, mode: DIRECTORY_MODE });
      for (const group of groups) await this.#writeGroup(group);
      await syncDirectory(join(this.path, 'routes'));
    });
  }

  /** Writes a head beside the one that BIRD reads. */
  async stage(tag: string, head: string): Promise<void> {
    await this.#explained(() =>
      writeWhole(this.headPath(tag, 'next'), FILE_MODE, (file) => file.writeFile(head)),
    );
  }

  async #writeGroup(group: RouteGroup): Promise<void> {
    const path = routesPath(this.path, group);
    const present = await this.#read(path);
    if (present !== null && isSealed(present)) return;
    await writeWhole(path, FILE_MODE, async (file) => {
      const hash = createHash('sha256');
      for (let from = 0; from < group.prefixes.size; from += PIECE) {
        const bytes = renderRoutes(group, from, Math.min(from + PIECE, group.prefixes.size));
        hash.update(bytes);
        await file.writeFile(bytes);
      }
      await file.writeFile(endMark(hash.digest('hex')));
    });
  }

  /** Writes a main configuration with only the head that is to be checked. @returns its path */
  async stageMain(tag: string): Promise<string> {
    const path = join(this.path, `${tag}.check`);
    const text = `router id 192.0.2.1;\nprotocol device {}\ninclude "${this.headPath(tag, 'next')}";\n`;
    await this.#explained(() => writeWhole(path, FILE_MODE, (file) => file.writeFile(text)));
    return path;
  }

  /** From now on BIRD reads the staged head. */
  async switch(tag: string): Promise<void> {
    await this.#explained(async () => {
      await rename(this.headPath(tag, 'next'), this.headPath(tag, 'conf'));
      await syncDirectory(this.path);
    });
  }

  /** Makes the head that BIRD reads the good one. Needs no space on the disk. */
  async keep(tag: string): Promise<void> {
    await this.#explained(() => this.#linkHead(tag, 'conf', 'good'));
  }

  /** After a process was killed during an apply: BIRD is not to read what was not confirmed. */
  async recover(tag: string): Promise<void> {
    const good = await this.readHead(tag, 'good');
    if (good !== null && good !== (await this.readHead(tag, 'conf'))) await this.restore(tag);
    await this.sweep(tag);
  }

  /** Undoes what was staged and switched since the last head was kept. */
  async takeBack(tag: string): Promise<void> {
    await this.restore(tag);
    await this.sweep(tag);
  }

  /** Makes BIRD read the good head again, or none if there never was one. */
  async restore(tag: string): Promise<void> {
    await this.#explained(async () => {
      if ((await this.readHead(tag, 'good')) !== null) await this.#linkHead(tag, 'good', 'conf');
      else await rm(this.headPath(tag, 'conf'), { force: true });
    });
  }

  async #linkHead(tag: string, from: Head, to: Head): Promise<void> {
    const temporary = join(this.path, `${tag}.link`);
    await rm(temporary, { force: true });
    await link(this.headPath(tag, from), temporary);
    await rename(temporary, this.headPath(tag, to));
    // Renaming one link of a file to another does nothing.
    await rm(temporary, { force: true });
    await syncDirectory(this.path);
  }

  /** From now on BIRD reads nothing of the speaker. Until it has done so, the good head marks the removal as pending. */
  async withdraw(tag: string): Promise<void> {
    await this.#explained(async () => {
      await rm(this.headPath(tag, 'conf'), { force: true });
      await syncDirectory(this.path);
    });
  }

  async forget(tag: string): Promise<void> {
    const names = ['conf', 'good', ...LEFT_OVER].map((end) => join(this.path, `${tag}.${end}`));
    await this.#explained(async () => {
      for (const name of names) await rm(name, { force: true });
    });
  }

  /** Removes staged files, and the routes that no head includes any more. */
  async sweep(tag: string): Promise<void> {
    await this.#explained(async () => {
      for (const end of LEFT_OVER) await rm(join(this.path, `${tag}.${end}`), { force: true });
      const wanted = new Set<string>();
      for (const name of await namesIn(this.path)) {
        if (!/^pc_\w+\.(conf|good|next)$/.test(name)) continue;
        const text = (await this.#read(join(this.path, name)))?.toString('utf8') ?? '';
        for (const [, path] of text.matchAll(/^ {2}include "([^"]+)";$/gm)) wanted.add(basename(path!));
      }
      const routes = join(this.path, 'routes');
      for (const name of await namesIn(routes))
        if (!wanted.has(name)) await rm(join(routes, name), { force: true });
    });
  }

  async #read(path: string): Promise<Buffer | null> {
    return this.#explained(() => readFile(path).catch(nullWhereMissing));
  }

  #explained<T>(work: () => Promise<T>): Promise<T> {
    return explaining('BIRD', `in ${this.path}`, work);
  }
}

/** A directory that does not exist yet is empty. */
async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path).catch(nullWhereMissing)) ?? [];
}
