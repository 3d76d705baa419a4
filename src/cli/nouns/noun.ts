/** What commands know of a resource: data, so that a whole table of nouns costs a small command next to nothing. */

export type NounName =
  | 'module'
  | 'community'
  | 'speaker'
  | 'peer'
  | 'doh'
  | 'key'
  | 'tenant'
  | 'rule'
  | 'client'
  | 'policy'
  | 'feed'
  | 'webhook';

export interface Column {
  readonly title: string;
  /** A member, `a.b` for one inside another; or what is shown of the item. */
  readonly of: string | ((item: Item) => unknown);
  /** With `-o wide` and `-o csv` only. */
  readonly isWide?: true;
  /** On a terminal that is too narrow for all columns, it is left out: those of large numbers first. */
  readonly minor?: number;
  /** The value is an id, or several, of this noun: the name is shown. */
  readonly noun?: NounName;
}

export type Item = Readonly<Record<string, unknown>>;

export type FieldKind =
  | 'text'
  | 'number'
  | 'asn'
  | 'duration'
  | 'flag'
  | 'list'
  | 'reference'
  | 'references'
  | 'json'
  /** Read from a file or standard input, never from the command line. */
  | 'secret';

/** A member that an option sets. */
export interface Field {
  readonly member: string;
  /** The member is an object, and this one in it is set; others in it stay. */
  readonly inner?: string;
  readonly kind: FieldKind;
  readonly noun?: NounName;
  readonly choices?: readonly string[];
  /** What help calls its value. */
  readonly value?: string;
  readonly about: string;
  /** It cannot be changed later. */
  readonly isFixed?: true;
  /** Nothing is created without it. */
  readonly isRequired?: true;
  /** The service means all by an empty list, so that nobody may write `none` and get all: what to write instead of it. */
  readonly emptyMeansAll?: { readonly insteadOfNone: string };
}

export interface Noun {
  readonly name: NounName;
  /** How sentences call several. */
  readonly plural: string;
  /** What is typed before the verb. */
  readonly words: string;
  readonly path: string;
  /** Members by which it is named; the first is what `create` takes, and what `edit` and `delete` go by. */
  readonly names: readonly [string, ...string[]];
  /** Members that have the name as well, where nothing else is said of them. */
  readonly calledAlike?: readonly string[];
  /** Another member that names it to `edit` and `delete` too, written exactly. */
  readonly exactName?: string;
  /** Its list takes no text to search for. */
  readonly isUnsearchable?: true;
  readonly columns: readonly Column[];
  readonly fields: Readonly<Record<string, Field>>;
  /** What people call members that no option sets. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What `create` prints beside the name, such as a secret that is shown once. */
  readonly secret?: string;
  /** Whether its secret can be replaced by another, and the old one stay good for a while beside it. */
  readonly rotates?: 'at once' | 'with grace';
  /** What says that one is there for the record alone: names are free for others then. */
  readonly endedBy?: { readonly member: string; readonly word: string };
  /** Members with the id of what it belongs to, which distinguishes those of one name. */
  readonly ofOthers?: readonly { readonly member: string; readonly noun: NounName }[];
  /** What speakers announce depends on it: its end withdraws routes by itself. */
  readonly isAnnouncing?: true;
  /** What was deleted of it can be put back. */
  readonly isRestorable?: true;
  /** Created by other means. */
  readonly isFound?: true;
  /** Arguments of an example for `create`. */
  readonly example: string;
  /** Options of one for `edit`, where it cannot be disabled. */
  readonly exampleEdit?: string;
}

export function column(title: string, of: Column['of'], noun?: NounName): Column {
  return noun === undefined ? { title, of } : { title, of, noun };
}

/** @param rank of those that a narrow terminal does without; the largest goes first */
export function minor(rank: number, title: string, of: Column['of'], noun?: NounName): Column {
  return { ...column(title, of, noun), minor: rank };
}

export function wide(title: string, of: Column['of'], noun?: NounName): Column {
  return { ...column(title, of, noun), isWide: true };
}
