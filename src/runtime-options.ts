/** Options of Node.js and glibc that bound the memory and the helper threads of a service or an agent. Both read them only as they start. */
import { flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { platform } from 'node:process';

/**
 * Pieces of memory of at least this many bytes return to the system once they are free. Node.js reads sockets into pieces of exactly this size:
 * with the initial value of glibc, twice as much, a burst of long lists left some hundred megabytes of them between what stays.
 */
const GIVEN_BACK_FROM = 64 * 1024;
/**
 * Of lists of two megabytes and more the system is asked for huge pages (glibc does from 2.35 on). A search among a million rows
 * touches a page of its own at each step: with small ones, the processor's table of pages holds few of them, and a lookup takes a tenth longer.
 */
const IN_HUGE_PAGES = 1;
/** Where somebody has said how memory is to be allocated, it stays as they said. */
const ALLOCATION_DECIDED_BY = [
  'GLIBC_TUNABLES',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'LD_PRELOAD',
];

/**
 * Megabytes. Node.js takes up to 32 on a large machine, and keeps them twice. It has them from the beginning, since a start fills them anyway:
 * a smaller space is collected a dozen times on the way, and nearly all that is in it stays.
 */
const SEMI_SPACE = 8;
/**
 * Threads that collect garbage and compile beside the others. Node.js has four on every machine. On two processors these four are in the way of the event
 * loop, which waits for all of them at each collection, and of PostgreSQL.
 */
const HELPER_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));
/** Options of Node.js, by name; those of one group are decided together. */
const OPTIONS: readonly Readonly<Record<string, number>>[] = [
  { '--min-semi-space-size': SEMI_SPACE, '--max-semi-space-size': SEMI_SPACE },
  { '--v8-pool-size': HELPER_THREADS },
];

/** The options and the environment that this program is to run with; null: those that it has. */
export function withRuntimeOptions(
  options: readonly string[],
  environment: NodeJS.ProcessEnv,
): { readonly options: readonly string[]; readonly environment: NodeJS.ProcessEnv } | null {
  if (platform !== 'linux' || ALLOCATION_DECIDED_BY.some((name) => environment[name] !== undefined))
    return null;
  const tunables = Object.entries({
    mmap_threshold: GIVEN_BACK_FROM,
    trim_threshold: GIVEN_BACK_FROM,
    hugetlb: IN_HUGE_PAGES,
  }).map(([name, value]) => `glibc.malloc.${name}=${value}`);
  const said = [...options, environment.NODE_OPTIONS ?? ''];
  const undecided = OPTIONS.filter(
    (group) => !said.some((text) => Object.keys(group).some((name) => text.includes(name))),
  );
  const own = undecided.flatMap(Object.entries).map(([name, value]) => `${name}=${value}`);
  return {
    options: [...options, ...own],
    environment: { ...environment, GLIBC_TUNABLES: tunables.join(':') },
  };
}

/**
 * Starts this program once more in its place: the same process with the same terminal and arguments. By itself, glibc takes the size of any
 * list that is freed for the new limit under which freed memory is kept (mallopt(3), M_MMAP_THRESHOLD): an idle service kept 130 MB for
 * nothing after one refresh of a million prefixes.
 */
export function restartWithRuntimeOptions(): void {
  const start = withRuntimeOptions(process.execArgv, process.env);
  if (start === null) return;
  flushCompileCache(); // what was compiled so far would be lost
  process.execve?.(
    process.execPath,
    [process.argv0, ...start.options, ...process.argv.slice(1)],
    start.environment,
  );
}
