/** The client as others get it: packed, installed into an empty folder without a registry, and its README's program run against a service. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Service } from '../../demo/service.ts';
import { freePorts } from '../daemons/machine/ports.ts';
import { testProgram } from '../program.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = join(ROOT, 'client');
/** The packed client, its one dependency and the types that this one is made of. */
const PACKAGES = ['client', 'node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers'];

const [, program] = /```ts\n([^]+?)```/.exec(readFileSync(join(CLIENT, 'README.md'), 'utf8'))!;

describe('the packed client', () => {
  let directory: string;

  const run = (command: string, args: string[]): string =>
    execFileSync(command, args, { cwd: join(directory, 'user'), encoding: 'utf8', stdio: 'pipe' });

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-client-'));
    chmodSync(directory, 0o711);
    for (const folder of ['packed', 'user']) mkdirSync(join(directory, folder));
    for (const path of PACKAGES)
      execFileSync('npm', ['pack', '--silent', '--pack-destination', join(directory, 'packed')], {
        cwd: join(ROOT, path),
        stdio: 'pipe',
      });
    const archives = readdirSync(join(directory, 'packed')).map((name) => join(directory, 'packed', name));
    writeFileSync(join(directory, 'user/package.json'), '{"private":true,"type":"module"}');
    writeFileSync(join(directory, 'user/program.ts'), program!);
    run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', ...archives]);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('is compiled JavaScript with types, and needs one package', () => {
    const installed = join(directory, 'user/node_modules/@prefixcast/client');
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const files = readdirSync(join(installed, 'dist'));
    expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts']));
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      dependencies: object;
    };
    expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch']);
    expect(run('npm', ['ls', '--all', '--parseable']).trim().split('\n')).toHaveLength(4); // with the folder itself
  });

  test('has a program of at most 22 lines in its README, which is typed', () => {
    expect(program!.trimEnd().split('\n').length).toBeLessThanOrEqual(22);
    const options = '--noEmit --strict --module nodenext --target es2024 --skipLibCheck false';
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options.split(' '), ...types];
    run(process.execPath, [...tsc, 'program.ts']);
    writeFileSync(join(directory, 'user/wrong.ts'), program!.replace("'IP_RANGES'", "'IP_RANGE'"));
    expect(() => run(process.execPath, [...tsc, 'wrong.ts'])).toThrow();
  });

  test('runs that program', async () => {
    const [port, bgp] = (await freePorts(2)) as [number, number];
    const service = await Service.start({
      command: testProgram(),
      dataDir: join(directory, 'data'),
      port,
      bgpListen: `127.0.0.1:${bgp}`,
    });
    try {
      expect(run(process.execPath, ['program.ts', service.url, service.key])).toBe(
        '8.8.4.0/24\n9.9.9.0/24\n',
      );
    } finally {
      await service.stop();
    }
  });
});
