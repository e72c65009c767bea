import { StoreUnavailable, type Value } from '../../runtime/ports/sql.ts'

/** The driver binds numbers as REAL; integers are meant as integers. */
export const bind = (value: Value) =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value

/** Rows as the port has them: bytes are views. */
export const plainRows = <Row extends object>(rows: Row[]): Row[] =>
  rows.some(hasBytes) ? rows.map(withBytes) : rows

function hasBytes(row: object): boolean {
  for (const name in row) if ((row as Record<string, unknown>)[name] instanceof ArrayBuffer) return true
  return false
}

const withBytes = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new Uint8Array(value) : value,
    ]),
  ) as Row

const unavailableCodes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED)/

/** What of the driver's errors says that the store cannot be used now. */
export function translate(thrown: unknown): unknown {
  const code = (thrown as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !unavailableCodes.test(code)) return thrown
  return new StoreUnavailable((thrown as Error).message, { cause: thrown })
}
