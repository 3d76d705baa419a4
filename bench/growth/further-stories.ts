/** What is asked of removed lists, addresses, feeds, webhooks, firewall clients and sessions. */
import { idOf } from './fill.ts';
import { lists, resource, type Subject } from './subject.ts';

/** Lists and entries that were removed, and come back. */
export async function removed(subject: Subject, round: number): Promise<void> {
  const { asker } = subject;
  const { id } = await asker.prepare('POST', '/v1/modules', {
    ...{ name: `removed ${round}`, type: 'IP_RANGES' },
  });
  await asker.prepare('DELETE', `/v1/modules/${id}`);
  await lists(subject, round, 'listRemovedModules', '/v1/removed-modules');
  await asker.ask('restoreModule', 'POST', `/v1/modules/${id}/restore`, {});
  const large = `/v1/modules/${idOf('module', 1)}`;
  const entry = await asker.prepare('POST', `${large}/ip-range-entries`, {
    cidr: `2a03:${round.toString(16)}::/32`,
  });
  const { batch } = await asker.prepare<{ batch: string }>('DELETE', `${large}/ip-range-entries`, {
    ids: [entry.id],
  });
  await lists(subject, round, 'listRemovedEntries', `${large}/removed-entries`);
  await asker.ask('restoreEntries of one', 'POST', `${large}/entries/restore`, { batch });
  await asker.prepare('DELETE', `${large}/ip-range-entries/${entry.id}`);
}

export async function addresses(subject: Subject, round: number): Promise<void> {
  const { asker } = subject;
  await asker.ask('lookup', 'GET', `/v1/lookup?q=8.0.${round}.4`);
  await asker.ask('lookupMany', 'POST', '/v1/lookup', { queries: [`8.0.${round}.4`, `8.0.${round}.0/24`] });
  await lists(subject, round, 'readHistory', `/v1/history?prefix=8.0.${round}.4`);
  await lists(subject, round, 'listSources', '/v1/sources');
  await lists(subject, round, 'listSources status=failed', '/v1/sources?status=failed');
  const community = { community: `64501:${round}`, title: 'By changes' };
  const change = { method: 'POST', path: '/v1/communities', body: community };
  await asker.ask('carryOutChanges of one', 'POST', '/v1/changes', { changes: [change] });
}

export async function feeds(subject: Subject, round: number): Promise<void> {
  const { asker } = subject;
  const path = '/v1/feeds';
  await resource(subject, 'Feed', path, {
    ...{ body: { name: `feed-${round}`, format: 'text' }, patch: { families: ['ipv4'] } },
  });
  const { id } = await asker.prepare('POST', path, { name: `feed-${round}`, format: 'text' });
  await asker.ask('rotateFeed', 'POST', `${path}/${id}/rotate`);
  await asker.ask('previewFeed', 'GET', `${path}/${id}/preview`);
  await lists(subject, round, 'listFeeds', path);
  await asker.prepare('DELETE', `${path}/${id}`);
}

/** A host that enrolls, fetches its rules and reports. */
export async function firewall(subject: Subject, round: number): Promise<void> {
  const { asker } = subject;
  const clients = '/v1/firewall/clients';
  const { token } = await asker.prepare<{ token: string }>('POST', '/v1/firewall/enrollment-tokens', {});
  const enrolling = asker.as(token);
  const machine = { hostname: `host-${round}`, version: '1.0.0' };
  const enrolled = await enrolling.ask<{ client_id: string; api_key: { secret: string } }>(
    ...(['enrollFirewallClient', 'POST', `${clients}/enroll`, machine] as const),
  );
  enrolling.close();
  const path = `${clients}/${enrolled.client_id}`;
  const host = asker.as(enrolled.api_key.secret);
  interface Ruleset {
    readonly ruleset_hash: string;
  }
  const { ruleset_hash } = await host.ask<Ruleset>('getFirewallRuleset', 'GET', `${path}/ruleset`);
  const report = { ruleset_hash, status: 'applied', error: null, ...machine, counters: [] };
  await host.ask('reportFirewallStatus', 'POST', `${path}/apply-status`, report);
  host.close();
  await asker.ask('getFirewallClient', 'GET', path);
  await asker.ask('changeFirewallClient', 'PATCH', path, { protected: ['192.0.2.0/24'] });
  await asker.ask('deleteFirewallClient', 'DELETE', path);
}

export async function webhooks(subject: Subject, round: number): Promise<void> {
  const { asker } = subject;
  const path = '/v1/webhooks';
  // Nobody answers there: a test of it leaves a delivery at once.
  const body = { url: `http://127.0.0.1:9/${round}`, events: ['revision'] };
  await resource(subject, 'Webhook', path, { body, patch: { format: 'slack' } });
  const { id } = await asker.prepare('POST', path, body);
  await asker.ask('rotateWebhook', 'POST', `${path}/${id}/rotate`);
  const delivery = await asker.prepare('POST', `${path}/${id}/test`);
  await asker.ask('getWebhookDelivery', 'GET', `${path}/${id}/deliveries/${delivery.id}`);
  await asker.ask('resendWebhookDelivery', 'POST', `${path}/${id}/deliveries/${delivery.id}/resend`);
  await lists(subject, round, 'listWebhookDeliveries', `${path}/${id}/deliveries`);
  await lists(subject, round, 'listWebhooks', path);
  await asker.prepare('DELETE', `${path}/${id}`);
}

export async function sessions({ asker }: Subject): Promise<void> {
  await asker.ask('openSession', 'POST', '/v1/auth/session', { api_key: asker.key });
  await asker.ask('createSignInLink', 'POST', '/v1/auth/sign-in-links');
}
