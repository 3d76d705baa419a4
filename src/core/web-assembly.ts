/** The part of WebAssembly that this room uses: Node.js has it, but TypeScript's library types do not. */
export interface WebAssemblyGlobal {
  readonly value: number;
}

export interface WebAssemblyMemory {
  /** A new buffer whenever the memory has grown. */
  readonly buffer: ArrayBuffer;
}

interface WebAssemblyNamespace {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

const namespace = (globalThis as { readonly WebAssembly?: WebAssemblyNamespace }).WebAssembly;

/** Whether this process may compile code. */
export const hasWebAssembly = namespace !== undefined;

const modules = new Map<string, object>();

/** The exports of a new instance with its own memory; `binary` is base64. Throws TypeError where code may not be compiled. */
export function instantiate<Exports>(binary: string): Exports {
  if (namespace === undefined) throw new TypeError('This process may not compile WebAssembly');
  let module = modules.get(binary);
  if (module === undefined)
    modules.set(binary, (module = new namespace.Module(Buffer.from(binary, 'base64'))));
  return new namespace.Instance(module).exports as Exports;
}
