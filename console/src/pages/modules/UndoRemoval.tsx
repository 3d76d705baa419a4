import { carryOut } from '../../service/writes.ts';
import { Removed } from '../../views/forms/Removed.tsx';

interface UndoRemovalProps {
  readonly moduleId: string;
  readonly said: string;
  /** Of just this removal, whatever else is removed meanwhile; null: nothing is kept of it. */
  readonly batch: string | null;
}

/** In a toast: entries that were deleted come back by a key, and what did not is said. */
export function UndoRemoval({ moduleId, said, batch }: UndoRemovalProps) {
  if (batch === null) return said;
  const path = `/v1/modules/${moduleId}/entries/restore`;
  return (
    <Removed
      said={said}
      restore={async () => {
        const answer = await carryOut({ method: 'POST', path, body: { batch } });
        // Seldom needed, and the page is near its budget.
        return (await import('./restored-text.ts')).restoredText(answer);
      }}
      restored={String}
    />
  );
}
