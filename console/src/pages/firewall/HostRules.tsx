import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rulesOfHostQuery } from '../../service/host.ts';
import { columnText } from '../../strings/columns.ts';
import { formatBytes, formatNumber } from '../../strings/format.ts';
import { firewallHostText as words } from '../../strings/firewall-host.ts';
import { Section } from '../../views/page/Page.tsx';
import { List } from '../../views/records/List.tsx';
import type { Column } from '../../views/tables/column.ts';
import type { Host } from './host-parts.ts';
import { RULE_STATE, useRuleColumns, type Rule } from './rule-columns.tsx';

/** Rules in the order in which the host applies them, with what each has matched there. */
export function HostRules({ host }: { host: Host }) {
  const rules = useQuery({
    ...rulesOfHostQuery(host.id),
    // Rules of one priority come in the order in which they were made.
    select: (all) => all.toSorted((one, other) => one.priority - other.priority),
  });
  const columns = useRuleColumns(({ name }) => (
    <Link className="name" to="/firewall" search={{ find: name }} title={name}>
      {name}
    </Link>
  ));
  const counted = (member: 'packets' | 'bytes', format: (value: number) => string): Column<Rule> => {
    const of = ({ id }: Rule) => host.counters.find(({ rule_id }) => rule_id === id)?.[member];
    return {
      ...{ name: words[member], isNumber: true },
      value: (rule) => of(rule) ?? '',
      ...(member === 'bytes'
        ? { saved: { [columnText.inBytes(words.bytes)]: (rule: Rule) => of(rule) ?? '' } }
        : {}),
      cell: (rule) => {
        const value = of(rule);
        return value === undefined ? '' : format(value);
      },
    };
  };
  return (
    <Section title={words.rules}>
      <List
        query={rules}
        caption={words.rules}
        columns={[...columns, RULE_STATE, counted('packets', formatNumber), counted('bytes', formatBytes)]}
        keyOf={({ id }) => id}
        file={`rules-${host.name}`}
        empty={
          <p className="muted">
            {words.noRules} <Link to="/firewall">{words.allRules}</Link>
          </p>
        }
      />
    </Section>
  );
}
