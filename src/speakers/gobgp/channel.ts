/** The gRPC half of api.ts, loaded on first use: loading takes a tenth of a second, and most services have no GoBGP. */
import { fileURLToPath } from 'node:url';
import { Client, credentials } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';

/** Milliseconds and octets: a daemon that is back is to be found within a second, and its answers may be long. */
const OPTIONS = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
};

const definition = loadSync(fileURLToPath(new URL('api.proto', import.meta.url)), {
  ...{ longs: Number, enums: String, defaults: true, arrays: true },
});
const service = definition['apipb.GobgpApi'] as ServiceDefinition;

export function openChannel(address: string): Client {
  return new Client(address, credentials.createInsecure(), OPTIONS);
}

export function methodOf(name: string): MethodDefinition<object, object> {
  return service[name]!;
}
