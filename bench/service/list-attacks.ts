/** Attacks on what lists and revisions are written as: long texts, and what is worked out of many rows. */
import {
  announce,
  announcedBy,
  ask,
  type Attacks,
  MANY,
  refresh,
  repeat,
  replace,
  sender,
  type Tenant,
} from './attack-tools.ts';

const CODINGS = ['identity', 'gzip', 'zstd'];

/** Enrolls a firewall client of the attacker's, to which a rule gives its whole module. @returns the path of its ruleset, and its key */
async function enroll(attacker: Tenant): Promise<{ readonly path: string; readonly key: string }> {
  const { token } = await ask<{ token: string }>(attacker, '/v1/firewall/enrollment-tokens', {});
  const name = `host-${Date.now()}`;
  await ask(attacker, '/v1/firewall/rules', { name, action: 'block', module_ids: [attacker.module] });
  const { client_id: id, api_key: made } = await ask<{ client_id: string; api_key: { secret: string } }>(
    { base: attacker.base, key: token },
    '/v1/firewall/clients/enroll',
    { hostname: name, version: '1.0.0' },
  );
  return { path: `/v1/firewall/clients/${id}/ruleset`, key: made.secret };
}

interface Revision {
  readonly number: number;
  readonly prefix_count: { readonly ipv4: number };
}

/** Two revisions of many prefixes, of which none is in the other, unless the attacker has them already. The second has one less. */
async function announceTwo(attacker: Tenant): Promise<readonly [Revision, Revision]> {
  const latest = (): Promise<Revision> => ask<Revision>(attacker, '/v1/revisions/latest');
  if ((await announcedBy(attacker)) === MANY - 1) {
    const second = await latest();
    const { items } = await ask<{ items: Revision[] }>(attacker, '/v1/revisions?limit=500');
    const first = items.find((one) => one.prefix_count.ipv4 === second.prefix_count.ipv4 + 1);
    if (first !== undefined) return [first, second];
  }
  await announce(attacker, MANY);
  const first = await latest();
  const of = (n: number): string => `${80 + (n >> 15)}.${(n >> 7) & 255}.${(n & 127) * 2}.0/25`;
  await replace(
    attacker,
    Array.from({ length: MANY - 1 }, (_, n) => of(n)),
  );
  await refresh(attacker);
  return [first, await latest()];
}

/** Feeds of all that the attacker announces, one of each format. @returns their paths with the token */
async function makeFeeds(attacker: Tenant, formats: readonly string[]): Promise<string[]> {
  await announce(attacker, MANY);
  const { items: speakers } = await ask<{ items: unknown[] }>(attacker, '/v1/speakers');
  if (speakers.length === 0) await ask(attacker, '/v1/speakers', { name: 'own', local_asn: 65_020 });
  await ask(attacker, '/v1/apply', {});
  const paths: string[] = [];
  for (const [place, format] of formats.entries()) {
    const name = `f${place}-${Date.now()}`;
    const feed = await ask<{ path: string; token: string }>(attacker, '/v1/feeds', { name, format });
    const path = `${feed.path}?token=${feed.token}`;
    const { status } = await sender({ base: attacker.base, key: '' })('GET', path);
    if (status !== 200) throw new Error(`The attacker's feed was answered ${status}`);
    paths.push(path);
  }
  return paths;
}

