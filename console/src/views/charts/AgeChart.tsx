import { formatNumber } from '../../strings/format.ts';
import { Chart } from './Chart.tsx';

export interface AgeGroup {
  readonly label: string;
  readonly good: number;
  readonly bad: number;
}

interface AgeChartProps {
  readonly title: string;
  readonly summary: string;
  readonly groups: readonly AgeGroup[];
  readonly names: { readonly age: string; readonly good: string; readonly bad: string };
  readonly file: string;
}

/** How many are how old; those that are not well stand on those that are. */
export function AgeChart({ title, summary, groups, names, file }: AgeChartProps) {
  return (
    <Chart
      title={title}
      summary={summary}
      kind="bars"
      places={groups.map(({ label }, at) => ({ at, label }))}
      series={[
        // All of them, of which the good ones cover theirs.
        {
          ...{ label: names.bad, colour: '--bad', pattern: 'hatched' },
          values: groups.map(({ good, bad }) => (bad === 0 ? null : good + bad)),
          shown: groups.map(({ bad }) => bad),
        },
        {
          ...{ label: names.good, colour: '--good' },
          values: groups.map(({ good }) => (good === 0 ? null : good)),
        },
      ]}
      isWhole
      format={formatNumber}
      rows={groups}
      columns={[
        { name: names.age, value: ({ label }) => label, cell: ({ label }) => label },
        {
          ...{ name: names.good, isNumber: true },
          value: ({ good }) => good,
          cell: ({ good }) => formatNumber(good),
        },
        {
          ...{ name: names.bad, isNumber: true },
          value: ({ bad }) => bad,
          cell: ({ bad }) => formatNumber(bad),
        },
      ]}
      keyOf={({ label }) => label}
      file={file}
    />
  );
}
