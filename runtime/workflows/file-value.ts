import { z } from 'zod'

/** A file as a value of an item. Its content is stored once, whatever passes the value on. */
export const FileValue = z.object({
  file_id: z.string().regex(/^file_[0-9a-z]+$/),
  name: z.string().default('file'),
  /** As its source called it, or by its content. */
  mime_type: z.string().default('application/octet-stream'),
  size_bytes: z.number().default(0),
  sha256: z.string().default(''),
})
export type FileValue = z.infer<typeof FileValue>

export const isFile = (value: unknown): value is FileValue =>
  typeof value === 'object' && value !== null && 'sha256' in value && FileValue.safeParse(value).success

/** Levels of a value in which files are found. */
const maxDepth = 8

/** The files in a value, in order. */
export function filesIn(value: unknown, depth = 0): FileValue[] {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  const file = 'file_id' in value ? FileValue.safeParse(value).data : undefined
  return file ? [file] : Object.values(value).flatMap((member) => filesIn(member, depth + 1))
}

/** The file that a value is or contains first; null if there is none. */
export const firstFile = (value: unknown): FileValue | null => filesIn(value)[0] ?? null
