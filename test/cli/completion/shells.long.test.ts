/** Completion as a person has it: the Tab key in real shells, with names out of a running service. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { chmod, mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { testProgram } from '../../program.ts';
import { typist } from '../desk/typing.ts';

const zsh = requireDaemon('zsh');
const fish = requireDaemon('fish');

let casting: Casting;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  casting = await startCasting();
  home = await mkdtemp(join(tmpdir(), 'prefixcast-shells-'));
  const program = join(home, 'bin', 'prefixcast');
  await mkdir(dirname(program));
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${testProgram()}' "$@"\n`);
  await chmod(program, 0o755);
  env = {
    PATH: `${dirname(program)}:${process.env.PATH}`,
    HOME: home,
    TERM: 'dumb',
    PREFIXCAST_URL: casting.service.url,
    PREFIXCAST_KEY: casting.service.key,
  };
  await casting.service.post('/v1/communities', { community: '64500:666', title: 'Drop it' });
  const { id } = await casting.service.post<{ id: string }>('/v1/modules', {
    ...{ name: 'scanners', type: 'IP_RANGES' },
  });
  await casting.service.post(`/v1/modules/${id}/ip-range-entries`, { cidr: '9.9.9.0/24' });
  const node = { name: 'frankfurt', daemon: 'bird', mode: 'agent', local_asn: 64500 };
  await casting.service.post('/v1/speakers', node);
  await casting.service.post('/v1/speakers', { ...node, name: 'london' });
  const many = await casting.service.post<{ id: string }>('/v1/modules', { name: 'many', type: 'IP_RANGES' });
  // More than one page.
  const cidrs = Array.from({ length: 151 }, (_, i) => ({ cidr: `23.1.${i}.0/24` }));
  await casting.service.post(`/v1/modules/${many.id}/ip-range-entries`, { items: cidrs });
  await casting.service.post('/v1/tenants', { slug: 'customer-a', name: 'Customer A' });
  await writeFile(join(home, 'my list.txt'), '192.0.2.0/24\n');
});
afterAll(async () => {
  await casting?.close();
  await rm(home, { recursive: true, force: true });
});

/** What somebody types before the Tab key, and what stands there after it. */
const TYPED: readonly (readonly [typed: string, completed: string])[] = [
  ['prefixcast mod', 'prefixcast module '],
  ['prefixcast module refr', 'prefixcast module refresh '],
  ['prefixcast module refresh sc', 'prefixcast module refresh scanners '],
  ['prefixcast module create x --comm', 'prefixcast module create x --community '],
  ['prefixcast module create x --community 64500:6', 'prefixcast module create x --community 64500:666 '],
  ['prefixcast module create x --community=64500:6', 'prefixcast module create x --community=64500:666 '],
  ['prefixcast community get Dr', String.raw`prefixcast community get Drop\ it `],
  ['prefixcast settings get guard_max_change_per', 'prefixcast settings get guard_max_change_percent '],
  ['prefixcast tenant get cus', 'prefixcast tenant get customer-a '],
  ['prefixcast entry remove scanners 9.9', 'prefixcast entry remove scanners 9.9.9.0/24 '],
  ['prefixcast entry edit many 23.1.149', 'prefixcast entry edit many 23.1.149.0/24 '],
  [
    'prefixcast settings set deploy_canary_speaker_ids fr',
    'prefixcast settings set deploy_canary_speaker_ids frankfurt ',
  ],
  [
    'prefixcast settings set deploy_canary_speaker_ids frankfurt,lon',
    'prefixcast settings set deploy_canary_speaker_ids frankfurt,london ',
  ],
  ['prefixcast node enroll fr', 'prefixcast node enroll frankfurt '],
  ['prefixcast aggregate my', String.raw`prefixcast aggregate my\ list.txt `],
];

const PRESS_TAB_AND_SHOW = '\t\x07';
const SHOWN = /<<<([^\n]*?)>>>/;

const PROMPT = 'ready';
/** How often a line is typed once more at a shell, all lines together. */
const MOST_AGAIN = 50;

/**
 * Types at a shell that has a terminal of its own, and presses Tab and then Ctrl-G, for which the shell prints its line. Its prompt is the
 * word `ready`, printed likewise.
 * @returns the lines as the shell has them
 */
function atTerminal(command: string, typed: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: home,
      env: { ...env, SHELL: '/bin/sh' },
    });
    const found: string[] = [];
    let screen = '';
    let isReady = false;
    let again = 0;
    const type = (): void => {
      const next = typed[found.length];
      child.stdin.write(next === undefined ? 'exit\r' : next + PRESS_TAB_AND_SHOW);
    };
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      screen += part;
      for (let shown = SHOWN.exec(screen); shown !== null; shown = SHOWN.exec(screen)) {
        screen = screen.slice(shown.index + shown[0].length);
        const isPrompt = shown[1] === PROMPT;
        // Names that the service is too busy to tell within 200 ms are left out; whoever waits for them types once more.
        const isAgain = !isPrompt && shown[1] === typed[found.length] && again < MOST_AGAIN;
        if (isAgain) again += 1;
        else if (!isPrompt) found.push(shown[1]!);
        if (!isPrompt || !isReady) type();
        isReady = true;
      }
    });
    child.once('error', reject);
    child.once('close', () => {
      if (found.length === typed.length) resolve(found);
      else reject(new Error(`the shell ended after ${found.join(', ')}: ${screen}`));
    });
  });
}

