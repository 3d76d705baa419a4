/** An operator's first command: what is announced, and what needs somebody, each with the command for it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serve } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('prefixcast status', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let bird: Bird;
  let address: string;

  beforeAll(async () => {
    ({ bird, address } = await desk.casting.startBird());
  });

  /** Waits for it, since sessions come and go by themselves. */
  async function needs(...lines: readonly RegExp[]): Promise<void> {
    const shown = async (): Promise<string | undefined> => {
      const { code, out } = await type('status');
      return code === 1 && lines.every((line) => line.test(out)) ? out : undefined;
    };
    await waitFor(shown, { what: `prefixcast status to show ${lines.join(', ')}` });
  }

  async function isWell(): Promise<string> {
    const shown = async (): Promise<string | undefined> => {
      const { code, out } = await type('status');
      return code === 0 && !out.includes('Under way') ? out : undefined;
    };
    return waitFor(shown, { what: 'prefixcast status to show nothing' });
  }

  test('says where to begin', async () => {
    expect(await isWell()).toMatch(
      /^default: no revision, 0 modules; speakers 0 of 1 announcing, sessions 0 of 0 up\nThere is no list yet\. Begin with one: prefixcast module create NAME/,
    );
    await mustType('module create hosts --type IP_RANGES');
    expect(await isWell()).toContain('There is no revision yet. Build one: prefixcast revision build');
  });

  test('counts the routes of the revision, be there a session or not', async () => {
    await mustType('entry add hosts 6.8.0.1/32');
    await mustType('revision build --wait');
    expect(await isWell()).toMatch(
      /^default: revision 1 \(20[^)]+\), 1 route, 1 module; .* sessions 0 of 0 up$/m,
    );
  });

  test('counts what is announced', async () => {
    await mustType(`peer create edge1 --address ${address} --port ${bird.port} --asn 64496`);
    await mustType('entry edit hosts 6.8.0.1/32 --note first');
    await mustType('entry add hosts 6.9.0.1/32');
    expect((await type('status')).out).toMatch(
      /\n\nUnder way:\n {2}pending {2}(?:an edit|2 edits) that no revision holds\n +→ prefixcast revision build --wait\n/,
    );
    await mustType('revision build --wait');
    await bird.waitRoutes(2);
    expect(await isWell()).toMatch(
      /^default: revision 2 \(20[^)]+\), 2 routes, 1 module; speakers 1 of 1 announcing, sessions 1 of 1 up\nNothing needs you\.\n$/,
    );
  });

  test('names a router that is not sent some routes, until it is', async () => {
    await mustType('entry add hosts 2a00:1::/32 --wait');
    await needs(
      /1 thing needs you:\n {2}not sent {2}edge1 at builtin is not sent all routes: 1 IPv6 route is not sent because it has no IPv6 next hop: /,
      /→ prefixcast peer get edge1\n/,
    );
    await mustType('peer edit edge1 --next-hop-ipv6 2001:db8::1 --wait');
    expect(await isWell()).toContain('3 routes');
    await mustType('entry remove hosts 2a00:1::/32 --wait');
  });

  test('names a firewall client that could not apply its rules, until it has', async () => {
    const { service } = desk.casting;
    const { token } = await service.post<{ token: string }>('/v1/firewall/enrollment-tokens');
    const ask = async <T>(key: string, path: string, body: object): Promise<T> => {
      const response = await fetch(`${service.url}/v1/firewall/clients/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ hostname: 'web1', version: '1.0.0', ...body }),
      });
      return (await response.json()) as T;
    };
    const host = await ask<{ client_id: string; api_key: { secret: string } }>(token, 'enroll', {});
    // It has no rules yet that could be old.
    await isWell();
    const report = (status: string, error: string | null) =>
      ask(host.api_key.secret, `${host.client_id}/apply-status`, {
        ...{ ruleset_hash: null, status, error, counters: [] },
      });
    await report('failed', 'nft: Could not process rule');
    await needs(
      /1 thing needs you:\n {2}not applied {2}firewall client web1: nft: Could not process rule\n/,
      /→ prefixcast firewall client get web1\n/,
    );
    await report('applied', null);
    await isWell();
    // It reports no more, and would be out of reach.
    await mustType('firewall client delete web1 --yes');
  });

  test('names routers whose speaker is switched off, until it is on again', async () => {
    await mustType('speaker edit builtin --enabled no --yes --wait');
    await bird.waitRoutes(0);
    await needs(
      /^ {2}no speaker {2}edge1 has no routes: the speaker builtin is disabled$/m,
      /→ prefixcast speaker edit builtin --enabled yes\n/,
    );
    await mustType('speaker edit builtin --enabled yes --wait');
    await bird.waitRoutes(2);
    await isWell();
  });

  test('names a router that is away, until it is back', async () => {
    await bird.command('disable all');
    await needs(
      /sessions 0 of 1 up\n\n1 thing needs you:\n/,
      /^ {2}down {2}edge1 at builtin: since 20.*\n +→ prefixcast peer get edge1$/m,
    );
    await bird.command('enable all');
    const { code, out, err } = await type('session connect edge1');
    expect(code, err).toBe(0);
    expect(out).toBe('edge1 at builtin: established, 2 routes\n');
    await bird.waitRoutes(2);
    await isWell();
  });

  test('leads to a router that does not answer, and connecting says why', async () => {
    await mustType('peer create far --address 127.0.0.9 --asn 65010');
    const asked = await type('session connect far --timeout 2s');
    expect(asked.code, asked.err).toBe(9);
    expect(asked.err).toContain('far at builtin has no session yet, and no routes from us');
    await mustType('peer edit far --enabled no');
    expect(await type('session connect far')).toMatchObject({
      code: 8,
      err: expect.stringContaining('prefixcast peer edit far --enabled yes connects to it') as string,
    });
    expect(await type('session connect nobody')).toMatchObject({ code: 7 });
    await mustType('peer delete far');
  });

  test('names a list that is held, and one that was deleted meanwhile and is announced all the same', async () => {
    expect((await type('entry add hosts 18.0.0.0/7 --wait')).code).toBe(5);
    await needs(
      /^ {2}held {2}module hosts: since 20.*: prefix_too_short\n +→ prefixcast module held hosts$/m,
    );
    await mustType('entry remove hosts 18.0.0.0/7 --wait');
    await isWell();
  });

  test('names a freeze and what waits for its end, and no command that the freeze would refuse', async () => {
    await mustType('freeze');
    await mustType('entry add hosts 6.7.0.1/32');
    await mustType('revision build');
    await needs(
      /^2 things need you:$/m,
      /^ {2}frozen {7}applies: since 20\S+, by key:bootstrap\n +→ prefixcast unfreeze --dry-run$/m,
      /^ {2}not applied {2}revision \d+ at speaker builtin: since 20.*: it waits for the end of the freeze$/m,
    );
    expect((await type('status')).out).not.toContain('revision apply');
    await mustType('unfreeze');
    await bird.waitRoutes(3);
    await isWell();
  });

  test('names a list that cannot be read', async () => {
    const { sources, sourceUrl } = desk.casting;
    sources.set('/list.txt', serve('7.0.0.0/24\n'));
    await mustType('module create cloud --type CDN_SOURCES');
    await mustType(`entry add cloud list --url ${sourceUrl}/list.txt`);
    await mustType('module refresh cloud --wait');
    await isWell();
    sources.delete('/list.txt');
    await type('module refresh cloud --wait');
    await needs(/^ {2}failing {2}module cloud: .*404.*\n +→ prefixcast module refresh cloud --wait$/m);
    // Once nothing of it fails any more, nobody has to look after it.
    sources.set('/other.txt', serve('7.1.0.0/24\n'));
    await mustType(`entry add cloud other --url ${sourceUrl}/other.txt`);
    await type('module refresh cloud --wait');
    await needs(/^ {2}failing {2}module cloud: 1 of 2 sources failed\. .*404/m);
    await mustType('entry remove cloud list --wait');
    expect(await isWell()).not.toContain('cloud');
    expect(await mustType('module list')).not.toContain('partial');
    await mustType('module edit cloud --enabled no');
    await mustType('revision build --wait');
    await isWell();
  });

  test('names a webhook whose receiver is away, and one that the service gave up', async () => {
    await mustType('webhook create chat --url http://127.0.0.1:1/in --events audit,module');
    await mustType('module edit hosts --description sent');
    await needs(
      /^ {2}failing {2}webhook chat: since 20.*: .*ECONNREFUSED.*\n +→ prefixcast webhook deliveries chat$/m,
    );
    await mustType('webhook edit chat --enabled no');
    await isWell();
    await mustType('webhook delete chat --yes');
  });

  test('names a feed that serves nothing, and one that serves what it had', async () => {
    const { service } = desk.casting;
    const { path, token } = await service.post<{ path: string; token: string }>('/v1/feeds', {
      ...{ name: 'drop', format: 'text', max_prefixes: 1 },
    });
    const fetched = async (): Promise<number> => (await fetch(`${service.url}${path}?token=${token}`)).status;
    expect(await fetched()).toBe(503);
    await needs(
      /^ {2}failing {2}feed drop serves nothing: The feed would have 3 IPv4 prefixes, and max_prefixes is 1\.(?:.|\n)*→ prefixcast feed get drop$/m,
    );
    await mustType('feed edit drop --max-prefixes 3');
    expect(await fetched()).toBe(200);
    await isWell();
    await mustType('feed edit drop --max-prefixes 2');
    expect(await fetched()).toBe(200);
    await needs(/^ {2}failing {2}feed drop serves its last good content: The feed would have 3 /m);
    await mustType('feed edit drop --enabled no');
    await isWell();
    await mustType('feed delete drop --yes');
  });

  test('is data for a script, which asks by the exit code', async () => {
    expect(JSON.parse(await mustType('status -o json'))).toMatchObject({
      ...{ tenant: 'default', routes: 3, modules: 2, items: [] },
      ...{ speakers: { enabled: 1, announcing: 1 }, sessions: { up: 1, unknown: 0, total: 1 } },
    });
    await mustType('freeze');
    const { code, out } = await type('status -o json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      items: [
        {
          ...{ state: 'frozen', what: 'applies', by: 'key:bootstrap', needs_somebody: true },
          since: expect.stringMatching(/^20\S+Z$/) as string,
          command: 'prefixcast unfreeze --dry-run',
        },
      ],
    });
    await mustType('unfreeze');
  });

  afterAll(() => bird?.stop());
});
