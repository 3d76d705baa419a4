/** Headings of a file that a table is saved to, which say what the table says in its rows. */
export const columnText = {
  ofFamily: (column: string, family: string) => `${column} ${family}`,
  inSeconds: (column: string) => `${column} (seconds)`,
  inBytes: (column: string) => `${column} (bytes)`,
} as const;
