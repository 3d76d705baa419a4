/** A canary whose router refuses the routes: what a command says of it, and what a rollback then changes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { PEER_ASN, SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a canary whose router refuses a revision', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;

  beforeAll(async () => {
    const { bird, address } = await desk.casting.startBird();
    const session = { address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true };
    await bird.configure({
      localAsn: PEER_ASN,
      neighbors: [{ ...session, families: ['ipv4'], importLimit: 2, importLimitAction: 'disable' }],
    });
    await mustType(
      `peer create edge1 --address ${address} --port ${bird.port} --asn ${PEER_ASN} --speaker builtin --wait`,
    );
    await mustType('speaker create second --daemon builtin --asn 64512 --yes');
    await mustType('module create hosts --type IP_RANGES');
    await mustType('entry add hosts 6.8.0.1/32 6.9.0.1/32 --wait');
    await bird.waitRoutes(2);
    await mustType('settings set deploy_canary_speaker_ids builtin');
    await mustType('settings set deploy_canary_soak_seconds 5');
  });

  test('is named once on standard error, with what was skipped', async () => {
    const { code, err } = await type('entry add hosts 6.1.0.1/32 6.2.0.1/32 6.3.0.1/32 --wait');
    expect(code, err).toBe(1);
    const lines = err.trimEnd().split('\n');
    expect(lines, err).toHaveLength(new Set(lines).size);
    expect(err.match(/^edge1 at builtin /gm), err).toHaveLength(1);
    expect(err.match(/second was skipped/g), err).toHaveLength(1);
  });

  test('a rollback to what speakers run changes nothing at them, and says so', async () => {
    const { items } = JSON.parse(await mustType('revision list -o json')) as { items: { number: number }[] };
    const number = items[0]!.number - 1;
    const out = await mustType(`revision rollback ${number} --dry-run`);
    expect(out).toContain(
      'Routes: 0 announced, 3 withdrawn, 0 changed, compared with the latest revision\nNo speaker announces anything else then: what it announces now is the same\n',
    );
    const asked = await typeAtTerminal('n', `revision rollback ${number}`);
    expect(asked.text).toContain(
      'This withdraws 3 routes of the latest revision, which no speaker announces',
    );
  });
});