const LINES = TYPED.map(([typed]) => typed);
const COMPLETED = TYPED.map(([, completed]) => completed);

test('bash completes what is typed', async () => {
  await writeFile(
    join(home, 'bashrc'),
    [
      'bind "set bell-style none"',
      String.raw`bind -x '"\C-g": printf "<<<%s>>>" "$READLINE_LINE"; READLINE_LINE='`,
      'source <(prefixcast completion bash)',
      `PS1='<<<${PROMPT}>>>'`,
    ].join('\n'),
  );
  expect(await atTerminal(`bash --noprofile --rcfile ${home}/bashrc -i`, LINES)).toEqual(COMPLETED);
});

test.skipIf(zsh === null)('zsh completes what is typed', async () => {
  // An unpacked package does not lie where zsh was built for.
  const tree = dirname(dirname(realpathSync(zsh!)));
  const version = '5.9';
  await writeFile(
    join(home, '.zshenv'),
    `module_path=(${tree}/zsh/usr/lib/*/zsh/${version}(N) $module_path); fpath=(${tree}/zsh/usr/share/zsh/functions/**/*(/N) $fpath)\n`,
  );
  await writeFile(
    join(home, '.zshrc'),
    [
      'autoload -Uz compinit; compinit -u -D',
      'show() { print -rn -- "<<<$BUFFER>>>"; BUFFER= }; zle -N show; bindkey "^G" show',
      'source <(prefixcast completion zsh)',
      `PS1='<<<${PROMPT}>>>'`,
    ].join('\n'),
  );
  expect(await atTerminal(`${zsh} -d -i`, LINES)).toEqual(COMPLETED);
});

test.skipIf(fish === null)('fish completes what is typed', async () => {
  const tree = join(dirname(dirname(realpathSync(fish!))), 'fish');
  const offered = (line: string): string[] => {
    const script = `set -p fish_function_path ${tree}/usr/share/fish/functions; prefixcast completion fish | source; complete -C '${line}'`;
    return execFileSync(fish!, ['--no-config', '-c', script], { cwd: home, env, encoding: 'utf8' })
      .split('\n')
      .map((text) => text.split('\t')[0]!);
  };
  for (const [typed, completed] of TYPED) {
    const word = completed.trim().replaceAll('\\ ', '\u0000').split(' ').at(-1)!.replaceAll('\u0000', ' ');
    await expect.poll(() => offered(typed), { message: typed, timeout: 60_000 }).toContain(word);
  }
});

test('says nothing at a terminal, and is quick, where the service does not answer', async () => {
  const held = new Set<Socket>();
  const silent = createServer((socket) => void held.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const words = ['completion', 'words', '--', 'module', 'edit', ''];
  const NOTHING = { code: 0, out: '', err: '' };
  for (const PREFIXCAST_URL of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1', 'no address'])
    expect(await typist({ PREFIXCAST_URL, PREFIXCAST_KEY: 'pc_x' })(...words)).toEqual(NOTHING);
  expect(await typist({})(...words)).toEqual(NOTHING);
  for (const socket of held) socket.destroy();
  silent.close();
});

test('a short list is completed by a service that is too busy to search', async () => {
  const { url, key } = casting.service;
  const busy = createHttpServer((asked, answer) => {
    const send = async (): Promise<void> => {
      if (asked.url!.includes('q=')) await sleep(2_000); // for whoever waits for a search
      const { authorization } = asked.headers;
      const real = await fetch(url + asked.url!, { headers: { authorization: authorization! } });
      answer.writeHead(real.status, { 'content-type': real.headers.get('content-type')! });
      answer.end(await real.text());
    };
    void send();
  });
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const { port } = busy.address() as AddressInfo;
  const type = typist({ PREFIXCAST_URL: `http://127.0.0.1:${port}`, PREFIXCAST_KEY: key });
  await expect
    .poll(async () => (await type('completion', 'words', '--', 'entry', 'remove', 'scanners', '9.9')).out, {
      timeout: 60_000,
    })
    .toBe('9.9.9.0/24\t\n');
  busy.closeAllConnections();
  busy.close();
});

test('asks no vault for a key', async () => {
  const config = join(home, 'config.yaml');
  const asked = join(home, 'asked');
  await writeFile(
    config,
    `current: prod\ncontexts:\n  prod: { url: '${casting.service.url}', key_command: 'touch ${asked}' }\n`,
  );
  const type = typist({ PREFIXCAST_CONFIG: config });
  expect(await type('completion', 'words', '--', 'module', 'get', '')).toEqual({ code: 0, out: '', err: '' });
  expect(existsSync(asked)).toBe(false);
  const contexts = await type('completion', 'words', '--', 'module', 'get', '--context', '');
  expect(contexts.out).toBe(`prod\t${casting.service.url}\n`);
});
