import { useNow } from '../../design/behaviour/now.tsx';
import type { Speaker } from '../../service/queries.ts';
import { chartText } from '../../strings/charts.ts';
import { AgeChart } from './AgeChart.tsx';
import { AN_HOUR, countBySpan, SESSION_SPANS } from './age-spans.ts';
import { NoChart } from './Chart.tsx';

const said = chartText.sessions;
const MINUTE = 60_000;

/** Since when sessions are as they are: those that came back of late stand at the left, beside those that are down. */
export function SessionAges({ speakers }: { speakers: readonly Speaker[] }) {
  const now = Math.ceil(useNow() / MINUTE) * MINUTE;
  const sessions = speakers
    .filter(({ enabled }) => enabled)
    .flatMap(({ live }) => live?.sessions ?? [])
    .map(({ state, since }) => ({
      ...{ isUp: state === 'established', age: Math.max(0, now - Date.parse(since)) / 1_000 },
    }));
  if (sessions.length === 0) return <NoChart title={said.title} why={said.none} />;
  const up = sessions.filter(({ isUp }) => isUp).map(({ age }) => age);
  const down = sessions.filter(({ isUp }) => !isUp).map(({ age }) => age);
  const [upCounts, downCounts] = [up, down].map((ages) => countBySpan(SESSION_SPANS, ages)) as [
    number[],
    number[],
  ];
  return (
    <AgeChart
      title={said.title}
      summary={said.summary(up.length, sessions.length, up.filter((age) => age < AN_HOUR).length)}
      groups={SESSION_SPANS.map(({ label }, at) => ({ label, good: upCounts[at]!, bad: downCounts[at]! }))}
      names={{ age: said.age, good: said.up, bad: said.down }}
      file="sessions-by-age"
    />
  );
}
