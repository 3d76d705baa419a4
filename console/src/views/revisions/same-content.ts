/** What a revision says of its content, and of where it runs. */
interface KnownRevision {
  readonly number: number;
  readonly content_hash: string | null;
  readonly applied_on: readonly unknown[];
}

/**
 * Of each content that runs somewhere, the newest revision that runs with it. A refresh that changed nothing makes a revision that nobody has
 * to apply: routers have what it has.
 */
export function runningByContent(revisions: readonly KnownRevision[]): ReadonlyMap<string, number> {
  const running = revisions.filter(({ applied_on }) => applied_on.length > 0);
  return new Map(
    running
      .toSorted((one, other) => one.number - other.number)
      .flatMap(({ number, content_hash }) => (content_hash === null ? [] : [[content_hash, number]])),
  );
}

/** The number of the revision that runs with the same content, where this one runs nowhere; undefined: none does, as far as is known. */
export function runsAs(revision: KnownRevision, running: ReadonlyMap<string, number>): number | undefined {
  return revision.applied_on.length > 0 || revision.content_hash === null
    ? undefined
    : running.get(revision.content_hash);
}
