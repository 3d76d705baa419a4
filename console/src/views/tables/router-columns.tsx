/** Columns that all tables of routers share, be it peers or their sessions. */
import { Copy } from '../../design/messages/Copy.tsx';
import { text } from '../../strings/english.ts';
import type { Column } from './column.ts';

interface Router {
  readonly address: string;
  readonly remote_asn: number;
}

export function routerColumns<Row extends Router>(): readonly Column<Row>[] {
  return [
    {
      name: text.sessions.address,
      value: ({ address }) => address,
      cell: ({ address }) => (
        <>
          <code>{address}</code> <Copy value={address} />
        </>
      ),
    },
    {
      ...{ name: text.sessions.asn, isNumber: true },
      value: ({ remote_asn }) => remote_asn,
      cell: ({ remote_asn }) => remote_asn,
    },
  ];
}
