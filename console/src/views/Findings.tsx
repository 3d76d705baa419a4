import type { Finding } from '../service/queries.ts';
import { text } from '../strings/english.ts';
import { formatNumber } from '../strings/format.ts';
import { Prefix } from './Prefix.tsx';
import './findings.css';

/** Guardrails that are broken: what was measured beside what would be good. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="findings">
      {findings.map((finding) => (
        <li key={finding.code + finding.detail}>
          <div className="finding-head">
            <code>{finding.code}</code>
            {finding.measured !== null && (
              <span className="number">
                {text.guardrails.measured} <strong>{formatNumber(finding.measured)}</strong>
                {finding.limit !== null && (
                  <>
                    {', '}
                    {text.guardrails.limit} <strong>{formatNumber(finding.limit)}</strong>
                  </>
                )}
              </span>
            )}
          </div>
          <p className="name">{finding.detail}</p>
          {finding.examples.length > 0 && (
            <p className="finding-examples muted">
              {text.guardrails.examples}{' '}
              {finding.examples.map((example) => (
                <Prefix key={example} prefix={example} />
              ))}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
