import { later } from '../behaviour/later.tsx';
import type { LeaveDialogProps } from './DialogPopup.tsx';

/** See {@link LeaveDialogProps}; it comes with what all windows are made of. */
export const LeaveDialog = later<LeaveDialogProps>(
  async () => (await import('./DialogPopup.tsx')).LeaveDialog,
);
