/**
 * The one directory that is ours in BIRD's configuration; BIRD's main file includes `DIRECTORY/*.conf`. Files never change:
 * a new one takes an old one's name in one step.
 *
 *     pc_1a2b3c4d.conf       the speaker's head, which BIRD reads; names the routes files it includes
 *     pc_1a2b3c4d.good       the head that was confirmed last, a link to the same file but for the time of an apply
 *     pc_1a2b3c4d.next       a head that is being checked
 *     routes/<hash>.inc      routes of a group, by what they are; heads share them
 */
import { link, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { explaining, nullWhereMissing, syncDirectory, writeWhole } from '../config-files.ts';
import { routesPath } from './render.ts';
import { renderRoutes, type RouteGroup } from './route-groups.ts';
import { endMark, isSealed } from './sealed-text.ts';

/** BIRD reads them, possibly as a user of the directory's group; a head holds passwords of sessions. */
const FILE_MODE = 0o640;
const DIRECTORY_MODE = 0o750;

/** Prefixes formatted in one piece: a few milliseconds. */
const PIECE = 1 << 14;

/** Endings of what an apply needs while it lasts. */
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

  /** A head of every speaker, whosever, that BIRD reads, or may still run though it would not read it any more. */
  async readHeads(): Promise<string[]> {
    const names = await namesIn(this.path);
    const tags = new Set(names.flatMap((name) => /^(pc_\w+)\.(?:conf|good)$/.exec(name)?.[1] ?? []));
    const read = async (tag: string): Promise<string | null> =>
      (await this.readHead(tag, 'conf')) ?? (await this.readHead(tag, 'good'));
    return (await Promise.all([...tags].map(read))).filter((text) => text !== null);
  }

  /** The text of a head; null where there is none, or none that is whole. */
  async readHead(tag: string, head: Head): Promise<string | null> {
    const bytes = await this.#read(this.headPath(tag, head));
    return bytes !== null && isSealed(bytes) ? bytes.toString('utf8') : null;
  }

  /** Writes the routes of every group that is not there whole. */
  async writeRoutes(groups: readonly RouteGroup[]): Promise<void> {
    await this.#telling(async () => {
      await mkdir(join(this.path, 'routes'), { recursive: true, mode: DIRECTORY_MODE });
      for (const group of groups) await this.#writeGroup(group);
      await syncDirectory(join(this.path, 'routes'));
    });
  }

  /** Writes a head beside the one that BIRD reads. */
  async stage(tag: string, head: string): Promise<void> {
    await this.#telling(() =>
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

  /** A main configuration of nothing but the head that is to be checked. @returns its path */
  async stageMain(tag: string): Promise<string> {
    const path = join(this.path, `${tag}.check`);
    const text = `router id 192.0.2.1;\nprotocol device {}\ninclude "${this.headPath(tag, 'next')}";\n`;
    await this.#telling(() => writeWhole(path, FILE_MODE, (file) => file.writeFile(text)));
    return path;
  }

  /** From now on BIRD reads the staged head. */
  async switch(tag: string): Promise<void> {
    await this.#telling(async () => {
      await rename(this.headPath(tag, 'next'), this.headPath(tag, 'conf'));
      await syncDirectory(this.path);
    });
  }

  /** The head that BIRD reads is the good one from now on. Takes no room on the disk. */
  async keep(tag: string): Promise<void> {
    await this.#telling(() => this.#linkHead(tag, 'conf', 'good'));
  }

  /** After a process that was killed in the middle: what was not confirmed is not what BIRD is to read. */
  async recover(tag: string): Promise<void> {
    const good = await this.readHead(tag, 'good');
    if (good !== null && good !== (await this.readHead(tag, 'conf'))) await this.restore(tag);
    await this.sweep(tag);
  }

  /** As if nothing had been staged or switched since the last head was kept. */
  async takeBack(tag: string): Promise<void> {
    await this.restore(tag);
    await this.sweep(tag);
  }

  /** BIRD reads the good head again, or none where there never was one. */
  async restore(tag: string): Promise<void> {
    await this.#telling(async () => {
      if ((await this.readHead(tag, 'good')) !== null) await this.#linkHead(tag, 'good', 'conf');
      else await rm(this.headPath(tag, 'conf'), { force: true });
    });
  }

  async #linkHead(tag: string, from: Head, to: Head): Promise<void> {
    const temporary = join(this.path, `${tag}.link`);
    await rm(temporary, { force: true });
    await link(this.headPath(tag, from), temporary);
    await rename(temporary, this.headPath(tag, to));
    // Between two names of one file a rename does nothing at all.
    await rm(temporary, { force: true });
    await syncDirectory(this.path);
  }

  /** BIRD is to read nothing of the speaker from now on. Until it has done that, the good head tells that it is to. */
  async withdraw(tag: string): Promise<void> {
    await this.#telling(async () => {
      await rm(this.headPath(tag, 'conf'), { force: true });
      await syncDirectory(this.path);
    });
  }

  async forget(tag: string): Promise<void> {
    const names = ['conf', 'good', ...LEFT_OVER].map((end) => join(this.path, `${tag}.${end}`));
    await this.#telling(async () => {
      for (const name of names) await rm(name, { force: true });
    });
  }

  /** Removes what was staged, and the routes that no head includes any more. */
  async sweep(tag: string): Promise<void> {
    await this.#telling(async () => {
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
    return this.#telling(() => readFile(path).catch(nullWhereMissing));
  }

  #telling<T>(work: () => Promise<T>): Promise<T> {
    return explaining('BIRD', `in ${this.path}`, work);
  }
}

/** A directory that is not there yet has nothing in it. */
async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path).catch(nullWhereMissing)) ?? [];
}
