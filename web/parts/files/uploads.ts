import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { FilePart } from '../../../runtime/chat/schema.ts'
import type { StoredFile } from '../../../runtime/files/schema.ts'
import { uploadFile } from '../../api/files.ts'
import { refresh } from '../../api/live.ts'
import { optionalQuery } from '../../api/query.ts'
import { useServices } from '../../app/services.tsx'

export interface UploadItem {
  key: string
  name: string
  size_bytes: number
  mime_type: string
  /** Between 0 and 1. */
  progress: number
  error?: unknown
  /** Set when the upload is complete. */
  file?: StoredFile
}

export interface Uploads {
  items: UploadItem[]
  /** An upload is in progress. */
  busy: boolean
  /** The complete uploads, in the order in which they were chosen. */
  arrived: StoredFile[]
  add(files: Iterable<File>): void
  /** Also cancels the upload. */
  remove(key: string): void
  clear(): void
  /** Adds back what `clear` removed. */
  restore(items: readonly UploadItem[]): void
}

const nothing: readonly StoredFile[] = []

/** The uploads of this page, after those `kept` from an earlier visit. They are cancelled on unmount. */
export function useUploads(purpose: string, kept = nothing): Uploads {
  const { api, session } = useServices()
  const queries = useQueryClient()
  const [items, setItems] = useState(() => kept.map(arrivedBefore))
  const running = useRef(new Map<string, AbortController>())
  const forgetDeleted = useEffectEvent(() => {
    for (const { key } of items) void forgetIfDeleted(key)
  })
  useEffect(() => {
    const left = running.current
    forgetDeleted()
    return () => {
      for (const stop of left.values()) stop.abort()
    }
  }, [])

  const change = (key: string, changes: Partial<UploadItem>) =>
    setItems((now) => now.map((item) => (item.key === key ? { ...item, ...changes } : item)))

  async function forgetIfDeleted(id: string): Promise<void> {
    const file = await queries
      .fetchQuery(optionalQuery(api, '/api/files/{id}', { params: { id } }))
      .catch(() => undefined)
    if (file === null) setItems((now) => now.filter(({ key }) => key !== id))
  }

  async function send(key: string, file: File): Promise<void> {
    const stop = new AbortController()
    running.current.set(key, stop)
    const progress = (part: number) => change(key, { progress: part })
    try {
      const stored = await uploadFile(file, { session, purpose, progress, signal: stop.signal })
      change(key, { file: stored, progress: 1 })
      void refresh(queries, '/api/files')
    } catch (error) {
      if (!stop.signal.aborted) change(key, { error })
    } finally {
      running.current.delete(key)
    }
  }

  return {
    items,
    busy: items.some(({ file, error }) => !file && !error),
    arrived: items.flatMap(({ file }) => file ?? []),
    add(files) {
      const chosen = [...files].map((file) => ({ key: crypto.randomUUID(), file }))
      const added = chosen.map(({ key, file }) => ({
        key,
        name: file.name,
        size_bytes: file.size,
        mime_type: file.type,
        progress: 0,
      }))
      setItems((now) => [...now, ...added])
      for (const { key, file } of chosen) void send(key, file)
    },
    remove(key) {
      running.current.get(key)?.abort()
      setItems((now) => now.filter((item) => item.key !== key))
    },
    clear: () => setItems([]),
    restore: (earlier) => setItems((now) => [...earlier, ...now]),
  }
}

const arrivedBefore = (file: StoredFile): UploadItem => ({ ...file, key: file.id, progress: 1, file })

/** A file as a message has it. */
export const toPart = ({ id, name, mime_type, size_bytes }: StoredFile): FilePart => ({
  type: 'file',
  file_id: id,
  name,
  mime_type,
  size_bytes,
})
