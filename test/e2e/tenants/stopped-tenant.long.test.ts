/**
 * A tenant that is stopped, at the speakers of every daemon and at a node: its session ends, its routes go although its router would keep them
 * by graceful restart, nothing else does, and all of it is back when the tenant is active. How long it took is printed; two seconds are promised.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { type AgentProcess, startAgent } from '../../agent/world.ts';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { PATIENCE_MS, waitFor } from '../../daemons/wait.ts';
import { PEER_ALLOW_TEXT } from '../../peer-allow.ts';
import { receivedBy } from '../../speakers/builtin/models.ts';
import { type Casting, PEER_ASN, SPEAKER_ASN, startCasting } from '../casting.ts';
import { FED_BIRD, ROUTERS } from '../routers/router-daemons.ts';
import type { Router } from '../routers/router.ts';

/** A machine with much else to do takes longer than what is promised, and graceful restart takes two minutes. */
const GONE_WITHIN_MS = 20_000;
const RANGES = ['45.0.1.0/24', '45.0.3.0/24', '2a00:100::/32'];

interface Tenant {
  readonly id: string;
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

interface Counted {
  readonly status: string;
  readonly usage: Readonly<Record<string, number>>;
}

const lacksPeer = (): boolean => requireDaemon('bird') === null;

interface Kind {
  readonly name: string;
  readonly lacks: () => boolean;
  readonly start: (() => Promise<Router>) | 'builtin' | 'node';
}

const KINDS: readonly Kind[] = [
  { name: 'the builtin speaker', lacks: lacksPeer, start: 'builtin' },
  ...[...ROUTERS, FED_BIRD],
  { name: 'a node', lacks: lacksPeer, start: 'node' },
];

for (const { name, lacks, start } of KINDS)
  describe.skipIf(lacks())(`a stopped tenant at ${name}`, () => {
    let router: Router | null;
    let casting: Casting;
    let peer: Bird;
    let agent: AgentProcess | undefined;
    let tenant: Tenant;

    beforeAll(async () => {
      router = typeof start === 'string' ? null : await start();
      casting = await startCasting({
        APP_PEER_ALLOW: PEER_ALLOW_TEXT,
        ...(router === null ? {} : { APP_ROUTER_DAEMON: router.daemon, ...router.env }),
      });
      const own = loopbackAddress();
      // The builtin speaker, here or at a node, calls its peers from where it likes.
      const speaker = router?.listen ?? { address: '127.0.0.1', port: 1, passive: true };
      peer = await startBird({
        ...{ listen: { address: own, port: await freePort(own) }, routerId: own, localAsn: PEER_ASN },
        neighbors: [{ ...speaker, asn: SPEAKER_ASN, families: ['ipv4', 'ipv6'], gracefulRestart: true }],
      });
      tenant = await makeTenant();
      await announce();
    });
    afterAll(async () => {
      await agent?.stop();
      await casting?.close();
      await peer?.stop();
      await router?.stop();
    });
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') process.stdout.write(`${agent?.said() ?? ''}\n`);
    });

    async function makeTenant(): Promise<Tenant> {
      const { id, api_key: made } = await casting.service.post<{ id: string; api_key: { secret: string } }>(
        '/v1/tenants',
        { name: 'Acme', slug: 'acme', policy: OPEN_POLICY },
      );
      return {
        id,
        async call<T>(method: string, path: string, body?: object) {
          const headers = { authorization: `Bearer ${made.secret}` };
          const response = await casting.service.request(method, path, body, headers);
          const text = await response.text();
          if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
          return (text === '' ? undefined : JSON.parse(text)) as T;
        },
      };
    }

