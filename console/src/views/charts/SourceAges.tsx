import type { Source } from '../../service/operations.ts';
import { chartText } from '../../strings/charts.ts';
import { AgeChart } from './AgeChart.tsx';
import { A_DAY, countBySpan, SOURCE_SPANS } from './age-spans.ts';
import { NoChart } from './Chart.tsx';

const said = chartText.sources;

/** When sources were read last. */
export function SourceAges({ sources }: { sources: readonly Source[] }) {
  if (sources.length === 0) return <NoChart title={said.title} why={said.none} />;
  const isWell = ({ status }: Source): boolean => status === 'ok';
  const [good, bad] = [sources.filter(isWell), sources.filter((source) => !isWell(source))];
  const [goodCounts, badCounts] = [good, bad].map((some) => countBySpan(SOURCE_SPANS, agesOf(some))) as [
    number[],
    number[],
  ];
  const neverOf = (some: readonly Source[]) => some.filter(({ age_seconds: age }) => age === null).length;
  const old = sources.filter(({ age_seconds: age }) => age === null || age >= A_DAY).length;
  return (
    <AgeChart
      title={said.title}
      summary={said.summary(old, sources.length)}
      groups={[
        ...SOURCE_SPANS.map(({ label }, at) => ({ label, good: goodCounts[at]!, bad: badCounts[at]! })),
        { label: said.never, good: neverOf(good), bad: neverOf(bad) },
      ]}
      names={{ age: said.age, good: said.ok, bad: said.faulty }}
      file="sources-by-age"
    />
  );
}

function agesOf(sources: readonly Source[]): number[] {
  return sources.flatMap(({ age_seconds: age }) => (age === null ? [] : [age]));
}
