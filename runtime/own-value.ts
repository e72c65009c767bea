/** The value of a table under a name from outside. Plain `table[name]` would also find `toString` and `constructor`. */
export const ownValue = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
