import type { Schemas } from '@prefixcast/client';
import { formText } from '../../strings/forms.ts';
import { removedText } from '../../strings/removed.ts';

/** Others may have added some of the entries again, and some may have expired: those are not as they were. */
export function restoredText(answer: unknown): string {
  const { restored, already_there: there, expired } = answer as Schemas['RestoredEntries'];
  return there + expired === 0 ? formText.restored : removedText.restoredEntries(restored, there, expired);
}
