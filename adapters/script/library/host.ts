/**
 * What the engine offers the library, beside the language: pure functions of the host. Arguments and results are JSON. The
 * library takes it away from the global object before code of users runs.
 */
export type Native = (name: 'intl' | 'random' | 'sign', ...values: unknown[]) => unknown

declare global {
  var hearthdNative: Native
}

export const native: Native = globalThis.hearthdNative

/** Defines a global that code may replace, and that does not show up when it lists the globals. */
export function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false })
}
