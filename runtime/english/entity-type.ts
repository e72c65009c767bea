import { z } from 'zod'

/** What a name in a text stands for. */
export const EntityType = z.enum([
  'person',
  'organization',
  'place',
  'product',
  'concept',
  'event',
  'project',
  'file',
  'url',
  'other',
])
export type EntityType = z.infer<typeof EntityType>
