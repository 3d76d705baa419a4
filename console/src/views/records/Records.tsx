import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Permission } from '../../../../src/api/access/permissions.ts';
import { Empty } from '../../design/messages/Empty.tsx';
import { OFFERED, useToast } from '../../design/messages/Toasts.tsx';
import { useMay } from '../../service/permissions.ts';
import { carryOut, type Members } from '../../service/writes.ts';
import { formText } from '../../strings/forms.ts';
import type { Column } from '../tables/column.ts';
import { RowAction } from '../tables/RowAction.tsx';
import { CreateButton } from './CreateButton.tsx';
import { List } from './List.tsx';
import { PlanDialog } from '../revisions/PlanDialog.ts';
import { CreateDialog, EditDialog } from '../forms/record-dialogs.ts';
import { Removed } from '../forms/Removed.tsx';
import { bodyAgain, type FormField } from '../forms/RecordForm.tsx';

interface RecordsProps<Row> {
  readonly title: string;
  readonly query: UseQueryResult<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
  /** Of the list; each record is below it by its id. */
  readonly path: string;
  readonly fields: readonly FormField[];
  readonly permission: Permission;
  readonly nameOf: (row: Row) => string;
  readonly empty: { readonly title: string; readonly what: string; readonly command: string };
  /** What making one is called. */
  readonly create: string;
  readonly onCreated?: (created: Members) => void;
  /** More that can be done with one. */
  readonly actionsOf?: (row: Row) => ReactNode;
  /** Each has a page, to which its name leads; else its form is what its row leads to. */
  readonly hasPages?: boolean;
  /** What is to be known before one is deleted, besides what that would announce and withdraw. */
  readonly beforeDeletion?: (row: Row) => ReactNode;
  /** What else is to be known before changes of one are saved; null: nothing. */
  readonly warningOf?: (row: Row, changes: Members) => string | null;
  /** Where one that was deleted can be made again. */
  readonly madeAgain?: MadeAgain<Row>;
}

interface MadeAgain<Row> {
  /** Members that no field of the form writes. */
  readonly also?: readonly string[];
  /** It has something that the service never shows, such as a password. */
  readonly unless?: (row: Row) => boolean;
  /** What is not as it was, once it is back. */
  readonly said?: string;
}

type Open<Row> = { readonly what: 'create' } | { readonly what: 'edit' | 'delete'; readonly row: Row } | null;

/** A list of resources, with the forms that make and change one, and the plan before one is deleted. */
export function Records<Row extends { readonly id: string }>(props: RecordsProps<Row>) {
  const { title, query, columns, permission, nameOf, empty, create, actionsOf, hasPages = false } = props;
  const [open, setOpen] = useState<Open<Row>>(null);
  const may = useMay();
  const canWrite = may(permission);
  const creating = canWrite && <CreateButton action={create} onCreate={() => setOpen({ what: 'create' })} />;
  const actions: Column<Row> = {
    ...{ name: formText.actions, isActions: true, value: () => '' },
    cell: (row) => (
      <>
        {actionsOf?.(row)}
        <RowAction {...(hasPages ? {} : { 'data-opens': '' })} onClick={() => setOpen({ what: 'edit', row })}>
          {formText.edit}
        </RowAction>
        <RowAction onClick={() => setOpen({ what: 'delete', row })}>{formText.delete}</RowAction>
      </>
    ),
  };
  return (
    <>
      <List
        query={query}
        caption={title}
        columns={canWrite ? [...columns, actions] : columns}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        file={title}
        tools={creating}
        empty={<Empty {...empty} action={creating} />}
      />
      <Dialogs {...props} open={open} onClose={() => setOpen(null)} />
    </>
  );
}

interface DialogsProps<Row> extends RecordsProps<Row> {
  readonly open: Open<Row>;
  readonly onClose: () => void;
}

function Dialogs<Row extends { readonly id: string }>(props: DialogsProps<Row>) {
  const { path, fields, nameOf, create, onCreated, open, onClose, beforeDeletion, warningOf, madeAgain } =
    props;
  const toast = useToast();
  if (open === null) return null;
  const showMade = (created: Members): void => {
    onClose();
    if (onCreated === undefined) toast(formText.created(nameOf(created as unknown as Row)));
    else onCreated(created);
  };
  if (open.what === 'create')
    return (
      <CreateDialog title={create} path={path} fields={fields} isOpen onClose={onClose} onDone={showMade} />
    );
  const name = nameOf(open.row);
  const one = `${path}/${open.row.id}`;
  const isSecret = madeAgain?.unless?.(open.row) === true;
  const again = { method: 'POST', path, body: bodyAgain(open.row, fields, madeAgain?.also) } as const;
  if (open.what === 'edit')
    return (
      <EditDialog
        title={formText.editTitle(name)}
        path={one}
        fields={fields}
        warningOf={(changes) => warningOf?.(open.row, changes) ?? null}
        again={isSecret ? null : { write: again, onMade: showMade }}
        isOpen
        onClose={onClose}
        onDone={() => {
          onClose();
          toast(formText.saved);
        }}
      />
    );
  return (
    <PlanDialog
      title={formText.deleteTitle(name)}
      action={formText.delete}
      look="danger"
      writes={[{ method: 'DELETE', path: one }]}
      back={madeAgain === undefined || isSecret ? formText.secretBack : formText.undoneBack}
      isOpen
      onClose={onClose}
      onDone={() => {
        onClose();
        if (madeAgain === undefined || isSecret) toast(formText.deleted(name));
        else
          toast(
            <Removed
              said={formText.deleted(name)}
              restore={() => carryOut(again)}
              {...(madeAgain.said === undefined ? {} : { restored: madeAgain.said })}
            />,
            OFFERED,
          );
      }}
    >
      {beforeDeletion?.(open.row)}
    </PlanDialog>
  );
}
