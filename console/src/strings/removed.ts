import { count, formatNumber, shellWord } from './format.ts';

/** Of what was deleted of lists and can come back. */
export const removedText = {
  tabs: { label: 'Modules and those that were deleted', present: 'Modules', deleted: 'Deleted' },
  title: 'Deleted modules',
  deleted: 'deleted',
  name: 'Name',
  type: 'Type',
  entries: 'Entries',
  names: 'Such as',
  when: 'Deleted',
  by: 'By',
  until: 'Kept until',
  back: 'Restored',
  restore: 'Restore',
  restoreTitle: (name: string) => `Restore ${name}`,
  restoreEntries: (value: number) => `Restore ${count(value, 'entry', 'entries')}`,
  restored: (name: string) => `${name} is back.`,
  restoredEntries: (value: number, there: number, expired: number) =>
    [
      `${count(value, 'entry is', 'entries are')} back.`,
      ...(there > 0 ? [`${formatNumber(there)} had been added again, and stay as they are.`] : []),
      ...(expired > 0 ? [`${count(expired, 'has', 'have')} expired.`] : []),
    ].join(' '),
  emptyTitle: 'No module was deleted',
  emptyWhat: 'A module that is deleted is kept for a while, with its entries, and can be restored here.',
  emptyCommand: 'prefixcast module list --deleted',
  nothingTitle: 'Nothing was deleted',
  nothingWhat: 'Entries that are deleted are kept for a while, and can be restored here.',
  nothingCommand: (module: string) => `prefixcast entry removed ${shellWord(module)}`,
  entriesTitle: 'Deleted entries',
  gone: 'The module was deleted.',
  meanwhile: 'The module was deleted while you were writing',
  meanwhileWhat: 'What you have written is still here. Restore the module, and save it then.',
  goneHeld: 'The module was deleted, and routers keep its routes: a guardrail holds the deletion.',
} as const;
