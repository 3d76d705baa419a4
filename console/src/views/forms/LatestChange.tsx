import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Time } from '../../design/shown/Time.tsx';
import { latestChangeQuery } from '../../service/operations.ts';
import { useMay } from '../../service/permissions.ts';
import { formText } from '../../strings/forms.ts';

const ID = /[0-9a-f-]{36}$/;

interface LatestChangeProps {
  /** Of the thing itself. */
  readonly path: string;
  /** It is not there any more: who deleted it is asked. */
  readonly isGone?: boolean;
}

/** Who changed a thing last, and when, as far as the audit log may be read. */
export function LatestChange({ path, isGone = false }: LatestChangeProps) {
  const id = ID.exec(path)?.[0];
  const may = useMay();
  const { data: record } = useQuery({
    ...latestChangeQuery(id ?? ''),
    enabled: id !== undefined && may('bgp:monitoring:read'),
  });
  if (record === undefined || record === null) return null;
  const isExpired = record.action.endsWith('.expire');
  if (isGone && !isExpired && !record.action.endsWith('.delete')) return null;
  return (
    <p>
      {isExpired ? (
        formText.expired
      ) : (
        <>
          {isGone ? formText.deletedBy : formText.changedBy} <span className="name">{record.actor}</span>
        </>
      )}{' '}
      <Time at={record.at} />.{' '}
      <Link to="/audit" search={{ record: record.id }}>
        {formText.theirRecord}
      </Link>
    </p>
  );
}
