/** What a name means to a command that changes or deletes, and what an empty list means. */
import { expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

async function itemOf(noun: string, name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await mustType(...noun.split(' '), 'get', name, '-o', 'json')) as Record<string, unknown>;
}

test('a delete that is typed twice deletes one speaker', async () => {
  const agent = ['--daemon', 'bird', '--mode', 'agent', '--asn', '64500'];
  await mustType('speaker', 'create', 'frankfurt', ...agent);
  await mustType('speaker', 'create', 'fra2', ...agent, '--label', 'frankfurt');
  expect(await mustType('speaker', 'delete', 'frankfurt')).toBe('speaker frankfurt deleted\n');
  expect(await type('speaker', 'delete', 'frankfurt')).toMatchObject({
    code: 7,
    err: expect.stringContaining('did you mean "fra2"?') as string,
  });
  expect(await type('speaker', 'edit', 'frankfurt', '--enabled', 'no')).toMatchObject({ code: 7 });
  expect(await type('speaker', 'delete', 'FRA2')).toMatchObject({ code: 7 });
  const { id, enabled } = await itemOf('speaker', 'Frankfurt');
  expect(enabled).toBe(true);
  expect(await mustType('speaker', 'edit', String(id), '--enabled', 'no')).toBe('speaker fra2 changed\n');
});

test('a community is changed by its value, or by its title as it is written', async () => {
  await mustType('community', 'create', '64500:666', '--title', 'Drop');
  expect(await mustType('community', 'edit', 'Drop', '--color', '#aa0000')).toBe(
    'community 64500:666 changed\n',
  );
  expect(await type('community', 'delete', 'drop')).toMatchObject({ code: 7 });
});

test('one is found behind more than a page of others that have its name inside', async () => {
  const items = Array.from({ length: 501 }, (_, at) => `64500:${10_000 + at}`);
  for (let at = 0; at < items.length; at += 50)
    await Promise.all(
      items
        .slice(at, at + 50)
        .map((community) =>
          desk.casting.service.post('/v1/communities', { community, title: `before zzz ${community}` }),
        ),
    );
  await desk.casting.service.post('/v1/communities', { community: '65000:1', title: 'zzz' });
  expect(await itemOf('community', 'ZZZ')).toMatchObject({ community: '65000:1' });
});

test('the first name goes before the second name of another', async () => {
  await mustType('community', 'create', '64500:77', '--title', '64500:78');
  await mustType('community', 'create', '64500:78', '--title', 'Other');
  expect(await itemOf('community', '64500:78')).toMatchObject({ title: 'Other' });
});

test('none is refused where an empty list means all', async () => {
  await mustType('peer', 'create', 'edge1', '--address', '192.0.2.1', '--asn', '64496', '--enabled', 'no');
  await mustType('peer', 'edit', 'edge1', '--community', '64500:666', '--speaker', 'builtin');
  for (const [option, instead] of [
    ['--community', 'use --enabled no to send it nothing'],
    ['--speaker', 'use --enabled no to let none peer with it'],
  ] as const) {
    const refused = await type('peer', 'edit', 'edge1', option, 'none');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`an empty list means all: write all, or ${instead}`);
  }
  expect((await itemOf('peer', 'edge1')).community_ids).toHaveLength(1);
  await mustType('peer', 'edit', 'edge1', '--community', 'all', '--speaker', 'all');
  expect(await itemOf('peer', 'edge1')).toMatchObject({ community_ids: [], speaker_ids: [] });
  expect(await type('firewall', 'rule', 'create', 'r1', '--client', 'none')).toMatchObject({ code: 2 });
});

test('a maintenance policy is called by its name', async () => {
  await mustType('policy', 'create', 'old-audit', '--kind', 'audit_prune', '--enabled', 'no');
  expect(await itemOf('policy', 'old-audit')).toMatchObject({ kind: 'audit_prune' });
  expect(await mustType('policy', 'edit', 'old-audit', '--schedule', '0 3 * * *')).toBe(
    'policy old-audit changed\n',
  );
  expect(await mustType('policy', 'delete', 'old-audit')).toBe('policy old-audit deleted\n');
});

test('settings take names of speakers and communities, and show them', async () => {
  await mustType(
    'speaker',
    'create',
    'first, to try',
    '--daemon',
    'bird',
    '--mode',
    'agent',
    '--asn',
    '64500',
  );
  await mustType('community', 'create', '64500:99', '--title', 'Usual');
  const { id } = await itemOf('speaker', 'first, to try');
  expect(await mustType('settings', 'set', 'deploy_canary_speaker_ids', '["first, to try","builtin"]')).toBe(
    "deploy_canary_speaker_ids is 'first, to try, builtin'\n",
  );
  expect(await mustType('settings', 'set', 'deploy_canary_speaker_ids', 'builtin')).toBe(
    'deploy_canary_speaker_ids is builtin\n',
  );
  expect(await mustType('settings', 'list')).toMatch(/^deploy_canary_speaker_ids +builtin /m);
  expect(await mustType('settings', 'set', 'deploy_canary_speaker_ids', String(id))).toContain(
    'first, to try',
  );
  expect(await type('settings', 'set', 'deploy_canary_speaker_ids', 'nobody')).toMatchObject({
    code: 7,
    err: expect.stringContaining('There is no speaker called nobody') as string,
  });
  expect(await mustType('settings', 'set', 'default_community_id', 'Usual')).toBe(
    'default_community_id is 64500:99\n',
  );
  await mustType('settings', 'unset', 'default_community_id');
});
