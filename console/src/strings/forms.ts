import { formatDateTime } from './format.ts';

export const formText = {
  create: 'Create',
  save: 'Save',
  edit: 'Edit',
  delete: 'Delete',
  saved: 'Saved.',
  created: (name: string) => `${name} was created.`,
  deleted: (name: string) => `${name} was deleted.`,
  undo: 'Undo',
  restored: 'It is back as it was.',
  undoneBack: '“Undo”, in the message that follows, makes it again. Once the message has gone, nothing does.',
  secretBack: 'It cannot be taken back: what it keeps secret goes with it, and a new one has another secret.',
  changedBack: 'To take it back, change it back in the same form.',
  deleteTitle: (name: string) => `Delete ${name}`,
  editTitle: (name: string) => `Change ${name}`,
  actions: 'Actions',
  unset: '–',
  linesHint: 'One a line.',
  outdated: 'Somebody else changed this while you edited it',
  outdatedWhat: 'Nothing is saved yet. Take what is there now, or overwrite it with yours.',
  changedBy: 'Changed by',
  deletedBy: 'Deleted by',
  /** Before when that was. */
  expired: 'It has left by itself, at its end:',
  again: 'Make it again',
  againWhat: 'What you have written is still here. Made again, it has that, and is a new one to the service.',
  /** Of the reader as well, who may have done it in another tab. */
  theirRecord: 'What was changed',
  field: 'Field',
  theirs: 'There now',
  yours: 'Yours',
  takeTheirs: 'Take what is there',
  overwrite: 'Overwrite it',
  unsaved: 'Not saved yet',
  unsavedForm: 'What you have written is not saved. It is lost when you leave.',
  mayNotChange: 'Your key may not change this: it is shown as it is.',
  mayNotSave:
    'Your key may not change this, so what is written here cannot be saved with it. Sign in with a key that may: “Another tenant” takes one of this tenant, too, and what is written stays.',
  stay: 'Stay',
  leave: 'Leave without saving',
} as const;

/** As programs write it; forms have the clock of whoever looks. */
const MOMENT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?= is over)/g;

/** What the service says of a value, where it stands in a field: whoever writes there sends null by leaving it empty. */
export function inWordsOfForms(said: string | undefined): string | undefined {
  return said
    ?.replace(/, or null(?=;|$)/, ', or empty')
    .replace(/, or null for /, ', or leave it empty for ')
    .replaceAll(MOMENT, (time) => formatDateTime(time));
}
