import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Time } from '../../design/shown/Time.tsx';
import { latestChangeQuery } from '../../service/operations.ts';
import { useMay } from '../../service/permissions.ts';
import { formText } from '../../strings/forms.ts';

const ID = /[0-9a-f-]{36}$/;

/** Who changed a thing last, and when, as far as the audit log may be read. @param path of the thing itself */
export function LatestChange({ path }: { path: string }) {
  const id = ID.exec(path)?.[0];
  const may = useMay();
  const { data: record } = useQuery({
    ...latestChangeQuery(id ?? ''),
    enabled: id !== undefined && may('bgp:monitoring:read'),
  });
  if (record === undefined || record === null) return null;
  return (
    <p>
      {formText.changedBy} <span className="name">{record.actor}</span> <Time at={record.at} />.{' '}
      <Link to="/audit" search={{ record: record.id }}>
        {formText.theirRecord}
      </Link>
    </p>
  );
}
