/** A tenant with one list, and two speakers whose revisions a test chooses, for what lookups say of them. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { makeRevision } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

export class LookupScene {
  service!: TestService;
  community = '';
  /** Ids, in ascending order. */
  speakers: string[] = [];
  /** The list that is there, of 45.1.0.0/16, and its entry. */
  module = '';
  entry = '';

  async start(): Promise<void> {
    this.service = await startService();
    this.community = (await this.service.make('/v1/communities', { community: '65000:100', title: 'x' })).id;
    for (const name of ['one', 'two'])
      this.speakers.push((await this.service.make('/v1/speakers', { name, local_asn: 64512 })).id);
    this.speakers.sort();
    Object.assign(this, await this.addRange('listed', '45.1.0.0/16'));
  }

  async reset(): Promise<void> {
    await this.run('DELETE FROM speaker_apply');
    await this.run('DELETE FROM job');
    await this.run('DELETE FROM peer_speaker');
    await this.run('DELETE FROM peer');
    await this.run('UPDATE speaker SET applied_revision_id = NULL');
    await this.run('DELETE FROM revision');
  }

  run(sql: string, ...values: unknown[]) {
    return this.service.database.admin(sql, values);
  }

  async addRange(name: string, cidr: string, more: object = {}) {
    const body = { name, type: 'IP_RANGES', community_id: this.community, ...more };
    const { id } = await this.service.make('/v1/modules', body);
    const { id: entryId } = await this.service.make(`/v1/modules/${id}/ip-range-entries`, { cidr });
    return { module: id, entry: entryId };
  }

  /** The same by the fast path and the ordinary one. */
  async lookup(q: string): Promise<Body & { not_announced: Body[] }> {
    const path = `/v1/lookup?q=${q}`;
    // What other processes committed is seen a moment later; what this one did, at once.
    await this.service.call('PATCH', '/v1/settings', { body: { committed: true } });
    const first = await this.service.call('GET', path);
    expect(first.status, first.text).toBe(200);
    const headers = { origin: 'https://console.example.net' };
    for (let time = 0; time < 3; time++) {
      expect((await this.service.call('GET', path)).text).toBe(first.text);
      expect((await this.service.call('GET', path, { headers })).text).toBe(first.text);
    }
    return first.body as Body & { not_announced: Body[] };
  }

  async why(q: string): Promise<Body[]> {
    return (await this.lookup(q)).not_announced;
  }

  revise(...prefixes: string[]): Promise<string> {
    return makeRevision(this.service, this.service.tenant, this.community, prefixes);
  }

  /** The speaker at this place runs the revision. */
  runs(place: number, revision: string) {
    return this.run(
      'UPDATE speaker SET applied_revision_id = $2, applied_at = now() WHERE id = $1',
      this.speakers[place],
      revision,
    );
  }
}

/** Starts before the tests of the calling file, is without revisions and peers before each, and ends after them. */
export function useLookups(): LookupScene {
  const scene = new LookupScene();
  beforeAll(() => scene.start());
  beforeEach(() => scene.reset());
  afterAll(() => scene.service?.close());
  return scene;
}
