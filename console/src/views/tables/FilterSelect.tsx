import { useNavigate } from '@tanstack/react-router';
import type { Choice } from '../forms/RecordForm.tsx';

interface FilterSelectProps {
  readonly label: string;
  /** Of the parameter in the address. */
  readonly name: string;
  readonly value: string | undefined;
  readonly all: string;
  readonly choices: readonly Choice[];
}

/** A filter that is a part of the address. */
export function FilterSelect({ label, name, value, all, choices }: FilterSelectProps) {
  const navigate = useNavigate();
  return (
    <select
      className="input filter-select"
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) =>
        void navigate({
          to: '.',
          search: ((before: object) => {
            const rest = Object.entries(before).filter(([key]) => key !== name);
            return Object.fromEntries(target.value === '' ? rest : [...rest, [name, target.value]]);
          }) as never,
          replace: true,
        })
      }
    >
      <option value="">{all}</option>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
