import type { FirewallInstallContext } from '../../api/firewall/firewall-clients.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { activeSigningKey, readSigningKeys, signingKeys } from '../nodes/signing-keys.ts';

/**
 * What somebody needs to know to set up a client.
 * @param publicUrl `APP_PUBLIC_URL`; null: it is not set
 * @param origin what the request came by
 */
export async function readInstallContext(
  tx: TenantTx,
  secrets: SecretBox,
  publicUrl: string | null,
  origin: string,
): Promise<FirewallInstallContext> {
  const url = (publicUrl ?? origin).replace(/\/+$/, '');
  const missing = [
    ...(publicUrl === null
      ? [
          'Set APP_PUBLIC_URL to the URL by which hosts reach the service: this one is what the request came by.',
        ]
      : []),
    ...(url.startsWith('https:')
      ? []
      : ['Serve the API over HTTPS: clients on other machines send their key nowhere else.']),
    ...(await unsignable(tx, secrets)),
  ];
  return {
    control_plane_url: url,
    control_plane_url_source: publicUrl === null ? 'request' : 'app_public_url',
    configuration: { ready: missing.length === 0, missing },
    bundle_seed: (await readSigningKeys(tx, secrets)).items,
    install_command: `APP_FIREWALL_TOKEN=TOKEN prefixcast firewall enroll --control-url ${url}`,
  };
}

async function unsignable(tx: TenantTx, secrets: SecretBox): Promise<string[]> {
  const keys = await signingKeys(tx, secrets);
  return activeSigningKey(tx, secrets, keys).then(
    () => [],
    (error: unknown) => [(error as Error).message],
  );
}
