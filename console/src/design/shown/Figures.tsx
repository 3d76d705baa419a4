import './figures.css';

interface FiguresProps {
  readonly label: string;
  /** Each with its name. */
  readonly figures: readonly (readonly [string, string])[];
}

/** Numbers to be read from afar. */
export function Figures({ label, figures }: FiguresProps) {
  return (
    <dl className="figures" aria-label={label}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt className="muted">{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
