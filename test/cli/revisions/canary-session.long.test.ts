/** A canary that nobody has a session with: what is urgent does not wait for it, and goes past it by the line that is printed. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a canary without a session', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let bird: Bird;

  beforeAll(async () => {
    const started = await desk.casting.startBird();
    ({ bird } = started);
    await mustType('speaker create canary --daemon builtin --asn 64512 --yes');
    await mustType(
      `peer create edge1 --address ${started.address} --port ${bird.port} --asn 64496 --speaker builtin --wait`,
    );
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create attacked --type IP_RANGES --community Drop');
    await mustType('module create clouds --type CDN_SOURCES --community Drop');
    await mustType('entry add attacked 6.0.0.1/32 --wait');
    await bird.waitRoutes(1);
    await mustType('settings set deploy_canary_speaker_ids canary');
    await mustType('settings set deploy_canary_soak_seconds 3600');
  });

  const PAST =
    /^To announce it to the other speakers now, with no canary that has shown whether routers bear it: prefixcast (revision apply \d+ --speaker builtin)$/m;

  test('fails at once, says so once, and what is urgent goes past it', async () => {
    const { code, err } = await type('entry add attacked 6.0.0.2/32 --wait --timeout 60s');
    expect(code, err).toBe(1);
    expect(err.match(/No canary has a session that is up/g), err).toHaveLength(1);
    expect(err).toMatch(/^builtin was skipped$/m);
    expect(await bird.routeCount()).toBe(1);

    const status = await type('status');
    expect(status.code).toBe(1);
    expect(status.out).toMatch(
      /not applied +revision \d+ at speaker builtin: since \S+: a canary failed, so it did not come here; prefixcast revision apply \d+ --speaker builtin goes past canaries, and nothing has shown that routers bear it\n +→ prefixcast apply retry --wait$/m,
    );
    expect((await type('apply status')).err).toMatch(PAST);

    const [, line] = PAST.exec(err) ?? [];
    expect(line, err).toBeDefined();
    await mustType(`${line!} --wait`);
    await bird.waitRoutes(2);
  });

  test('is said once of a list that is read first, too', async () => {
    desk.casting.sources.set('/list', (_request, response) => response.end('45.0.0.0/24\n'));
    const added = await type(
      `entry add clouds list --url ${desk.casting.sourceUrl}/list --wait --timeout 60s`,
    );
    expect(added.code, added.err).toBe(1);
    expect(added.err.match(/No canary has a session that is up/g), added.err).toHaveLength(1);
    expect(added.err).toMatch(PAST);
  });

  test('where nothing has failed, status names the apply that begins with canaries', async () => {
    await mustType('settings set auto_apply false');
    await mustType('entry add attacked 6.0.0.3/32');
    await mustType('revision build --wait=built');
    expect((await type('status')).out).toMatch(
      /not applied +revision \d+ at speaker builtin: [^→]*→ prefixcast revision apply \d+$/m,
    );
  });
});
