/** A tenant is stopped whose node does not hear of it: its routers have the routes still. */
import { expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { addSilentNode, send } from '../desk/silent-node.ts';

const desk = useDesk();
const { type, mustType } = desk;

test('tenant stop says how many nodes go on announcing, and nothing where there is none', async () => {
  const quiet = await type('tenant create quiet');
  expect(quiet.code, quiet.err).toBe(0);
  expect(await type('tenant stop quiet --yes')).toMatchObject({ code: 0, err: '' });

  const { url, key } = desk.casting.service;
  const made = await send<{ api_key: { secret: string } }>(`${url}/v1/tenants`, key, {
    ...{ name: 'acme', slug: 'acme', policy: { allowed_local_asns: null, allowed_peer_networks: null } },
  });
  await addSilentNode(url, made.api_key.secret);
  const stopped = await type('tenant stop acme --yes');
  expect(stopped).toMatchObject({ code: 0, out: 'tenant acme is stopped: its sessions end\n' });
  expect(stopped.err).toBe(
    '1 node of acme has not said yet that the sessions have ended: one that is out of reach goes on announcing until it is back. prefixcast tenant get acme shows when (announcing_nodes)\n',
  );
  expect(JSON.parse(await mustType('tenant get acme -o json'))).toMatchObject({ announcing_nodes: 1 });
});
