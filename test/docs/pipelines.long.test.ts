/** The pipelines of docs/use-cases/git.md: their scripts as a runner runs them, against a service, and what they send to the forge. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useDesk } from '../cli/desk/desk.ts';
import { testProgram } from '../program.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/use-cases/git.md'), 'utf8');
const [github, gitlab] = [...PAGE.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(
  ([, text]) => parse(text!) as unknown,
) as [
  { jobs: { lists: { steps: { name?: string; run?: string }[] } } },
  Record<'plan' | 'apply', { script: string | string[] }>,
];

const desk = useDesk();
let directory: string;
let forge: Server;
/** What GitLab is asked to note. */
const notes: { readonly path: string; readonly token: unknown; readonly body: string }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-pipelines-'));
  const programs = join(directory, 'bin');
  await mkdir(programs);
  const program = async (name: string, script: string): Promise<void> => {
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(programs, name), 0o755);
  };
  await program('prefixcast', `exec '${process.execPath}' '${testProgram()}' "$@"`);
  // GitHub's own program asks GitHub alone.
  await program('gh', `echo "$@" > '${directory}/gh.words'; cat > '${directory}/gh.body'`);
  forge = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const body = new URLSearchParams(text).get('body') ?? '';
      notes.push({ path: request.url!, token: request.headers['private-token'], body });
      response.writeHead(201).end('{}');
    });
  });
  await new Promise<void>((resolve) => forge.listen(0, '127.0.0.1', resolve));
  for (const line of ['community create 64500:777 --title Watched', 'module create watched --type IP_RANGES'])
    await desk.mustType(line);
});
afterAll(async () => {
  await new Promise((resolve) => forge.close(resolve));
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  notes.length = 0;
  await rm(join(directory, 'lists'), { recursive: true, force: true });
  await desk.mustType('export', '-f', join(directory, 'lists'));
});

const write = (cidrs: readonly string[]): Promise<void> =>
  writeFile(join(directory, 'lists/module/watched.csv'), `${['cidr', ...cidrs].join('\n')}\n`);

interface Ran {
  readonly code: number | null;
  readonly said: string;
}

/** @param options of the shell, as the runner of the forge has them */
function run(script: string, options: string): Promise<Ran> {
  const { url, key } = desk.casting.service;
  const { port } = forge.address() as AddressInfo;
  const env = {
    ...{ PATH: `${directory}/bin:${process.env.PATH}`, HOME: '/nonexistent', PREFIXCAST_URL: url },
    ...{ PREFIXCAST_KEY: key, GITLAB_TOKEN: 'glpat-x', CI_API_V4_URL: `http://127.0.0.1:${port}/api/v4` },
    ...{ CI_PROJECT_ID: '12', CI_MERGE_REQUEST_IID: '7', NO_PROXY: '127.0.0.1' },
  };
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', ...options.split(' '), '-c', script], {
      ...{ cwd: directory, env },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (said += part));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, said }));
  });
}

interface Forge {
  readonly plan: () => Promise<Ran>;
  readonly apply: () => Promise<Ran>;
  /** What people read at the merge request. */
  readonly comment: () => Promise<string>;
}

function ofGithub(name: string): string {
  const { run: script } = github.jobs.lists.steps.find((step) => step.name === name)!;
  return script!.replaceAll('${{ github.event.number }}', '7');
}

const FORGES: Readonly<Record<string, Forge>> = {
  GitHub: {
    plan: () => run(ofGithub('Plan'), '-e'),
    apply: () => run(ofGithub('Apply'), '-e'),
    comment: async () => {
      expect(await readFile(join(directory, 'gh.words'), 'utf8')).toBe('pr comment 7 --body-file -\n');
      return readFile(join(directory, 'gh.body'), 'utf8');
    },
  },
  GitLab: {
    plan: () => run([gitlab.plan.script].flat().join('\n'), '-eo pipefail'),
    apply: () => run([gitlab.apply.script].flat().join('\n'), '-eo pipefail'),
    comment: () => {
      expect(notes).toMatchObject([{ path: '/api/v4/projects/12/merge_requests/7/notes', token: 'glpat-x' }]);
      return Promise.resolve(notes[0]!.body);
    },
  },
};

describe.each(Object.entries(FORGES))('%s', (name, { plan, apply, comment }) => {
  const cidr = name === 'GitHub' ? '9.9.8.0/24' : '8.8.8.0/24';

  test('shows what a merge request would announce, and changes nothing', async () => {
    await write([cidr]);
    expect(await plan()).toMatchObject({ code: 0 });
    const text = await comment();
    expect(text).toMatch(/^~~~diff\n[^]*\n~~~\n$/);
    expect(text).toContain(`      + ${cidr}\n`);
    expect(text).toContain('Routes: 1 announced, ');
    expect(await desk.mustType('entry list watched -o name')).not.toContain(cidr);
  });

  test('says that there is nothing to change', async () => {
    expect(await plan()).toMatchObject({ code: 0 });
    expect(await comment()).toContain('Nothing to change');
  });

  test('fails a merge request whose files are wrong, and shows where', async () => {
    await write(['nonsense']);
    expect((await plan()).code).toBe(1);
    expect(await comment()).toMatch(/watched\.csv:2: /);
  });

  test('applies what is merged, and waits until it is applied', async () => {
    await write([cidr]);
    const { code, said } = await apply();
    expect(code, said).toBe(0);
    expect(await desk.mustType('entry list watched -o name')).toContain(cidr);
    expect(await desk.mustType(`why ${cidr}`)).toContain(`${cidr} is announced\n`);
  });
});
