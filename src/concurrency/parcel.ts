/**
 * Many bytes for a thread, gathered as they arrive. Memory that JavaScript can reach counts as part of the heap of its thread: a few ten megabytes of it
 * make V8 collect all garbage of the event loop, several times for one list. What waits in a message channel belongs to no heap, and is freed at once.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** Bytes of a message that is made of several chunks, and of a chunk that is a message by itself. */
const MESSAGE_BYTES = 2 ** 16;
const WORTH_A_MESSAGE = MESSAGE_BYTES / 4;

/** A parcel on its way to a thread. */
interface SentParcel {
  readonly length: number;
  readonly port: MessagePort;
}

/** Bytes that are here; or many, which are for a thread only and have to be {@link freeBytes | freed}. */
export type AnyBytes = Uint8Array<ArrayBuffer> | Parcel;

/** {@link AnyBytes} on their way to a thread. */
export type SentBytes = Uint8Array<ArrayBuffer> | SentParcel;

/** A task whose body is of another type. */
export type WithBody<Task, Body> = Task extends unknown
  ? Omit<Task, 'body'> & { readonly body: Body }
  : never;

/** Nobody can read the bytes here once they are transferred. */
export function sendBytes(bytes: AnyBytes): {
  readonly sent: SentBytes;
  readonly transfer: readonly (ArrayBuffer | MessagePort)[];
} {
  if (bytes instanceof Uint8Array) return { sent: bytes, transfer: [bytes.buffer] };
  const sent = bytes.send();
  return { sent, transfer: [sent.port] };
}

/** In the thread that got them. */
export function openBytes(sent: SentBytes): Uint8Array<ArrayBuffer> {
  return sent instanceof Uint8Array ? sent : openParcel(sent);
}

/** When the thread has answered, or when none will be asked. */
export function freeBytes(bytes: AnyBytes): void {
  if (!(bytes instanceof Uint8Array)) bytes.free();
}

export class Parcel {
  readonly #channel = new MessageChannel();
  /** Chunks that are no message yet; null: none. */
  #small: Uint8Array<ArrayBuffer> | null = null;
  #filled = 0;
  #length = 0;
  #onFree: () => void = () => undefined;

  get length(): number {
    return this.#length;
  }

  /** Takes the bytes, and their memory if they are all that is in it: nobody can read it here afterwards. */
  put(bytes: Uint8Array): void {
    this.#length += bytes.length;
    const owned = ownMemory(bytes);
    if (owned !== null && bytes.length >= WORTH_A_MESSAGE) {
      this.#sendSmall();
      this.#send(bytes as Uint8Array<ArrayBuffer>);
      return;
    }
    for (let at = 0; at < bytes.length;) {
      this.#small ??= new Uint8Array(MESSAGE_BYTES);
      const part = bytes.subarray(at, at + MESSAGE_BYTES - this.#filled);
      this.#small.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === MESSAGE_BYTES) this.#sendSmall();
    }
    owned?.transfer(0); // frees it now
  }

  /** Its port is to be transferred. Nothing may be put afterwards. */
  send(): SentParcel {
    this.#sendSmall();
    return { length: this.#length, port: this.#channel.port2 };
  }

  /** Calls this when the parcel is freed, once at least. */
  whenFreed(onFree: () => void): void {
    this.#onFree = onFree;
  }

  /** Frees what no thread has taken. */
  free(): void {
    this.#onFree();
    this.#channel.port1.close();
    // The end of one port comes to the other behind all that waits there.
    this.#channel.port2.close();
  }

  #sendSmall(): void {
    if (this.#small !== null) this.#send(this.#small.subarray(0, this.#filled));
    this.#small = null;
    this.#filled = 0;
  }

  #send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#channel.port1.postMessage(bytes, [bytes.buffer]);
  }
}

function openParcel({ length, port }: SentParcel): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    const message = next.message as Uint8Array<ArrayBuffer>;
    bytes.set(message, at);
    at += message.length;
    message.buffer.transfer(0); // frees it now
  }
  port.close();
  if (at !== length) throw new Error(`A parcel of ${length} bytes has ${at}`);
  return bytes;
}

/** The memory of the bytes, if nothing else is in it. */
function ownMemory({ buffer, length }: Uint8Array): ArrayBuffer | null {
  return buffer instanceof ArrayBuffer && buffer.byteLength === length ? buffer : null;
}
