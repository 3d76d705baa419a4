/**
 * `node scripts/vendor-redoc.ts`: fetches Redoc, which shows the description of the API, and puts its one file beside the page that loads it. The file is
 * checked in, because its npm package would bring a hundred others along that the service never runs.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = 'redoc@2.5.4';
/** Of the package, as the npm registry publishes it. */
const INTEGRITY =
  'sha512-M6jWhG1qoBnH6TFmzJnstyCZ87HmOY/UzDm78mHiYihEdlV/YcS9ogOo1NlElnJMeLsyxHFe2yFc4sNjHTrABQ==';
/** Redoc loads its logo from a network of its maker. The reference loads nothing from outside, so an empty image stands there. */
const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_LOGO = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

export const ASSETS = join(import.meta.dirname, '../src/http/reference/assets');

/** SHA-256 of each file that this script writes; a test compares them with what is checked in. */
export const VENDORED: Readonly<Record<string, string>> = {
  'redoc.js': '1ab13a3ff3a63463306b3e3dc47704cf3ba90a5c7864808c90dc9d089d1467a9',
  'redoc-LICENSE.txt': '271fcfa13720a447e21a42fe693bc081513907013a626d60efba59df0167ddfe',
};

export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function vendor(): void {
  const folder = mkdtempSync(join(tmpdir(), 'redoc-'));
  try {
    const packed = execFileSync('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder], {
      encoding: 'utf8',
    });
    const archive = join(folder, packed.trim());
    const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} is ${integrity}, not ${INTEGRITY}`);
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    const code = readFileSync(join(folder, 'package/bundles/redoc.standalone.js'), 'utf8');
    if (!code.includes(LOGO)) throw new Error(`${PACKAGE} no longer names ${LOGO}`);
    write('redoc.js', code.replaceAll(LOGO, NO_LOGO).replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
    const licences = ['LICENSE', 'bundles/redoc.standalone.js.LICENSE.txt'];
    write(
      'redoc-LICENSE.txt',
      licences.map((name) => readFileSync(join(folder, 'package', name), 'utf8').trim()).join('\n\n') + '\n',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(name: string, text: string): void {
  writeFileSync(join(ASSETS, name), text);
  console.log(`${digest(Buffer.from(text))}  ${name}`);
}

if (import.meta.main) vendor();
