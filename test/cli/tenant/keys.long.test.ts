/** Keys at a terminal: their secrets are printed once whatever the format, and one that was revoked is in nobody's way. */
import { expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { send } from '../desk/silent-node.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType, typeAtTerminal } = desk;

/** Who this key is, as the service says it. */
async function codeOf(key: string): Promise<number> {
  return (await typist({ PREFIXCAST_URL: desk.casting.service.url, PREFIXCAST_KEY: key })('whoami')).code;
}

test('a key goes into a file, with nothing else', async () => {
  const made = await type('key create pipeline --role viewer');
  expect(made).toMatchObject({ code: 0, err: 'key pipeline created\n' });
  expect(await codeOf(made.out.trim())).toBe(0);
  const rotated = await type('key rotate pipeline');
  expect(rotated).toMatchObject({ code: 0, err: 'key pipeline rotated\n' });
  expect(await codeOf(rotated.out.trim())).toBe(0);
  expect(await codeOf(made.out.trim())).toBe(4);
});

test.each(['name', 'csv', 'json', 'ndjson', 'yaml', 'wide'])('-o %s has the secret', async (format) => {
  const made = await type(`key create as-${format} --role viewer -o ${format}`);
  const [secret] = /pc_v_\w{50}/.exec(made.out + made.err) ?? [];
  expect(await codeOf(secret!)).toBe(0);
  const rotated = await type(`key rotate as-${format} -o ${format}`);
  expect(rotated.code).toBe(0);
  const [next] = /pc_v_\w{50}/.exec(rotated.out + rotated.err) ?? [];
  expect(await codeOf(next!)).toBe(0);
  if (format === 'name') expect(rotated.out).toBe('as-name\n');
});

test('a name whose key was revoked is free for another one, which it means then', async () => {
  await mustType('key create night --role operator');
  await mustType('key delete night');
  expect(await mustType('key list')).toMatch(/^night +operator +revoked /m);
  for (const words of ['edit night --expires 2099-01-31T12:00:00Z', 'rotate night', 'delete night'])
    expect(await type(`key ${words}`)).toMatchObject({
      code: 7,
      err: expect.stringMatching(/^prefixcast: The key night was revoked at \d{4}-/) as string,
    });
  const secret = await mustType('key create night --role viewer');
  expect(await mustType('key list')).toMatch(/^night +viewer +valid /m);
  expect(JSON.parse(await mustType('key get night -o json'))).toMatchObject({
    role: 'viewer',
    revoked_at: null,
  });
  await mustType('key delete night');
  expect(await codeOf(secret.trim())).toBe(4);
});

test('of two that are both valid, ids and prefixes are named', async () => {
  await mustType('key create twice --role viewer');
  // The command refuses a second one; a client of the API may still make it.
  await desk.casting.service.post('/v1/api-keys', { name: 'twice', role: 'viewer' });
  const { code, err } = await type('key delete twice');
  expect(code).toBe(8);
  const [first] = /[0-9a-f-]{36} \(pc_v_\w{8}\)/.exec(err) ?? [];
  await mustType(`key delete ${first!.slice(0, 36)}`);
  await mustType('key delete twice');
});

test('a login without a key to read is refused', async () => {
  const { url } = desk.casting.service;
  expect(await typist({})('login', url)).toMatchObject({
    code: 2,
    err: expect.stringContaining('No key was given: type it, set PREFIXCAST_KEY') as string,
  });
});

test('whoever replaces the key that they go by reads where it is kept', async () => {
  const secret = (await mustType('key create own --role super_admin')).trim();
  const env = { PREFIXCAST_URL: desk.casting.service.url, PREFIXCAST_KEY: secret };
  const { code, err } = await typist(env)('key', 'rotate', 'own');
  expect({ code, err }).toEqual({
    code: 0,
    err: 'key own rotated\nThis was the key of PREFIXCAST_URL, PREFIXCAST_KEY, which has the old one still: put the new one there\n',
  });
  expect((await type('key rotate own')).err).toBe('key own rotated\n');
});

test('a terminal is asked before a key or a tenant is refused', async () => {
  await mustType('key create asked --role viewer');
  await mustType('tenant create asked');
  for (const [line, question] of [
    ['key delete asked', 'Delete asked? Whoever uses it is refused from then on.'],
    [
      'tenant suspend asked',
      'Suspend asked? Its keys are refused from then on, and its routes stay, also those of entries that are to leave by themselves.',
    ],
    ['tenant stop asked', 'Stop asked? All of its sessions end, and its routes are withdrawn.'],
  ] as const) {
    const { code, text } = await typeAtTerminal('n', line);
    expect(text).toContain(question);
    expect(code).toBe(1);
  }
  expect(await mustType('key get asked -o csv')).toMatch(/^asked,viewer,valid,/m);
  expect(await mustType('tenant get asked -o csv')).toMatch(/^asked,asked,active,/m);
  expect(await typeAtTerminal('y', 'tenant stop asked')).toMatchObject({ code: 0 });
  expect(await typeAtTerminal('y', 'key delete asked')).toMatchObject({ code: 0 });
});

test('a viewer looks at all that a day begins with', async () => {
  const key = (await mustType('key create monitoring --role viewer')).trim();
  const look = typist({ PREFIXCAST_URL: desk.casting.service.url, PREFIXCAST_KEY: key });
  await mustType('module create seen --type IP_RANGES');
  await mustType('entry add seen 6.7.0.0/24 --wait');
  const lines = ['module list', 'session list', 'revision list', 'apply status', 'why 6.7.0.1'];
  for (const line of [...lines, 'history 6.7.0.0/24', 'settings list']) {
    const { code, err } = await look(...line.split(' '));
    expect(code, `${line}: ${err}`).toBeLessThan(2);
  }
  const well = await look('status');
  expect(well, well.err).toMatchObject({
    code: 0,
    out: expect.stringContaining('no router has these lists: there is no peer.') as string,
    err: 'Webhooks are not looked at: that takes a key of the role operator, and this one is of viewer\n',
  });
  await mustType('freeze');
  expect(await look('status')).toMatchObject({ code: 1 });
  await mustType('unfreeze');
});

test('keys of nodes on one machine are told apart by their speakers', async () => {
  const { service } = desk.casting;
  for (const speaker of ['frankfurt', 'helsinki']) {
    await mustType(`speaker create ${speaker} --mode agent --daemon builtin --asn 64512 --yes`);
    const token = (await mustType(`node enroll ${speaker}`)).trim();
    await send(`${service.url}/v1/nodes/enroll`, token, {
      ...{ hostname: 'vm', version: '1.0.0', daemon: 'builtin' },
    });
  }
  const listed = await mustType('key list');
  for (const speaker of ['frankfurt', 'helsinki'])
    expect(listed).toMatch(new RegExp(`^node vm +node +valid +${speaker} `, 'm'));
  const both = await type('key', 'delete', 'node vm', '--yes');
  expect(both).toMatchObject({ code: 8, out: '' });
  for (const speaker of ['frankfurt', 'helsinki'])
    expect(both.err).toMatch(new RegExp(`\\(pc_n_\\w+, of the speaker ${speaker}\\)`));
});
