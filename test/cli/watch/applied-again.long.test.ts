/** A list that returns to an earlier revision: `history`, `why` and `revision show` say each time. */
import { expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { mustType, type } = desk;

interface Ran {
  readonly id: string;
  readonly number: number;
  readonly applied_periods: readonly { readonly from: string; readonly until: string | null }[];
}

const applied = () => desk.casting.service.get<Ran>('/v1/revisions/applied');
const read = ({ id }: Ran) => desk.casting.service.get<Ran>(`/v1/revisions/${id}`);

test('a prefix was announced from then to then, and is again since', async () => {
  await mustType('community create 64500:666 --title Drop');
  await mustType('module create scanners --type IP_RANGES --community Drop');
  await mustType('entry add scanners 18.2.0.0/24 --wait');
  const old = await applied();
  await mustType('entry add scanners 18.4.0.0/24 --wait');
  const late = await applied();
  await mustType(`revision apply ${old.number} --yes --wait`);
  const left = (await read(late)).applied_periods[0]!;
  const history = `${left.from} to ${left.until} at builtin`;
  expect(await mustType('history 18.4.0.1')).toContain(history);
  const not = await type('why 18.4.0.1');
  expect(not.code).toBe(1);
  expect(not.out).toContain(
    `Announced before:\n  18.4.0.0/24 from ${left.from} to ${left.until} at builtin, when it had revision ${old.number}\n`,
  );
  expect(await mustType(`revision show ${old.number}`)).toMatch(
    new RegExp(`^applied_periods +from ${left.until}$\n +from \\S+, until ${left.from}$`, 'm'),
  );

  await mustType(`revision rollback ${late.number} --yes --wait`);
  const back = await waitFor(
    async () => {
      const revision = await applied();
      return revision.number > late.number && revision;
    },
    { what: 'the rollback to be applied' },
  );
  const [again] = (await read(back)).applied_periods;
  expect(await mustType('history 18.4.0.1')).toContain(`${history}, since ${again!.from} again`);
  expect(await mustType('why 18.4.0.1')).toContain(
    `since ${again!.from}, revision ${late.number}; before that from ${left.from} to ${left.until}\n`,
  );
});
