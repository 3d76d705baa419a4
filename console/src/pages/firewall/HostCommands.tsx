import { useMutation } from '@tanstack/react-query';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { firewallHostText as words } from '../../strings/firewall-host.ts';
import { shellWord } from '../../strings/format.ts';
import { Section } from '../../views/page/Page.tsx';
import { saveFile } from '../../views/tables/csv.ts';
import { EnrollHost } from './EnrollHost.tsx';
import type { Host } from './host-parts.ts';

/** Where the unit of systemd keeps what the host has. */
const DIRECTORY = '--data-dir /var/lib/prefixcast-firewall';

/** What is typed about a host, there and elsewhere. */
export function HostCommands({ host }: { host: Host }) {
  return (
    <Section title={words.commands} aside={<SaveScript host={host} />}>
      <p className="muted">{words.onHost}</p>
      <Command what={words.status} command={`prefixcast firewall status ${DIRECTORY}`} />
      <Command what={words.kernel} command="nft list table inet prefixcast" />
      <Command
        what={words.remove}
        command={`systemctl disable --now prefixcast-firewall && prefixcast firewall remove ${DIRECTORY}`}
      />
      <p className="muted">{words.atService}</p>
      <Command what={words.read} command={`prefixcast firewall client get ${shellWord(host.name)}`} />
      <EnrollHost hostId={host.id} />
    </Section>
  );
}

function Command({ what, command }: { what: string; command: string }) {
  return (
    <div>
      <p>{what}</p>
      <p className="command">
        <code className="name">{command}</code>
        <Copy value={command} name={what} />
      </p>
    </div>
  );
}

/** What the host is to apply now, for a look at it and for a machine without the client. */
function SaveScript({ host: { id, name } }: { host: Host }) {
  const may = useMay();
  const toast = useToast();
  const saving = useMutation({
    mutationFn: async () => {
      const query = { format: 'nft' };
      return (await client.request('GET', `/v1/firewall/clients/${id}/ruleset`, { query })).text();
    },
    onSuccess: (script) => saveFile(`${name}.nft`, script, 'text/plain'),
    onError: (error) => toast(error.message),
  });
  if (!may('bgp:firewall:pull')) return null;
  return (
    <Button isBusy={saving.isPending} onClick={() => saving.mutate()}>
      {words.script}
    </Button>
  );
}
