/** The columns of a grid, for who hears it: what is in a cell shows by itself. Rows come behind it, from the second on. */
export function GridHead({ columns }: { readonly columns: readonly string[] }) {
  return (
    <div role="rowgroup" className="visually-hidden">
      <div role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <span key={column} role="columnheader">
            {column}
          </span>
        ))}
      </div>
    </div>
  );
}
