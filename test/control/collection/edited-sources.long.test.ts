/** Sources that operators edit while a refresh reads them. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { CdnSource, CdnSourcePatch } from '../../../src/api/entries/cdn-sources.ts';
import { changeCdnSource } from '../../../src/control/entries/cdn-sources.ts';
import { getCdnSource } from '../../../src/store/entries/cdn-sources.ts';
import { waitFor } from '../../daemons/wait.ts';
import { useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

/** A source that keeps who asks waiting until it is let go. */
function gate(path: string, body: string): { readonly asked: () => boolean; open(): void } {
  let asked = false;
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  plane.answers.set(path, (_request, response) => {
    asked = true;
    void opened.then(() => response.writeHead(200, { 'content-type': 'text/plain' }).end(body));
  });
  return { asked: () => asked, open };
}

const edit = (moduleId: string, id: string, patch: CdnSourcePatch): Promise<unknown> =>
  plane.run((tx) => changeCdnSource(tx, plane.context, moduleId, id, patch, null));
const source = async (moduleId: string, id: string): Promise<CdnSource> =>
  (await plane.run((tx) => getCdnSource(tx, moduleId, id))).resource;
const routesAfter = async (job: { readonly id: string }): Promise<string[]> => {
  const { revision_id: revisionId } = await plane.succeeded(job);
  return Object.keys(await plane.routes(String(revisionId)));
};

describe('what was read of a source of before it was edited', () => {
  test.each([
    ['what was there before', '11.0.0.0/24'],
    ['other prefixes', '12.0.0.0/24'],
  ])('does not take the place of %s, which were read of it since', async (_, now) => {
    const module = await guarded.addModule('edited');
    guarded.answer('/old', ['11.0.0.0/24']);
    const id = await guarded.addSource(module, '/old');
    await guarded.refresh(module);
    const old = gate('/old', '13.0.0.0/24');
    const slow = await plane.refresh(module);
    await waitFor(old.asked, { what: 'the slow refresh to ask' });
    guarded.answer('/new', [now]);
    const url = `${plane.lists.origin}/new`;
    await edit(module, id, { url });
    await guarded.refresh(module);
    old.open();
    expect(await routesAfter(slow)).toEqual([now]);
    expect(await source(module, id)).toMatchObject({ status: 'ok', url, prefix_count: { ipv4: 1 } });
  });

  test('brings nothing where it was never read before, and is no fault', async () => {
    const module = await guarded.addModule('corrected');
    guarded.answer('/good', ['14.0.0.0/24']);
    await guarded.addSource(module, '/good');
    const wrong = gate('/wrong', '13.0.0.0/24');
    const id = await guarded.addSource(module, '/wrong');
    const job = await plane.refresh(module);
    await waitFor(wrong.asked, { what: 'the refresh to ask' });
    guarded.answer('/right', ['12.0.0.0/24']);
    await edit(module, id, { url: `${plane.lists.origin}/right` });
    wrong.open();
    expect(await routesAfter(job)).toEqual(['14.0.0.0/24']);
    expect((await plane.job(job.id)).result).toMatchObject({ status: 'ok' });
    expect(await source(module, id)).toMatchObject({ status: 'pending', last_refreshed_at: null });
    expect(await routesAfter(await plane.refresh(module))).toEqual(['12.0.0.0/24', '14.0.0.0/24']);
  });

  test('counts where the edit has nothing to do with what it answers', async () => {
    const module = await guarded.addModule('renamed');
    const slow = gate('/slow', '13.0.0.0/24');
    const id = await guarded.addSource(module, '/slow');
    await edit(module, id, { headers: { b: '2', a: '1' } });
    const job = await plane.refresh(module);
    await waitFor(slow.asked, { what: 'the refresh to ask' });
    await edit(module, id, { name: 'other' });
    slow.open();
    expect(await routesAfter(job)).toEqual(['13.0.0.0/24']);
    expect(await source(module, id)).toMatchObject({ name: 'other', status: 'ok' });
  });
});
