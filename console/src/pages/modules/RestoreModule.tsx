import { useNavigate } from '@tanstack/react-router';
import { useToast } from '../../design/messages/Toasts.tsx';
import type { RemovedModule } from '../../service/queries.ts';
import { removedText } from '../../strings/removed.ts';
import { PlanDialog } from '../../views/revisions/PlanDialog.ts';

interface RestoreModuleProps {
  readonly module: Pick<RemovedModule, 'id' | 'name'>;
  readonly onClose: () => void;
  /** Without it, the page of the module is opened. */
  readonly onDone?: () => void;
}

/** What would be announced again, and then the module as it was. */
export function RestoreModule({ module: { id, name }, onClose, onDone }: RestoreModuleProps) {
  const toast = useToast();
  const navigate = useNavigate();
  return (
    <PlanDialog
      title={removedText.restoreTitle(name)}
      action={removedText.restore}
      writes={[{ method: 'POST', path: `/v1/modules/${id}/restore`, body: {} }]}
      back={null}
      isOpen
      onClose={onClose}
      onDone={() => {
        onClose();
        toast(removedText.restored(name));
        if (onDone !== undefined) onDone();
        else void navigate({ to: '/modules/$moduleId', params: { moduleId: id } });
      }}
    />
  );
}
