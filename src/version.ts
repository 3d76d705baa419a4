import { readFileSync } from 'node:fs';
import type { Version } from './api/operation/version.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;

/** What this program is; commit and build time are written into the environment of a build. */
export const version: Version = Object.freeze({
  name: manifest.name,
  version: manifest.version,
  commit: process.env.PREFIXCAST_COMMIT ?? null,
  built_at: process.env.PREFIXCAST_BUILT_AT ?? null,
  node: process.version,
  api: 'v1',
});
