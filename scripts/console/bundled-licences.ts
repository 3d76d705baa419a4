import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Rolldown } from 'vite';

type Output = readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[];

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Names and licences of the packages that a bundle has parts of, as their licences ask for. */
export function licencesOf(output: Output): string {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const folders = new Set(
    modules.map((id) => PACKAGE.exec(id)?.[0]).filter((folder) => folder !== undefined),
  );
  return [...folders].sort().map(licenceOf).join('\n\n');
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license: string;
  };
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const path = join(folder, file ?? 'LICENSE');
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}`.trim();
}
