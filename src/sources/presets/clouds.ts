import type { SourcePreset, SourcePresetVariant } from '../../api/entries/source-presets.ts';

const AWS_URL = 'https://ip-ranges.amazonaws.com/ip-ranges.json';
const GOOGLE_CLOUD_URL = 'https://www.gstatic.com/ipranges/cloud.json';
const ORACLE_URL = 'https://docs.oracle.com/iaas/tools/public_ip_ranges.json';

const AWS_SERVICES =
  'AMAZON AMAZON_APPFLOW AMAZON_CONNECT API_GATEWAY AURORA_DSQL CHIME_MEETINGS CHIME_VOICECONNECTOR CLOUD9 CLOUDFRONT ' +
  'CLOUDFRONT_ORIGIN_FACING CODEBUILD DYNAMODB EBS EC2 EC2_INSTANCE_CONNECT EFS GLOBALACCELERATOR IOT_CORE IVS_LOW_LATENCY ' +
  'IVS_REALTIME KINESIS_VIDEO_STREAMS MEDIA_PACKAGE_V2 ROUTE53 ROUTE53_HEALTHCHECKS ROUTE53_HEALTHCHECKS_PUBLISHING ' +
  'ROUTE53_RESOLVER S3 WORKSPACES_GATEWAYS';

const AWS_REGIONS =
  'GLOBAL af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ' +
  'ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-central-1 ca-west-1 cn-north-1 ' +
  'cn-northwest-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 eusc-de-east-1 ' +
  'il-central-1 me-central-1 me-south-1 me-west-1 mx-central-1 sa-east-1 sa-west-1 us-east-1 us-east-2 us-gov-east-1 ' +
  'us-gov-west-1 us-south-1 us-west-1 us-west-2';

const GOOGLE_CLOUD_SCOPES =
  'global africa-south1 asia-east1 asia-east2 asia-northeast1 asia-northeast2 asia-northeast3 asia-south1 asia-south2 ' +
  'asia-southeast1 asia-southeast2 australia-southeast1 australia-southeast2 europe-central2 europe-north1 europe-southwest1 ' +
  'europe-west1 europe-west2 europe-west3 europe-west4 europe-west6 europe-west8 europe-west9 europe-west10 europe-west12 ' +
  'me-central1 me-central2 me-west1 northamerica-northeast1 northamerica-northeast2 southamerica-east1 southamerica-west1 ' +
  'us-central1 us-east1 us-east4 us-east5 us-south1 us-west1 us-west2 us-west3 us-west4';

const AZURE_TAGS =
  'AzureCloud ActionGroup ApiManagement AppService AzureActiveDirectory AzureBackup AzureBotService AzureContainerRegistry ' +
  'AzureCosmosDB AzureDevOps AzureEventGrid AzureFrontDoor.Backend AzureFrontDoor.Frontend AzureKeyVault AzureMonitor ' +
  'AzureResourceManager AzureTrafficManager EventHub LogicApps MicrosoftDefenderForEndpoint PowerBI ServiceBus Sql Storage ' +
  'WindowsVirtualDesktop';

const ORACLE_TAGS = 'OCI OSN OBJECT_STORAGE';

const variants = (
  kind: string,
  names: string,
  url: string | null,
  pathOf: (name: string) => string,
): SourcePresetVariant[] =>
  names.split(' ').map((name) => ({
    id: `${kind}:${name}`,
    name: `${kind} ${name}`,
    url,
    format: 'json',
    json_path: pathOf(name),
  }));

/** Both lists of AWS, whose members have different names. */
const aws = (filter: string): string => `$['prefixes','ipv6_prefixes'][${filter}]['ip_prefix','ipv6_prefix']`;

/** The format that Google introduced and others adopted. */
export const googlePath = (filter = '*'): string => `$.prefixes[${filter}]['ipv4Prefix','ipv6Prefix']`;

