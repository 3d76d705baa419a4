import { Button } from '../../design/controls/Button.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';

interface CreateButtonProps {
  /** What making one is called. */
  readonly action: string;
  readonly onCreate: () => void;
}

/** Makes a new one of what is listed; `n` does the same, on every page that has one. */
export function CreateButton({ action, onCreate }: CreateButtonProps) {
  useShortcut('n', action, onCreate);
  return (
    <Button look="primary" onClick={onCreate}>
      {action}
    </Button>
  );
}
