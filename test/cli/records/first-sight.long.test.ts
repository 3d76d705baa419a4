/** What somebody types who sees the command line for the first time: each answer says what to type instead. */
import { beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType, typeAtTerminal } = desk;

async function refused(code: number, line: string): Promise<string> {
  const typed = await type(line);
  expect(typed.code, `${line}\n${typed.out}${typed.err}`).toBe(code);
  expect(typed.err).not.toContain('see errors');
  return typed.err;
}

beforeAll(async () => {
  await mustType('community create 64500:666 --title Drop');
});

test('a list at an address, without the option for it', async () => {
  await mustType('module create blocklists --type CDN_SOURCES --community Drop');
  expect(await refused(2, 'entry add blocklists do http://192.0.2.1/do.txt')).toContain(
    'Lists of blocklists have a name and an address: prefixcast entry add blocklists do --url http://192.0.2.1/do.txt\n',
  );
});

test('several options that are missing', async () => {
  const said = await refused(2, 'peer create home');
  expect(said).toMatch(/--address is required: .*\n {2}--asn is required: /);
});

test.each([
  ['revision get 1', 'show'],
  ['key revoke ci', 'delete'],
  ['module show x', 'get'],
  ['entry create x', 'add'],
])('%s: the word of another program', async (line, meant) => {
  expect(await refused(2, line)).toContain(`did you mean "${meant}"?`);
});

test('a second key of a name, and one of a name whose key was deleted', async () => {
  await mustType('key create ci --role operator');
  expect(await refused(8, 'key create ci --role viewer')).toContain(
    'A key that is called ci is in use. Give this one another name, or that one another secret: prefixcast key rotate ci\n',
  );
  await mustType('key delete ci --yes');
  await mustType('key create ci --role viewer');
});

test('a key that is empty is no key of this machine', async () => {
  const { url } = desk.casting.service;
  const { code, err } = await typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: '' })('status');
  expect(code).toBe(78);
  expect(err).toContain('PREFIXCAST_KEY is empty: give it a key, or unset it');
});

test('a feed is fetched as its creation says', async () => {
  await mustType('module create own --type IP_RANGES --community Drop');
  await mustType('entry add own 9.9.9.0/24 --wait');
  const { out: token, err } = await type('feed create drop --format text --community Drop');
  const [, user, url] = /Fetch it, .*: curl -u (\S+) (\S+)$/m.exec(err)!;
  const authorization = `Basic ${Buffer.from(user!.replace('TOKEN', token.trim())).toString('base64')}`;
  await expect
    .poll(async () => (await fetch(url!, { headers: { authorization } })).text())
    .toContain('9.9.9.0/24');
});

test('a router that is sent less from then on', async () => {
  await mustType('community create 64500:667 --title Watch');
  await mustType('peer create far --address 192.0.2.7 --asn 64497');
  const { code, err } = await type('peer edit far --community 64500:667');
  expect(code, err).toBe(0);
  expect(err).toContain(
    'No router loses routes now; 1 peer that has no session would get 1 route fewer: far\n',
  );
});

test('a speaker that only waits for its routers takes nothing from them', async () => {
  await mustType('peer create near --address 192.0.2.8 --asn 64497');
  await mustType('speaker create waiting --asn 64512');
  const sessions = async (): Promise<string> => mustType('session list');
  await expect.poll(sessions).toMatch(/near +waiting/);
  const speaker = async (): Promise<string> => mustType('speaker get waiting -o json');
  await expect.poll(speaker).toContain('"applied_revision_id": "');
  const { err } = await type('speaker delete waiting');
  expect(err).toContain(
    'No router loses routes now; 1 peer that has no session would get 1 route fewer: near\n',
  );
  expect(err).not.toContain('withdraws');
});

test('a host that would drop all that no rule accepts', async () => {
  const { service } = desk.casting;
  const { token } = await service.post<{ token: string }>('/v1/firewall/enrollment-tokens', {});
  const enrolled = await fetch(`${service.url}/v1/firewall/clients/enroll`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hostname: 'vm', version: '1.0.0' }),
  });
  expect(enrolled.status).toBe(201);
  const said =
    'vm drops every packet that no rule accepts from then on, in both directions: no rule accepts anything of it';
  const asked = await typeAtTerminal('n', 'firewall client edit vm --policy accept');
  expect(asked.text).toContain(said);
  expect(asked.code).toBe(1);
  expect(await mustType('firewall client list')).toMatch(/^vm .* block /m);
  expect((await type('firewall client edit vm --policy accept --dry-run')).err).toContain(said);
  const create = 'firewall rule create in --action accept --cidr 192.0.2.0/24';
  expect(await mustType(`${create} --direction in --protocol tcp --ports 22 --dry-run`)).toBe(
    'Then: it accepts tcp packets that come from 192.0.2.0/24 (port 22), at 1 host: vm\nNothing has changed: dry run\n',
  );
  await mustType(create);
  expect(await mustType('firewall rule edit in --action block --module own --dry-run')).toBe(
    [
      'Now: it accepts packets from and to 192.0.2.0/24, at 1 host: vm',
      'Then: it blocks packets from and to 192.0.2.0/24 and the lists of own, at 1 host: vm',
      'Nothing has changed: dry run\n',
    ].join('\n'),
  );
  expect(await mustType('firewall rule delete in --dry-run')).toContain('\nThen: it is gone\n');
  const { code, err } = await type('firewall client edit vm --policy accept');
  expect(code, err).toBe(0);
  expect(err).toContain('in both directions: 1 rule of the action accept');
});
