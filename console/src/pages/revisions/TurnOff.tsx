import { useInfiniteQuery } from '@tanstack/react-query';
import { useMay } from '../../service/permissions.ts';
import { diffQuery, type Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { ChangeCounts } from '../../views/difference/Counts.tsx';

interface TurnOffProps {
  readonly revision: Revision;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Modules with routes in what is undone: the one at fault can be turned off with it. */
export function TurnOff({ revision, chosen, onChange }: TurnOffProps) {
  const may = useMay();
  const difference = useInfiniteQuery(diffQuery('applied', String(revision.number)));
  const modules = difference.data?.pages[0]?.summary.by_module ?? [];
  if (!may('bgp:lists:write') || modules.length === 0) return null;
  return (
    <fieldset>
      <legend className="legend">{text.revisions.turnOff}</legend>
      {modules
        .filter(({ name }) => name !== null)
        .map(({ module_id: id, name, ...summary }) => (
          <label key={id} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
            <span>
              <span className="name">{name}</span> <ChangeCounts summary={summary} />
            </span>
          </label>
        ))}
      <p className="muted">{text.revisions.turnOffWhat}</p>
    </fieldset>
  );
}
