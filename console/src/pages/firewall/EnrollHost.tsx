import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../design/controls/Button.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { client } from '../../service/client.ts';
import { installContextQuery } from '../../service/host.ts';
import { useMay } from '../../service/permissions.ts';
import { firewallHostText as words } from '../../strings/firewall-host.ts';
import { firewallText } from '../../strings/host.ts';
import { Problem } from '../../views/faults/Problem.tsx';

/** As the service has it where nothing is said. */
const VALID_SECONDS = 3_600;

interface EnrollHostProps {
  /** Of a host that enrolls again; without it, a new one. */
  readonly hostId?: string;
}

/** The command of the service, with a token in it. */
export function EnrollHost({ hostId }: EnrollHostProps) {
  const may = useMay();
  const context = useQuery(installContextQuery);
  const token = useMutation({
    mutationFn: () =>
      client.post('/v1/firewall/enrollment-tokens', {
        body: { client_id: hostId ?? null, valid_seconds: VALID_SECONDS },
      }),
  });
  const action = hostId === undefined ? firewallText.enroll : words.again;
  const isOffered = may('bgp:firewall:write') && may('bgp:keys:write');
  const isNew = hostId === undefined && token.data === undefined;
  useShortcut('n', action, isOffered && isNew ? () => token.mutate() : null);
  if (!isOffered) return null;
  if (token.data === undefined || context.data === undefined)
    return (
      <>
        {token.error !== null && <Problem error={token.error} onRetry={() => token.mutate()} />}
        <p>
          <Button look={isNew ? 'primary' : 'plain'} isBusy={token.isPending} onClick={() => token.mutate()}>
            {action}
          </Button>
        </p>
      </>
    );
  const { install_command, configuration } = context.data;
  const command = install_command.replace(/\bTOKEN\b/, () => token.data.token);
  return (
    <div>
      <p>{hostId === undefined ? firewallText.enrollWhat : words.againWhat}</p>
      <p className="command" ref={focusCopy}>
        <code>{command}</code>
        <Copy value={command} name={action} />
      </p>
      {!configuration.ready && (
        <div className="banner">
          <p>{words.notReady}</p>
          <ul>
            {configuration.missing.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The button that made the command is gone; what is done next is to copy it. */
function focusCopy(command: HTMLElement | null): void {
  command?.querySelector('button')?.focus();
}
