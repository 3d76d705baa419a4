import { useMutation } from '@tanstack/react-query';
import { Button } from '../../design/controls/Button.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { savedColumns, type Column } from './column.ts';
import { downloadCsv } from './csv.ts';

/** The rows of a list that is read page by page: those that are not there yet as well. */
export interface AllRows<Row> {
  readonly rows: readonly Row[];
  /** The list has more than a page should hold. */
  readonly isCut: boolean;
}

interface SaveRowsProps<Row> {
  /** Of the file, without its ending. */
  readonly file: string;
  readonly columns: readonly Column<Row>[];
  /** In their order, and as they are filtered. */
  readonly arrange: (rows: readonly Row[]) => readonly Row[];
  readonly readAll: () => Promise<AllRows<Row>>;
}

/** Saves what a table is of as CSV. */
export function SaveRows<Row>({ file, columns, arrange, readAll }: SaveRowsProps<Row>) {
  const toast = useToast();
  const saving = useMutation({
    mutationFn: async () => {
      const read = await readAll();
      for (const { prepare } of columns) await prepare?.(read.rows);
      return read;
    },
    onSuccess: ({ rows, isCut }) => {
      downloadCsv(file, columns.flatMap(savedColumns), arrange(rows));
      if (isCut) toast(text.savedFirst(formatNumber(rows.length)));
    },
    onError: (error) => toast(error.message),
  });
  return (
    <Button title={text.exportCsv} isBusy={saving.isPending} onClick={() => saving.mutate()}>
      {text.csv}
    </Button>
  );
}
