import type { Entity, EntityType } from '../../../api/memory.ts'
import { typeLabels } from '../labels.ts'

export const entityTypes = Object.keys(typeLabels) as EntityType[]

export interface Filter {
  text: string
  /** Types that are not to be seen. */
  hidden: ReadonlySet<EntityType>
}

export function fitsFilter({ name, type }: Entity, { text, hidden }: Filter): boolean {
  return !hidden.has(type) && plain(name).includes(plain(text.trim()))
}

/** Without case and accents. */
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