    async function announce(): Promise<void> {
      const make = async (path: string, body: object): Promise<string> =>
        (await tenant.call<{ id: string }>('POST', path, body)).id;
      const speakerId = await make('/v1/speakers', {
        ...{ name: 'edge', local_asn: SPEAKER_ASN, mode: start === 'node' ? 'agent' : 'local' },
        ...(router === null ? {} : { daemon: router.daemon, local_ipv4: router.listen.address }),
        ...{ local_ipv6: '2001:db8:ffff::1', ...router?.speaker },
      });
      await make('/v1/peers', {
        ...{ name: 'router', address: peer.address, port: peer.port, remote_asn: PEER_ASN, multihop: 2 },
        ...{ speaker_ids: [speakerId], families: ['ipv4', 'ipv6'], next_hop_ipv6: '2001:db8::1' },
      });
      const community_id = await make('/v1/communities', { community: '65010:1', title: 'theirs' });
      const moduleId = await make('/v1/modules', { name: 'own', type: 'IP_RANGES', community_id });
      if (start === 'node') {
        const path = `/v1/speakers/${speakerId}/enrollment-tokens`;
        const { token } = await tenant.call<{ token: string }>('POST', path);
        agent = await startAgent({ token, url: casting.service.url }, casting.dataDir);
      }
      const items = RANGES.map((cidr) => ({ cidr }));
      await tenant.call('POST', `/v1/modules/${moduleId}/ip-range-entries`, { items });
      await has(RANGES);
      // The routes are there a moment before their apply is confirmed.
      const isConfirmed = async (): Promise<boolean> =>
        (await announced()).every(({ applied_revision_id: applied }) => applied !== null);
      await waitFor(isConfirmed, { what: 'the apply to end' });
    }

    async function has(prefixes: readonly string[], timeoutMs = PATIENCE_MS): Promise<void> {
      await waitFor(async () => Object.keys(await receivedBy(peer)).length === prefixes.length, {
        ...{ what: `the router to have ${prefixes.length} routes`, timeoutMs, everyMs: 20 },
        details: () => `${agent?.said() ?? ''}\n${peer.log().slice(-2_000)}`,
      });
    }

    const counted = async (): Promise<Counted> => {
      const { status, usage } = await casting.service.get<Counted>(`/v1/tenants/${tenant.id}`);
      // Jobs come and go by themselves.
      return { status, usage: { ...usage, jobs_queued: 0 } };
    };
    const announced = async (): Promise<{ id: unknown; applied_revision_id: unknown }[]> => {
      const { items } = await tenant.call<{ items: Record<string, unknown>[] }>('GET', '/v1/speakers');
      return items.map(({ id, applied_revision_id }) => ({ id, applied_revision_id }));
    };

    const WAYS: readonly (readonly [
      how: string,
      method: string,
      suffix: string,
      body: object | undefined,
    ])[] = [
      ['by POST …/stop', 'POST', '/stop', undefined],
      ['by its status', 'PATCH', '', { status: 'stopped' }],
    ];

    test.each(WAYS)(
      '%s: session and routes are gone at once, nothing else is, and all is back',
      async (_how, method, suffix, body) => {
        const path = `/v1/tenants/${tenant.id}`;
        const [before, routes, applied] = [await counted(), await receivedBy(peer), await announced()];
        expect(Object.keys(routes).sort()).toEqual([...RANGES].sort());
        const ended = peer.endedSessions();

        const begun = performance.now();
        await casting.service.call(method, path + suffix, body);
        await has([], GONE_WITHIN_MS);
        process.stdout.write(
          `Stopped at ${name}: the routes were gone after ${Math.round(performance.now() - begun)} ms.\n`,
        );
        await waitFor(async () => (await peer.session()).state !== 'established', {
          what: 'the session to have ended',
        });
        expect(peer.endedSessions()).toBe(ended + 1);
        expect(await counted()).toEqual({ ...before, status: 'stopped' });

        await casting.service.call('PATCH', path, { status: 'active' });
        await has(RANGES);
        expect(await receivedBy(peer)).toEqual(routes);
        await waitFor(async () => (await announced().catch(() => null)) !== null, {
          what: 'the key to work',
        });
        expect(await announced()).toEqual(applied);
        expect(await counted()).toEqual(before);
      },
    );

    test('that is a critical record, for either way', async () => {
      const { items } = await casting.service.get<{ items: Record<string, unknown>[] }>(
        `/v1/audit?action=tenant.stop&resource_id=${tenant.id}`,
      );
      expect(items.map(({ severity }) => severity)).toEqual(['critical', 'critical']);
    });
  });
