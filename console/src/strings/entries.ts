import { count, formatNumber, shellWord } from './format.ts';

/** How many names of entries a window has before it counts the rest. */
const NAMED = 8;

/** One by its name. */
function entriesOf(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : count(names.length, 'entry', 'entries');
}

/** Entries that an undo deleted, wrote as they were, restored and left. */
interface TakenBack {
  readonly created: number;
  readonly changed: number;
  readonly restored: number;
  readonly expired: number;
  readonly staying: number;
}

export const entriesText = {
  tabs: {
    label: 'Parts of the module',
    held: 'Held',
    entries: 'Entries',
    text: 'As text',
    removed: 'Deleted',
    settings: 'Settings',
  },
  entries: 'Entries',
  /** Behind what each entry is called by. */
  columns: ['State', 'Communities, end and note'],
  order: 'Order',
  oldestFirst: 'Oldest first',
  newestFirst: 'Newest first',
  ascending: (key: string) => `${key}, ascending`,
  descending: (key: string) => `${key}, descending`,
  exportAll: 'Save all entries as CSV, which an import takes',
  filter: 'Filter by text, or by an address in them',
  add: 'Add an entry',
  addTitle: 'New entry',
  editTitle: (key: string) => `Change ${key}`,
  preview: 'Preview',
  save: 'Save',
  loaded: (loaded: number, all: number) =>
    `${formatNumber(loaded)} of ${count(all, 'entry', 'entries')} loaded`,
  found: (value: number, isAll: boolean) =>
    isAll
      ? `${count(value, 'entry has', 'entries have')} this`
      : `The first ${formatNumber(value)} that have this`,
  selected: (value: number) => `${formatNumber(value)} selected`,
  /** In a window about several. */
  gone: (value: number) =>
    `${count(value, 'more is', 'more are')} not in this list any more, and left out: somebody else was quicker.`,
  enable: 'Turn on',
  disable: 'Turn off',
  move: {
    action: 'Move',
    title: (names: readonly string[]) => `Move ${entriesOf(names)} to another module`,
    target: 'Module',
    targetHint:
      'They go there with their communities, ends and notes, and leave this list in the same revision.',
    noOther: 'There is no other module of this type: make one first, on the page Modules.',
    choose: 'Choose one',
    back: '“Undo”, in the message that follows, brings them back. Later, they are moved back in the same way.',
    moved: (value: number, module: string) => `${count(value, 'entry is', 'entries are')} in ${module} now.`,
  },
  remove: 'Delete',
  removeBack: 'They can be restored under “Deleted”, for as long as the setting removed_retention_days says.',
  disableBack: 'They come back when they are turned on again.',
  addedBack: 'To take it back, delete the entry again.',
  removeTitle: (names: readonly string[]) => `Delete ${entriesOf(names)}`,
  enableTitle: (names: readonly string[]) => `Turn on ${entriesOf(names)}`,
  disableTitle: (names: readonly string[]) => `Turn off ${entriesOf(names)}`,
  /** Which they are, where the title counts them. */
  which: (names: readonly string[]) =>
    names.length > NAMED
      ? `${names.slice(0, NAMED).join(', ')} and ${formatNumber(names.length - NAMED)} more`
      : names.join(', '),
  added: (entry: string) => `${entry} was added.`,
  addedToHeld: (entry: string) =>
    `${entry} was added. The list is held: what it brings reaches no router until that is released.`,
  addedToRolledBack: (entry: string) =>
    `${entry} was added. A rollback holds the list: once this is collected it counts as an edit, which may end that.`,
  changed: (entry: string) => `${entry} was changed.`,
  turnedOn: (entries: number) => `${count(entries, 'entry is', 'entries are')} on.`,
  turnedOff: (entries: number) => `${count(entries, 'entry is', 'entries are')} off.`,
  removed: (value: number) => `${count(value, 'entry was', 'entries were')} deleted.`,
  emptyTitle: 'No entries yet',
  emptyWhat: 'Entries say what the module collects. Add one, or write many as text.',
  emptyCommand: (module: string) => `prefixcast entry import ${shellWord(module)} entries.csv`,
  noneFound: 'No entry has this.',
  off: 'off',
  expires: 'Expires',
  status: {
    pending: 'not read yet',
    ok: 'ok',
    stale: 'stale',
    failed: 'failed',
  } as Readonly<Record<string, string>>,
  keys: {
    next: 'Next entry',
    previous: 'Previous entry',
    select: 'Select the entry',
    edit: 'Change the entry',
    remove: 'Delete what is selected',
    add: 'Add an entry',
    plan: 'Preview what the text would change',
    save: 'Save the text',
  },
  fields: {
    enabled: 'Enabled',
    communities: 'Communities',
    communitiesHint: 'None: that of the module.',
    expires: 'Expires at',
    expiresHint: 'It is deleted then, by the clock of this browser. Empty: never.',
  },
  text: {
    label: 'Entries as CSV',
    what: 'A header, then an entry a line. Ctrl-Enter previews, Ctrl-S saves.',
    mode: 'The text',
    replace: 'is the whole list',
    append: 'is added to the list',
    open: 'Open a file',
    drop: 'Drop a CSV file here, or write.',
    revert: 'Start again',
    export: 'Save as a file',
    unchanged: 'The text is what is stored. Change it to see what that would do.',
    readOnly:
      'The text is what is stored. Your key may not change lists: it can be read, searched, and saved as a file.',
    saveTitle: 'Save the text',
    saveBack:
      '“Undo”, in the message that follows, takes all of it back. What it deletes can be restored under “Deleted” as well.',
    nothingToSave: 'There is nothing to save.',
    mayNotSave:
      'Your key may not change lists, so this text cannot be saved with it. Sign in with a key that may: “Another tenant” takes one of this tenant, too, and the text stays.',
    unsaved: 'The text has changes that are not saved. They are lost when you leave.',
    saved: (created: number, updated: number, deleted: number) =>
      `Saved: ${formatNumber(created)} new, ${formatNumber(updated)} changed, ${formatNumber(deleted)} deleted.`,
    /** What an undo of a save did. */
    takenBack: ({ created, changed, restored, expired, staying }: TakenBack) =>
      [
        'Taken back:',
        `${formatNumber(created)} new ${created === 1 ? 'one is' : 'ones are'} deleted,`,
        `${formatNumber(changed)} changed ${changed === 1 ? 'one is' : 'ones are'} as before,`,
        `${formatNumber(restored)} deleted ${restored === 1 ? 'one is' : 'ones are'} back.`,
        ...(expired > 0 ? [`${count(expired, 'has', 'have')} expired.`] : []),
        ...(staying > 0
          ? [`${count(staying, 'entry stays', 'entries stay')}: somebody else has changed the list since.`]
          : []),
      ].join(' '),
    faults: (value: number) => `${count(value, 'line is', 'lines are')} not right`,
    putCommas: 'The cells are separated by “;”: put commas there',
    unreadable: (file: string) =>
      `${file} is not a text file in UTF-8, so nothing of it was taken. Save a table as “CSV UTF-8”, and open that.`,
    notSaved: 'The service is back, and nothing was saved: what you have written is still here.',
    perhapsSaved:
      'The service is back, and the list has changed: your save may have been made. What your text would still change stands beside it.',
    fileTaken: 'The file took the place of what was written. Ctrl-Z in the text brings that back.',
    reverted: 'Ctrl-Z in the text brings back what was written.',
    putPrefixes: (ranges: number) =>
      ranges === 1
        ? 'Put the prefixes of the range there'
        : `Put the prefixes of ${formatNumber(ranges)} ranges there`,
    putHeader: 'Put the missing header above these lines',
    complete: (value: number) => `Complete ${count(value, 'line', 'lines')} with empty cells`,
    line: (number: number) => `Line ${formatNumber(number)}`,
    steps: {
      previewed: (lines: number) => `What ${count(lines, 'line')} would change is being computed …`,
      planned: (lines: number) =>
        `Step 1 of 2: what ${count(lines, 'line')} would change is being computed, before anything is saved …`,
      stored: (lines: number) => `Step 2 of 2: ${count(lines, 'line is', 'lines are')} being saved …`,
    },
    large: 'The text is long: it is previewed when you ask for it.',
    outdated: 'The list has changed since you began',
    outdatedWhat: (value: number) =>
      `${count(value, 'line is', 'lines are')} not as you began with. Yours were put on top of theirs: look, then save once more.`,
    contested: (value: number) =>
      `${count(value, 'line was', 'lines were')} changed here as well. If you save, yours take the place of theirs:`,
    deleted: 'deleted',
    changedBy: 'Who changed them',
    theirRecord: 'What was changed',
  },
  settings: {
    saved: 'Saved.',
    remove: 'Delete the module',
    removeTitle: (name: string) => `Delete ${name}`,
    removeBack:
      'It can be restored with its entries: on the page Modules, under “Deleted”, for as long as the setting removed_retention_days says.',
    removed: (name: string) => `${name} was deleted.`,
    create: 'New module',
    name: 'Name',
    description: 'Description',
    type: 'Type',
    purpose: 'Purpose',
    enabled: 'Enabled',
    community: 'Community',
    communityHint: 'Which its routes carry. None: the setting default_community_id.',
    families: 'Families',
    interval: 'Seconds between refreshes',
    intervalHint: '60 at least. Empty: by hand only.',
    resolvers: 'Resolvers',
    resolversHint: 'Whom it asks for addresses: see the page Resolvers.',
    canBeEmpty: 'Accept an answer without prefixes',
    canBeEmptyHint: 'Otherwise its last good prefixes are kept.',
  },
} as const;
