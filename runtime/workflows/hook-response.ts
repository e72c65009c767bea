import { z } from 'zod'
import type { Context } from '../context.ts'
import { attachment } from '../files/index.ts'
import { processState } from '../process-state.ts'
import type { FileValue } from './file-value.ts'
import { openFile } from './item-files.ts'

/** What a workflow answers the caller of its webhook. */
export interface HookResponse {
  status: number
  headers: Record<string, string>
  /** Null for none. A file is read when it is sent. */
  body: string | FileValue | null
}

/** What a model writes, for a caller that gets it as it comes. */
export interface TextWriter {
  write(text: string): void
  end(): void
  /** The text is not valid. What was written of it cannot be taken back, so the caller is cut off. */
  fail(): void
}

export interface WaitingCall {
  /** Takes a response, or how the execution ended. */
  notify(news: HookResponse | 'succeeded' | 'failed'): void
  /** Absent if the caller gets whole responses only. */
  writer?(node: { id: string; name: string }): TextWriter
}

/**
 * The calls of this process that wait for the response or the end of their execution. Never stored: the execution is what is durable,
 * and after a restart nobody waits.
 */
export const waitingCalls = processState(() => new Map<string, WaitingCall>())

/**
 * Headers that a workflow may set. The address of a webhook is on the origin of the web UI, so headers that set cookies,
 * policies, access or workers of that origin are left to the daemon, and so are those that a reverse proxy obeys.
 */
const settable =
  /^(content-(type|disposition|language)|cache-control|etag|expires|last-modified|retry-after|x-(?!accel-|sendfile|litespeed-|lighttpd-)[\w-]+)$/i

/** Scripts and style sheets of the daemon's origin are its own; parts of a multipart document bring their own headers. */
const refusedType = /script|css|^multipart\//i
const mediaType = /^[\w.+-]+\/[\w.+-]+(\s*;\s*charset="?utf-8"?)?$/i

/** What is wrong with a header; null if nothing is. */
export function headerProblem(name: string, value: string): string | null {
  if (!settable.test(name)) return 'cannot be set by a workflow'
  if (!/^[\x20-\x7e]*$/.test(value)) return 'must be printable ASCII on one line'
  if (name.toLowerCase() !== 'content-type') return null
  const isSafe = mediaType.test(value) && !refusedType.test(value)
  return isSafe ? null : 'must be a media type in UTF-8; scripts, style sheets and multipart are not possible'
}

/** Checked when the workflow is saved, and again with the values of its expressions. */
export const ResponseHeaders = z.record(z.string(), z.string().max(2_000)).superRefine((headers, check) => {
  for (const [name, value] of Object.entries(headers)) {
    const message = headerProblem(name, value)
    if (message !== null) check.addIssue({ code: 'custom', path: [name], message })
  }
})

/** A page from a workflow is shown with its own styles, but runs no script, sends no form and loads nothing. */
const sandbox = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

const withoutBody = new Set([204, 205, 304])

export async function responseOf(context: Context, { status, headers, body }: HookResponse): Promise<Response> {
  const own = withoutBody.has(status) ? null : body
  const file = typeof own === 'object' && own ? await openFile(context, own) : null
  const response = new Response(typeof own === 'string' ? own : (file?.content ?? null), { status, headers })
  if (file) response.headers.set('content-length', String(file.size_bytes))
  response.headers.set('content-security-policy', sandbox)
  response.headers.set('x-content-type-options', 'nosniff')
  return response
}

/** A file as a response that browsers save, unless the headers say something else. */
export const fileHookResponse = (file: FileValue): HookResponse => ({
  status: 200,
  headers: {
    'content-type':
      headerProblem('content-type', file.mime_type) === null ? file.mime_type : 'application/octet-stream',
    'content-disposition': attachment(file.name),
  },
  body: file,
})

/** A value as the JSON of a response. */
export const jsonHookResponse = (value: unknown): HookResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value ?? null),
})
