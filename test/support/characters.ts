import fc from 'fast-check'

/** Any character but a lone surrogate. fast-check's own `binary` first builds a map of all of them, for seconds. */
export const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))
