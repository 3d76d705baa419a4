/** Windows of forms: no page begins with one, and their scripts come behind those of pages. */
import { later } from '../../design/behaviour/later.tsx';
import type { CreateDialogProps, EditDialogProps } from './RecordDialog.tsx';

export const CreateDialog = later<CreateDialogProps>(
  async () => (await import('./RecordDialog.tsx')).CreateDialog,
);
export const EditDialog = later<EditDialogProps>(async () => (await import('./RecordDialog.tsx')).EditDialog);