export const CLOUD_PRESETS: readonly SourcePreset[] = [
  {
    id: 'aws',
    name: 'AWS',
    provider: 'Amazon',
    category: 'cloud',
    description:
      'All addresses of Amazon Web Services. AMAZON holds those of every service; take one service or one region where that will do. Both at ' +
      "once: $['prefixes','ipv6_prefixes'][?@.service=='S3' && @.region=='eu-west-1']['ip_prefix','ipv6_prefix'].",
    url: AWS_URL,
    format: 'json',
    json_path: aws('*'),
    csv_column: null,
    variants: [
      ...variants('service', AWS_SERVICES, AWS_URL, (name) => aws(`?@.service=='${name}'`)),
      ...variants('region', AWS_REGIONS, AWS_URL, (name) => aws(`?@.region=='${name}'`)),
    ],
    documentation: 'https://docs.aws.amazon.com/vpc/latest/userguide/aws-ip-ranges.html',
  },
  {
    id: 'google',
    name: 'Google',
    provider: 'Google',
    category: 'cloud',
    description: 'All addresses that Google announces, those that customers of Google Cloud use among them.',
    url: 'https://www.gstatic.com/ipranges/goog.json',
    format: 'json',
    json_path: googlePath(),
    csv_column: null,
    variants: [],
    documentation: 'https://support.google.com/a/answer/10026322',
  },
  {
    id: 'google-cloud',
    name: 'Google Cloud',
    provider: 'Google',
    category: 'cloud',
    description:
      "Addresses that customers of Google Cloud use. Google's own services are in the list of Google alone.",
    url: GOOGLE_CLOUD_URL,
    format: 'json',
    json_path: googlePath(),
    csv_column: null,
    variants: variants('region', GOOGLE_CLOUD_SCOPES, GOOGLE_CLOUD_URL, (name) =>
      googlePath(`?@.scope=='${name}'`),
    ),
    documentation: 'https://cloud.google.com/compute/docs/faq#find_ip_range',
  },
  {
    id: 'azure',
    name: 'Azure service tags',
    provider: 'Microsoft',
    category: 'cloud',
    description:
      'Addresses of Azure by service tag. The file has another URL every week: take it from the page of the download, and the path from ' +
      'here. A region is part of the name of a tag, such as Storage.WestEurope.',
    url: null,
    format: 'json',
    json_path: '$.values[*].properties.addressPrefixes[*]',
    csv_column: null,
    variants: variants(
      'tag',
      AZURE_TAGS,
      null,
      (name) => `$.values[?@.name=='${name}'].properties.addressPrefixes[*]`,
    ),
    documentation: 'https://www.microsoft.com/en-us/download/details.aspx?id=56519',
  },
  {
    id: 'oracle',
    name: 'Oracle Cloud',
    provider: 'Oracle',
    category: 'cloud',
    description:
      'Public addresses of Oracle Cloud Infrastructure. OCI are those of customers, OSN those of its services network. One region: ' +
      "$.regions[?@.region=='eu-frankfurt-1'].cidrs[*].cidr.",
    url: ORACLE_URL,
    format: 'json',
    json_path: '$.regions[*].cidrs[*].cidr',
    csv_column: null,
    variants: variants(
      'tag',
      ORACLE_TAGS,
      ORACLE_URL,
      (name) => `$.regions[*].cidrs[?@.tags[?@=='${name}']].cidr`,
    ),
    documentation: 'https://docs.oracle.com/en-us/iaas/Content/General/Concepts/addressranges.htm',
  },
  {
    id: 'digitalocean',
    name: 'DigitalOcean',
    provider: 'DigitalOcean',
    category: 'cloud',
    description: 'Addresses of droplets and other products, as a geofeed (RFC 8805).',
    url: 'https://digitalocean.com/geo/google.csv',
    format: 'csv',
    json_path: null,
    csv_column: '1',
    variants: [],
    documentation: 'https://docs.digitalocean.com/platform/',
  },
  {
    id: 'linode',
    name: 'Linode',
    provider: 'Akamai',
    category: 'cloud',
    description: 'Addresses of Linodes, as a geofeed (RFC 8805).',
    url: 'https://geoip.linode.com/',
    format: 'csv',
    json_path: null,
    csv_column: '1',
    variants: [],
    documentation:
      'https://techdocs.akamai.com/cloud-computing/docs/managing-ip-addresses-on-a-compute-instance',
  },
  {
    id: 'vultr',
    name: 'Vultr',
    provider: 'Vultr',
    category: 'cloud',
    description: 'Addresses of Vultr (AS20473), as plain text.',
    url: 'https://geofeed.constant.com/?text',
    format: 'text',
    json_path: null,
    csv_column: null,
    variants: [],
    documentation: 'https://docs.vultr.com/vultr-ip-space',
  },
];