export const LIST_ATTACKS: Attacks = {
  '16 parallel maps of 200,000 prefixes': async (attacker) => {
    await announce(attacker, MANY);
    const send = sender(attacker);
    repeat(16, () => send('GET', '/v1/revisions/latest/map'));
  },
  '16 parallel rulesets of 200,000 prefixes': async (attacker) => {
    await announce(attacker, MANY);
    const { path, key } = await enroll(attacker);
    repeat(16, (n) => sender({ base: attacker.base, key })('GET', path + (n % 2 === 0 ? '' : '?format=nft')));
  },
  '16 parallel texts of a revision of 200,000 prefixes': async (attacker) => {
    await announce(attacker, MANY);
    const send = sender(attacker);
    repeat(16, (n) => {
      const accept = n % 2 === 0 ? 'text/csv' : 'text/plain';
      const headers = { accept, 'accept-encoding': CODINGS[n % CODINGS.length]! };
      return send('GET', '/v1/revisions/latest/prefixes', undefined, '', headers);
    });
  },
  '16 parallel searches among the 200,000 prefixes of a revision': async (attacker) => {
    await announce(attacker, MANY);
    // Of another module, whose one prefix comes last.
    const name = `last ${Date.now()}`;
    const { id } = await ask<{ id: string }>(attacker, '/v1/modules', { name, type: 'IP_RANGES' });
    await ask(attacker, `/v1/modules/${id}/ip-range-entries`, { cidr: '198.18.0.0/24' }).catch(() =>
      ask(attacker, `/v1/modules/${id}/ip-range-entries`, { cidr: '99.0.0.0/24' }),
    );
    await refresh({ ...attacker, module: id });
    const send = sender(attacker);
    const path = `/v1/revisions/latest/prefixes?module_id=${id}`;
    repeat(16, (n) =>
      send('GET', path, undefined, '', { accept: n % 2 === 0 ? 'text/plain' : 'application/json' }),
    );
  },
  '16 parallel pages of a difference of 200,000 prefixes': async (attacker) => {
    const [a, b] = await announceTwo(attacker);
    const send = sender(attacker);
    const filters = ['', '&change=announced', '&family=ipv4', `&module_id=${attacker.module}`];
    repeat(16, (n) => {
      const [from, to] = n % 2 === 0 ? [a, b] : [b, a];
      const filter = filters[(n >> 1) % filters.length]!;
      return send('GET', `/v1/revisions/${from.number}/diff/${to.number}?limit=${100 + (n % 100)}${filter}`);
    });
  },
  '16 parallel texts of a difference of 200,000 prefixes': async (attacker) => {
    const [a, b] = await announceTwo(attacker);
    const send = sender(attacker);
    repeat(16, (n) => {
      const [from, to] = n % 2 === 0 ? [a, b] : [b, a];
      const path = `/v1/revisions/${to.number}/prefixes?since_revision=${from.number}`;
      return send('GET', path, undefined, '', { accept: n % 4 < 2 ? 'text/csv' : 'text/plain' });
    });
  },
  '16 parallel feeds of 200,000 prefixes': async (attacker) => {
    const paths = await makeFeeds(attacker, ['text', 'json', 'nft']);
    const send = sender({ base: attacker.base, key: '' });
    repeat(16, (n) =>
      send('GET', paths[n % paths.length]!, undefined, '', { 'accept-encoding': CODINGS[n % 4] ?? 'br' }),
    );
  },
  '8 parallel previews of feeds of 200,000 prefixes': async (attacker) => {
    await makeFeeds(attacker, ['junos']);
    const { items } = await ask<{ items: { id: string }[] }>(attacker, '/v1/feeds?limit=1');
    const send = sender(attacker);
    repeat(8, () => send('GET', `/v1/feeds/${items[0]!.id}/preview`));
  },
  '8 parallel histories among 200,000 prefixes': async (attacker) => {
    await announceTwo(attacker);
    const send = sender(attacker);
    repeat(8, (n) => send('GET', `/v1/history?prefix=${60 + (n % 6)}.${n & 255}.0.0/20`));
  },
  '8 parallel previews of a revision of 200,000 prefixes': async (attacker) => {
    await makeFeeds(attacker, []);
    const send = sender(attacker);
    repeat(8, () => send('GET', '/v1/revisions/latest/preview'));
  },
  '4 parallel plans beside 200,000 prefixes': async (attacker) => {
    await announce(attacker, MANY);
    const send = sender(attacker);
    const path = `/v1/modules/${attacker.module}/ip-range-entries`;
    repeat(4, (n) => {
      const changes = [{ method: 'POST', path, body: { cidr: `20.${n & 255}.7.0/24` } }];
      return send('POST', '/v1/revisions/plan', { changes });
    });
  },
};
