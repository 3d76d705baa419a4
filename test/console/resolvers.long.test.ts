/** Whether a resolver works: it is asked for a name that somebody chooses, and the answer says whether it is good. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { a, replyTo, soa, startDohServer, type DohServer } from '../sources/doh/server.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const REFUSED = 5;

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a resolver', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let server: DohServer;
  beforeAll(async () => {
    server = await startDohServer();
    scene = await Scene.open(
      await startEmptyWorld({
        ...{ APP_FETCH_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: server.certificates.caFile },
      }),
    );
    const { service } = scene;
    await service.post('/v1/doh-profiles', { name: 'corp', url: server.url });
    await scene.page.goto(`${scene.base}resolvers`);
    await signIn(scene.page, service.key);
    await press(scene.page, scene.button('Test: corp'));
  });
  afterAll(async () => {
    await scene?.close();
    await server?.close();
  });

  const ask = async (name: string) => {
    const field = scene.dialog().getByLabel('Name to ask it for');
    await waitFor(() => isFocused(field), { what: 'the focus in the name' });
    await scene.page.keyboard.press('Control+A');
    await scene.page.keyboard.type(name);
    await scene.page.keyboard.press('Enter');
  };

  test('that has addresses of the name works, and they stand beside it', async () => {
    server.answer = (asked) =>
      replyTo(asked, asked.type === 'A' ? [a(asked.name, '45.0.0.1', 7)] : [], {
        authorities: asked.type === 'A' ? [] : [soa('example')],
      });
    await ask('www.corp.example');
    const answer = scene.dialog().getByRole('status');
    await answer.getByText('www.corp.example: the resolver works.').waitFor();
    await answer.getByText('1 address', { exact: true }).waitFor();
    await answer.getByText('45.0.0.1', { exact: true }).waitFor();
    await answer.getByText('no addresses', { exact: true }).waitFor();
    expect(server.asked.at(-1)?.name).toBe('www.corp.example');
    expect(await scene.violations()).toEqual([]);
    await scene.page.setViewportSize({ width: 1280, height: 844 });
  });

  test('that knows no address of the name works as well, and says so', async () => {
    server.answer = (asked) => replyTo(asked, [], { authorities: [soa('example')] });
    await ask('nothing.corp.example');
    await scene.dialog().getByText('nothing.corp.example: the resolver works, and says that').waitFor();
  });

  test('that refuses does not work', async () => {
    server.answer = (asked) => replyTo(asked, [], { rcode: REFUSED });
    await ask('other.example');
    const answer = scene.dialog().getByRole('status');
    await answer.getByText('other.example: the resolver does not answer.').waitFor();
    await answer
      .getByText(/REFUSED/)
      .first()
      .waitFor();
    expect(await answer.getByText('no answer', { exact: true }).count()).toBe(2);
    expect(await scene.violations()).toEqual([]);
    await scene.page.setViewportSize({ width: 1280, height: 844 });
  });

  test('what is no name is said at the field', async () => {
    await ask('not a name');
    const field = scene.dialog().getByLabel('Name to ask it for');
    await waitFor(async () => (await field.getAttribute('aria-invalid')) === 'true', { what: 'the fault' });
    expect(scene.complaints).toEqual([]);
  });
});
