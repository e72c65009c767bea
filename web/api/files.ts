import { queryOptions } from '@tanstack/react-query'
import type { StoredFile } from '../../runtime/files/schema.ts'
import type { Api } from './client.ts'
import { errorOf, unreachable } from './error.ts'
import type { SessionStore } from './session.ts'

const content = '/api/files/{id}/content'
/** Contents never change. Milliseconds. */
const unchanging = { staleTime: Number.POSITIVE_INFINITY, gcTime: 60_000 }

export const readContent = async (api: Api, id: string, signal?: AbortSignal): Promise<Blob> =>
  (await api.open('GET', content, { params: { id }, signal })).blob()

export const contentQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['file-content', id],
    queryFn: ({ signal }) => readContent(api, id, signal),
    ...unchanging,
  })

/** The first `maxBytes` as text. Shorter files are read without a range, because an empty file has none. */
export const textQuery = (api: Api, { id, size_bytes }: Pick<StoredFile, 'id' | 'size_bytes'>, maxBytes: number) =>
  queryOptions({
    queryKey: ['file-content', id, 'text'],
    queryFn: async ({ signal }) => {
      const headers: Record<string, string> = size_bytes > maxBytes ? { range: `bytes=0-${maxBytes - 1}` } : {}
      return (await api.open('GET', content, { params: { id }, headers, signal })).text()
    },
    ...unchanging,
  })

interface UploadOptions {
  session: SessionStore
  purpose: string
  /** Receives the part that was sent, between 0 and 1. */
  progress: (part: number) => void
  signal: AbortSignal
}

/** Uploads a file with XMLHttpRequest, because `fetch` does not report upload progress. */
export function uploadFile(file: File, { session, purpose, progress, signal }: UploadOptions): Promise<StoredFile> {
  const form = new FormData()
  form.append('purpose', purpose)
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
