import { later } from '../../design/behaviour/later.tsx';
import type { PlanDialogProps } from './PlanDialogPopup.tsx';

/** See {@link PlanDialogProps}; a plan and what it is shown with are a fifth of what a page with a form would load. */
export const PlanDialog = later<PlanDialogProps>(
  async () => (await import('./PlanDialogPopup.tsx')).PlanDialogPopup,
);
