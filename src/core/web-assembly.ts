/** What this room uses of WebAssembly: Node.js has it, and the compiler's library of the language has not. */
export interface WebAssemblyGlobal {
  readonly value: number;
}

export interface WebAssemblyMemory {
  /** Another one whenever the memory has grown. */
  readonly buffer: ArrayBuffer;
}

interface WebAssemblyNamespace {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

/** Undefined where a process may not compile code. */
export const webAssembly = (globalThis as { readonly WebAssembly?: WebAssemblyNamespace }).WebAssembly;
