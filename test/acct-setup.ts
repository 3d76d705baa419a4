import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, beforeAll } from 'vitest';
const path = (globalThis as any).__vitest_worker__?.filepath ?? expect.getState().testPath ?? 'unknown';
const name = String(path).replace(/.*\/test\//, '').replaceAll('/', '+');
const group = `/sys/fs/cgroup/cpuacct/pc/${name}`;
mkdirSync(group, { recursive: true });
writeFileSync(`${group}/cgroup.procs`, String(process.pid));
