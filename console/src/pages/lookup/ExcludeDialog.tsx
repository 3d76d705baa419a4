import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Control } from '../../design/controls/Control.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { modulesQuery, type Module } from '../../service/queries.ts';
import type { Write } from '../../service/writes.ts';
import { excludeText } from '../../strings/lookup.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { PlanDialog } from '../../views/revisions/PlanDialog.ts';

interface ExcludeDialogProps {
  /** A prefix or an address. */
  readonly prefix: string;
  readonly onClose: () => void;
}

/** Takes a prefix out of whatever is announced, by an entry in a list that excludes; where there is none, by one that comes with it. */
export function ExcludeDialog(props: ExcludeDialogProps) {
  const modules = useQuery(modulesQuery);
  return (
    <Loaded query={modules}>
      {(all) => (
        <Excluding
          {...props}
          lists={all.filter(
            ({ purpose, type, enabled }) => purpose === 'exclude' && type === 'IP_RANGES' && enabled,
          )}
        />
      )}
    </Loaded>
  );
}

interface ExcludingProps extends ExcludeDialogProps {
  readonly lists: readonly Module[];
}

function Excluding({ prefix, lists, onClose }: ExcludingProps) {
  const [listId, setListId] = useState(lists[0]?.id ?? '');
  const toast = useToast();
  const list = lists.find(({ id }) => id === listId);
  return (
    <PlanDialog
      title={excludeText.title(prefix)}
      action={excludeText.action}
      look="danger"
      writes={list === undefined ? writesOfNewList(prefix) : [entryOf(list.id, prefix)]}
      back={excludeText.back}
      isTogether
      isOpen
      onClose={onClose}
      onDone={() => {
        onClose();
        toast(excludeText.done(prefix, list?.name ?? excludeText.newName));
      }}
    >
      <Control label={excludeText.list} hint={list === undefined ? excludeText.newHint : excludeText.hint}>
        {(tied) => (
          <select
            {...tied}
            className="input"
            value={list?.id ?? ''}
            onChange={({ target }) => setListId(target.value)}
          >
            {lists.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <option value="">{excludeText.newList}</option>
          </select>
        )}
      </Control>
    </PlanDialog>
  );
}

/** Stands for the list that is made by the write before. */
const NEW_LIST = '00000000-0000-7000-8000-000000000001';

function writesOfNewList(prefix: string): Write[] {
  const body = { name: excludeText.newName, type: 'IP_RANGES', purpose: 'exclude' };
  return [{ id: NEW_LIST, method: 'POST', path: '/v1/modules', body }, entryOf(NEW_LIST, prefix)];
}

function entryOf(moduleId: string, cidr: string): Write {
  return { method: 'POST', path: `/v1/modules/${moduleId}/ip-range-entries`, body: { cidr } };
}
