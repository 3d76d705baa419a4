/** `npm run bench -- NAME`: runs bench/NAME.ts, which measures Prefixcast beside a named peer in the same run. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Benchmark {
  run(args: readonly string[]): Promise<void>;
}

const [name, ...args] = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .map((file) => file.slice(0, -'.ts'.length));

const file = join(import.meta.dirname, `${name}.ts`);
if (name === undefined || !names.includes(name) || !existsSync(file)) {
  console.error(`usage: npm run bench -- NAME, with NAME one of ${names.join(', ')}`);
  process.exit(2);
}
const benchmark = (await import(pathToFileURL(file).href)) as Benchmark;
await benchmark.run(args);
