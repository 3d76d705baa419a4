import type { DialogProps } from './DialogPopup.tsx';
import { later } from '../behaviour/later.tsx';

/** See {@link DialogProps}; what it is made of is a third of what a first page would load, and no page begins with a dialog. */
export const Dialog = later<DialogProps>(async () => (await import('./DialogPopup.tsx')).DialogPopup);
