import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import type { Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { Section } from '../../views/Page.tsx';
import { Remedy } from '../../views/Remedy.tsx';

export function WhyNot({ reasons }: { reasons: Lookup['not_announced'] }) {
  return (
    <Section title={text.lookup.whyNot}>
      <ul className="why-not">
        {reasons.map(({ reason, detail, module, revision }, at) => (
          <li key={at}>
            <Badge tone="warning">{text.lookup.reasons[reason]}</Badge>
            <div>
              <p className="name">
                <Remedy text={detail} moduleId={module?.id} />
              </p>
              <p className="why-not-links">
                {module !== null && (
                  <Link className="name" to="/modules/$moduleId" params={{ moduleId: module.id }}>
                    {module.name}
                  </Link>
                )}
                {revision !== null && (
                  <Link to="/revisions/$revision" params={{ revision: String(revision) }}>
                    {text.revisions.numbered(revision)}
                  </Link>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
