/** One numbered step of the schema. Once released it is never edited: a test holds its hash. */
export interface Migration {
  version: number
  name: string
  statements: readonly string[]
}
