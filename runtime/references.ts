import { z } from 'zod'
import table from './references.json' with { type: 'json' }

/** What a field can refer to, as named in its message. The areas that own the things say whether one exists. */
export const descriptions = table
export type ReferenceKind = keyof typeof descriptions

/**
 * Parts of the thing in the path, such as a task of a project, and names outside of the daemon. The endpoint that uses them
 * checks them.
 */
export const partKinds = [
  'approval',
  'batch',
  'change',
  'column',
  'delivery',
  'elsewhere',
  'execution',
  'message',
  'node',
  'peer',
  'phase',
  'row',
  'tab',
  'task',
  'vendor_model',
] as const
export type PartKind = (typeof partKinds)[number]

/** A text that refers to a thing. The name of the kind is also the `x-format` of the JSON Schema. */
export const reference = (kind: ReferenceKind | PartKind, max = 200) => z.string().max(max).meta({ 'x-format': kind })

/** A text that refers to a thing whose kind depends on another member of its object; to nothing if that is not listed. */
export const referenceBy = (member: string, kinds: Readonly<Record<string, ReferenceKind>>, max = 200) =>
  z.string().min(1).max(max).meta({ 'x-format': { member, kinds } })
