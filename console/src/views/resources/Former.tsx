import { useQuery } from '@tanstack/react-query';
import { formerNameQuery } from '../../service/former-names.ts';
import { text } from '../../strings/english.ts';

/** What has no page any more, by the name that it had. */
export function Former({ id }: { readonly id: string }) {
  const { data: name, isPending } = useQuery(formerNameQuery(id));
  return (
    <span title={id}>
      <span className="name">{isPending ? '…' : (name ?? id)}</span>{' '}
      <span className="muted">{text.deleted}</span>
    </span>
  );
}
