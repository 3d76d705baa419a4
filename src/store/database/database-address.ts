/** Where a database is, in the words that `pg` and pg-boss both take. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };
