import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { StoredFile } from '../../runtime/files/schema.ts'
import type { Api } from './client.ts'
import { ApiError, errorOf, unreachable } from './error.ts'
import type { SessionStore } from './session.ts'

export type { StoredFile }

interface FilePage {
  files: StoredFile[]
  total: number
  limit: number
  offset: number
}

const pageSize = 50

/** The newest first, page by page. */
export const filesQuery = (api: Api, search: string) =>
  infiniteQueryOptions({
    queryKey: ['files', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      api.get<FilePage>('/api/files', { search, limit: pageSize, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
    placeholderData: keepPreviousData,
  })

/** Null when it was deleted. */
export const fileQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['files', 'one', id],
    queryFn: async ({ signal }) => {
      try {
        return await api.get<StoredFile>(`/api/files/${id}`, {}, signal)
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
  })

/** Contents never change, so one that was read stays fresh. */
export const contentQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['file-content', id],
    queryFn: async ({ signal }) => (await api.raw('GET', contentOf(id), { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })

/** The first `most` bytes as text. A file that is not longer is asked for whole: an empty one has no range. */
export const textQuery = (api: Api, file: Pick<StoredFile, 'id' | 'size_bytes'>, most: number) =>
  queryOptions({
    queryKey: ['file-content', file.id, 'text'],
    queryFn: async ({ signal }) => {
      const headers: Record<string, string> = file.size_bytes > most ? { range: `bytes=0-${most - 1}` } : {}
      return (await api.raw('GET', contentOf(file.id), { headers, signal })).text()
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })

const contentOf = (id: string) => `/api/files/${id}/content`

interface UploadOptions {
  session: SessionStore
  purpose?: string
  /** Between 0 and 1. */
  progress: (part: number) => void
  signal: AbortSignal
}

/** Sends a file. `fetch` does not say how far an upload is, hence the older way. */
export function uploadFile(
  file: File,
  { session, purpose, progress, signal }: UploadOptions,
): Promise<StoredFile> {
  const form = new FormData()
  if (purpose) form.append('purpose', purpose)
  form.append('file', file)
  const { promise, resolve, reject } = Promise.withResolvers<StoredFile>()
  const request = new XMLHttpRequest()
  request.open('POST', '/api/files')
  const token = session.get()?.token
  if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
  request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
  request.onload = () => answerOf(request).then(resolve, reject)
  request.onerror = () => reject(unreachable())
  request.onabort = () => reject(signal.reason)
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(form)
  return promise
}

async function answerOf({ status, responseText }: XMLHttpRequest): Promise<StoredFile> {
  const response = new Response(responseText, { status })
  if (!response.ok) throw await errorOf(response)
  return response.json()
}
