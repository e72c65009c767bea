import type { Migration } from './migration.ts'

/** Texts that may hold what the pairs did not keep before: signs such as emoji and `C++`, and Korean. */
const maySign = (column: string): string =>
  [`[' || char(161) || '-' || char(1114111) || ']`, '+', '#', '.[A-Za-z]']
    .map((part) => `${column} GLOB '*${part}*'`)
    .join(' OR ')

/** The pairs of characters hold signs too, and Korean; those of an earlier release are made anew by the index. */
export const memorySigns: Migration = {
  version: 21,
  name: 'memory signs',
  statements: [
    `UPDATE episodes SET pairs = NULL WHERE pairs IS NOT NULL
      AND (${['content', 'reply', 'topics'].map(maySign).join(' OR ')})`,
  ],
}
