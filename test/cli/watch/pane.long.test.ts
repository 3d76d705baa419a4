/** A day at a terminal of 80 columns: waiting, leaving, watching. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAXIMUM_READ_BYTES } from '../../../src/api/operation/log-limits.ts';
import { RuntimeLogTailQuery } from '../../../src/api/operation/runtime-logs.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { COLUMNS, openPane, type Pane } from '../desk/pane.ts';
import { typist } from '../desk/typing.ts';

const tmux = requireDaemon('tmux');
const ESCAPE = '\u001B[';

describe.skipIf(tmux === null || requireDaemon('bird') === null)('at a terminal', () => {
  let casting: Casting;
  let pane: Pane;
  let env: Record<string, string>;
  const logs = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  /** Answers of a source that takes its time. */
  const waiting: ServerResponse[] = [];

  beforeAll(async () => {
    casting = await startCasting({ APP_RUNTIME_LOGS_DIR: logs });
    env = { PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: casting.service.key };
    await casting.addBird();
    casting.sources.set('/slow', (_request, response) => waiting.push(response));
    const { id } = await casting.service.post<{ id: string }>('/v1/modules', {
      name: 'clouds',
      type: 'CDN_SOURCES',
    });
    const long = { name: 'a long name of a list '.repeat(5).slice(0, 95), type: 'IP_RANGES' };
    await casting.service.post('/v1/modules', long);
    const source = { name: 'slow', url: `${casting.sourceUrl}/slow` };
    await casting.service.post(`/v1/modules/${id}/cdn-sources`, source);
    pane = openPane(tmux!, env);
    await pane.shows(/\$/);
  });
  afterAll(async () => {
    pane?.close();
    for (const response of waiting) response.end('');
    await casting?.close();
    rmSync(logs, { recursive: true });
  });

  /** What begins to follow sees only what comes after: builds go on until it does. */
  async function whileBuilding(wanted: RegExp): Promise<string> {
    return waitFor(
      async () => {
        await casting.service.post('/v1/revisions', {});
        const text = pane.text();
        return wanted.test(text) && text;
      },
      { what: `the screen to show ${String(wanted)}`, details: pane.text, everyMs: 500 },
    );
  }

  function requireWidth(text: string): void {
    expect(Math.max(...text.split('\n').map((line) => line.length)), text).toBeLessThanOrEqual(COLUMNS);
  }

  test('Ctrl-C leaves what --wait waits for, and prints the command that goes on', async () => {
    pane.type('prefixcast module refresh clouds --wait; echo "[$?]"');
    const running = await pane.shows(/module_refresh running/);
    // Progress takes the place of what it said before.
    expect(running.match(/module_refresh/g)).toHaveLength(1);
    pane.press('C-c');
    const left = await pane.shows(/\[130\]/);
    const [, goOn] = /Left; the job goes on\. Watch it: (prefixcast job watch [0-9a-f-]{36})/.exec(left)!;
    await pane.clear();
    pane.type(`${goOn!}; echo "[$?]"`);
    await pane.shows(/module_refresh running/);
    casting.sources.set('/slow', (_request, response) => response.end('9.9.9.0/24\n'));
    for (const response of waiting.splice(0)) response.end('9.9.9.0/24\n');
    const done = await pane.shows(/\[\d+\]/);
    expect(done).toContain('[0]');
    await pane.clear();
  });

  test('sessions and events stay on the screen until Ctrl-C, in colours', async () => {
    pane.type('prefixcast session watch');
    requireWidth(await pane.shows(/bird1 +builtin +established/));
    expect(pane.colours()).toContain(`${ESCAPE}32mestablished`);
    pane.press('C-c');
    pane.type('echo "[$?]"');
    await pane.shows(/\[0\]/);
    await pane.clear();
    pane.type('prefixcast events --kind revision --kind job');
    const text = await whileBuilding(/revision_build .*succeeded/);
    requireWidth(text);
    expect(text).toMatch(/^\d\d:\d\d:\d\d {2}job +revision_build /m);
    pane.press('C-c');
    await pane.clear();
  });

  test('an apply is watched to its end, and a log goes on', async () => {
    pane.type('prefixcast apply watch; echo "[$?]"');
    const applied = await pane.shows(/\[0\]/);
    expect(applied).toMatch(/builtin +(applied|unchanged)/);
    requireWidth(applied);
    await pane.clear();
    const { out } = await typist(env)('logs', '-o', 'name');
    pane.type(`prefixcast logs ${out.trim().split('\n')[0]!} -f`);
    await pane.shows(/"level":30/);
    pane.press('C-c');
    pane.type('echo "[$?]"');
    await pane.shows(/\[0\]/);
    await pane.clear();
  });

  test('a search goes through all of a log that is read at once, and says what it leaves out', async () => {
    const quiet = `{"level":30,"msg":"${'q'.repeat(200)}"}\n`;
    const loud = (msg: string): string => `{"level":40,"msg":"${msg}"}\n`;
    const mebibyte = quiet.repeat(1024 * 5);
    writeFileSync(join(logs, 'old.log'), loud('first') + mebibyte.repeat(4) + loud('second') + mebibyte);
    const { out, err } = await typist(env)('logs', 'old.log', '--level', 'warn');
    expect(out).toBe(loud('second'));
    expect(RuntimeLogTailQuery.properties.bytes).toMatchObject({ maximum: MAXIMUM_READ_BYTES });
    expect(err).toMatch(
      new RegExp(`^Of the \\d+ bytes of old\\.log, the last ${MAXIMUM_READ_BYTES} were searched`),
    );
    rmSync(join(logs, 'old.log'));
  });

  test('an apply in phases shows where each speaker is, and what it waits for', async () => {
    const type = typist(env);
    for (const words of ['peer edit bird1 --speaker builtin', 'speaker create second --asn 64513'])
      expect(await type(...words.split(' '))).toMatchObject({ code: 0 });
    const { id } = JSON.parse((await type('speaker', 'get', 'builtin', '-o', 'json')).out) as { id: string };
    const canary = { deploy_canary_speaker_ids: [id], deploy_canary_soak_seconds: 3_600 };
    await casting.service.call('PATCH', '/v1/settings', canary);
    for (const words of [
      ...['module create hosts --type IP_RANGES', 'entry add hosts 7.7.7.0/24'],
      'revision build --wait=built',
    ])
      expect(await type(...words.split(' '))).toMatchObject({ code: 0 });
    const jobs = async (): Promise<string> =>
      (await type('job', 'list', '--type', 'apply', '-o', 'json')).out;
    let last = '';
    await waitFor(async () => (last = await jobs()).includes('"phase": "soak"'), {
      what: 'an apply that soaks',
      details: () => last.slice(-4_000),
    });
    pane.type('prefixcast apply watch; echo "[$?]"');
    requireWidth(await pane.shows(/^SPEAKER +STATUS [^]*^builtin +succeeded [^]*^apply: soak \d+\/3600$/m));
    // In place: it counts on, and stands there once.
    await pane.shows(/apply: soak ([1-9]\d*)\/3600/);
    expect(pane.text().match(/SPEAKER/g)).toHaveLength(1);
    pane.press('C-c');
    await pane.shows(/Left; the job goes on\. Watch it: prefixcast job watch [^]*\[130\]/);
    await pane.clear();
    pane.type('prefixcast apply watch; echo "[$?]"');
    await pane.shows(/apply: soak/);
    await type('apply', 'cancel');
    const ended = await pane.shows(/\[1\]/);
    expect(ended).toMatch(/^apply of revision \d+: cancelled/m);
    expect(ended).not.toContain('apply: soak');
    await pane.clear();
    await casting.service.call('PATCH', '/v1/settings', { deploy_canary_speaker_ids: [] });
  });

  test('a table fits the terminal, and colours are for terminals that want them', async () => {
    pane.type('prefixcast module list; prefixcast module get clouds -o json | head -3');
    const text = await pane.shows(/"name"|"id"/);
    const table = text.slice(text.indexOf('NAME'), text.indexOf('{'));
    expect(table).toContain('…');
    requireWidth(table);
    expect(pane.colours()).toContain(`${ESCAPE}1mNAME`);
    await pane.clear();
    pane.type('NO_COLOR=1 prefixcast module list; prefixcast session list | cat; echo "[$?]"');
    await pane.shows(/\[0\]/);
    expect(pane.colours()).not.toContain(`${ESCAPE}1m`);
    expect(pane.colours()).not.toContain(`${ESCAPE}32m`);
    await pane.clear();
  });
});
