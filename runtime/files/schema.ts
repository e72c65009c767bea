import { z } from 'zod'

/** What a file is for, chosen by the uploader: a short word such as `chat`. */
export const Purpose = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be a short word of a-z, 0-9, _ and -, for example chat')

export const StoredFile = z.object({
  id: z.string(),
  /** A cleaned name without a path, at most 255 bytes. */
  name: z.string(),
  /** Detected from the content, never taken from the uploader. */
  mime_type: z.string(),
  size_bytes: z.int(),
  sha256: z.string(),
  purpose: Purpose,
  created_at: z.string(),
  download_url: z.string(),
})
export type StoredFile = z.infer<typeof StoredFile>
