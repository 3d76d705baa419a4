/** A node that nobody has heard of for a while: commands wait for the others, and its sessions are shown as they were known last. */
import { beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';
import { addSilentNode } from '../desk/silent-node.ts';

const desk = useDesk();
const { type, mustType } = desk;
const SINCE = String.raw`2\d\d\d-\S+Z`;

beforeAll(async () => {
  const { service } = desk.casting;
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create hosts --type IP_RANGES --community Drop',
    'entry add hosts 6.0.0.1/32 6.0.0.2/32 --wait',
  ])
    await mustType(line);
  await addSilentNode(service.url, service.key);
});

test('its peers stay in the list of sessions, with what they were', async () => {
  expect(await mustType('session list')).toMatch(/^router +edge +established +2 /m);
  const unknown = new RegExp(
    `^router +edge +unknown, was established +2 .* node not heard of since ${SINCE}; the state is that of then`,
    'm',
  );
  await waitFor(async () => unknown.test(await mustType('session list -o wide')), {
    what: 'a node that is silent',
  });
  const { items } = JSON.parse(await mustType('session list -o json')) as { items: object[] };
  expect(items).toMatchObject([{ peer_name: 'router', state: 'unknown', was_established: true }]);
});

test('a command waits for the others alone, and says what becomes of it', async () => {
  const { id } = JSON.parse(await mustType('speaker get edge -o json')) as { id: string };
  const seen = async (): Promise<number> => {
    const { service } = desk.casting;
    const { agent } = await service.call<{ agent: { last_seen_at: string } }>('GET', `/v1/speakers/${id}`);
    return Date.now() - Date.parse(agent.last_seen_at);
  };
  await waitFor(async () => (await seen()) > 61_000, { what: 'a minute of silence' });
  const line = new RegExp(
    `^edge does not have it yet: The agent on edge-1\\.example\\.net, last seen at ${SINCE}, is out of reach\\. It goes on announcing what it ran, if it runs, and applies the revision when it is back\\.$`,
    'm',
  );
  const edit = await type('entry add hosts 6.0.0.3/32 --wait --timeout 60s');
  expect(edit.code, edit.err).toBe(0);
  expect(edit.err).toMatch(line);
  const shown = (await type('status')).out;
  expect(shown).toMatch(
    /out of reach +speaker edge: [^\n]* It takes revision \d+ by itself when it is back\.$/m,
  );
  expect(shown).not.toContain('not applied');
  expect((await type('why 6.0.0.3')).out).toMatch(
    /not applied \(at edge\): Revision \d+ has it, and the nodes of these speakers are out of reach\. They take it by themselves when they are back\.$/m,
  );
  const status = await type('apply status');
  expect(status.code, status.err).toBe(9);
  expect(status.out).toMatch(/^edge +unreachable /m);
  const asked = await type('revision apply latest --wait --timeout 60s');
  expect(asked.code, asked.err).toBe(9);
  expect(asked.err).toMatch(line);
  const alone = await type('revision apply latest --speaker edge --wait --timeout 60s');
  expect(alone.code, alone.err).toBe(1);
  expect(alone.err).toContain('No speaker has taken the revision: their nodes are out of reach');
});

test('a canary of such a node: status and a command that gives up name the way past it', async () => {
  await mustType('settings set deploy_canary_speaker_ids edge');
  const edit = await type('entry add hosts 6.0.0.4/32 --wait --timeout 10s');
  expect(edit.code, edit.err).toBe(6);
  const [, line] =
    /^It waits for the canary edge, which is out of reach\.\nTo announce it to the other speakers now, with no canary that has shown whether routers bear it: prefixcast (revision apply \d+ --speaker builtin)$/m.exec(
      edit.err,
    ) ?? [];
  expect(line, edit.err).toBeDefined();
  const shown = (await type('status')).out;
  expect(shown).toMatch(
    new RegExp(
      `^ +applying +the apply of revision \\d+: since ${SINCE}: it waits for the canary edge, which is out of reach; prefixcast ${line} goes past canaries, and nothing has shown that routers bear it\n`,
      'm',
    ),
  );
  await mustType(`${line!} --wait`);
});
