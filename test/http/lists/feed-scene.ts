/** Feeds of a service, revisions that they follow, and whoever fetches them. */
import { expect } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { makeRevision } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

export interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export interface TestFeed {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

const linesOf = ({ bytes }: Fetched): string[] => bytes.toString().split('\n').slice(0, -1);

export class FeedScene {
  readonly service: TestService;
  readonly speaker: string;
  readonly community: string;
  readonly other: string;
  #feeds = 0;

  private constructor(service: TestService, ids: Record<'speaker' | 'community' | 'other', string>) {
    this.service = service;
    this.speaker = ids.speaker;
    this.community = ids.community;
    this.other = ids.other;
  }

  /** @param more of what the service is made of */
  static async start(
    more: Parameters<typeof startService>[1] = {},
    http: Parameters<typeof startService>[0] = {},
  ): Promise<FeedScene> {
    const service = await startService(http, more);
    return new FeedScene(service, {
      community: (await service.make('/v1/communities', { community: '65000:100', title: 'x' })).id,
      other: (await service.make('/v1/communities', { community: '65000:200', title: 'y' })).id,
      speaker: (await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 })).id,
    });
  }

  /** A revision of these, as the holder of a speaker writes it down at the end of an apply. */
  async apply(prefixes: readonly string[]): Promise<string> {
    const { service, speaker, community } = this;
    const id = await makeRevision(service, service.tenant, community, [...prefixes]);
    await service.database.admin(
      'UPDATE speaker SET applied_revision_id = $2, applied_at = clock_timestamp() WHERE id = $1',
      [speaker, id],
    );
    return id;
  }

  /** Without asking for anything compressed. */
  async fetchFeed(
    name: string,
    token: string | null,
    headers: Record<string, string> = {},
    query = '',
  ): Promise<Fetched> {
    const url = `${this.service.url}/feeds/${name}${token === null ? '' : `?token=${token}`}${query}`;
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity', ...headers } });
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  async newFeed(body: Body = {}): Promise<TestFeed> {
    const name = `feed-${this.#feeds++}`;
    const { id, token } = await this.service.make('/v1/feeds', { name, ...body });
    return { id, name, token: token as string };
  }

  async shown(id: string): Promise<Body> {
    return (await this.service.call('GET', `/v1/feeds/${id}`)).body;
  }

  /** Fetches until what is served is what it should be, as it is within a second. */
  async expectLines({ name, token }: TestFeed, wanted: string[]): Promise<void> {
    let lines: string[] = [];
    await waitFor(
      async () => {
        lines = linesOf(await this.fetchFeed(name, token));
        return String(lines) === String(wanted);
      },
      { what: `the feed to have ${String(wanted)}` },
    ).catch(() => expect(lines).toEqual(wanted));
  }
}
