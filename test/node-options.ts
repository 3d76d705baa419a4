// How Node.js runs the processes of tests.

/**
 * Node.js 24 may die in `Runtime_TierUpWasmToJSWrapper` when threads of one process start and end while others load TypeScript: its
 * type stripper is WebAssembly, and V8 frees the compiled wrapper of an import, which all threads share, a second time. With a budget of
 * calls that is never spent no wrapper is compiled. The service itself is not concerned: its threads load
 * JavaScript, and its own WebAssembly imports nothing.
 */
export const withoutTierUp = ['--wasm-wrapper-tiering-budget=2147483647'];
