import { createTwoFilesPatch } from 'diff'
import { z } from 'zod'
import type { Message, Part } from '../chat/index.ts'
import { cut } from '../tools/text.ts'
import type { Output } from './schema.ts'

/** Characters of a report or difference that is kept. */
const maxText = 50_000

const FileCall = z.object({
  action: z.enum(['write', 'append', 'edit']),
  path: z.string(),
  content: z.string().optional(),
  find: z.string().optional(),
  replace: z.string().optional(),
})
type FileCall = z.output<typeof FileCall>

const Written = z.object({ size_bytes: z.number().optional() })

/** Maximum edits of a task that are kept as diffs. */
const maxDiffs = 50

/** What an attempt has produced: its last report, the files that it wrote, and its edits as unified diffs. */
export function outputsOf(messages: readonly Message[]): Output[] {
  const answers = messages.filter(({ role }) => role === 'assistant')
  const calls = answers.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool_use' ? fileCall(part, parts) : [])),
  )
  const files = new Map<string, number>()
  // The result of an edit has no size.
  for (const { call, size } of calls) files.set(call.path, size ?? files.get(call.path) ?? 0)
  const report = answers.at(-1)?.content ?? ''
  const edits = calls.filter(({ call }) => call.action === 'edit').slice(-maxDiffs)
  return [
    ...(report.trim() === '' ? [] : [textOutput('text', 'Report', report)]),
    ...[...files].map(([path, size]): Output => ({ kind: 'file', name: path, value: path, size_bytes: size })),
    ...edits.map(({ call }) => diffOf(call)),
  ]
}

function textOutput(kind: 'text' | 'diff', name: string, text: string): Output {
  const value = cut(text, maxText).text
  return { kind, name, value, size_bytes: new TextEncoder().encode(value).length }
}

/** A call of the tool `files` that succeeded. */
function fileCall(
  use: Extract<Part, { type: 'tool_use' }>,
  parts: readonly Part[],
): { call: FileCall; size: number | undefined }[] {
  const result = parts.find((part) => part.type === 'tool_result' && part.id === use.id)
  if (use.tool !== 'files' || result?.type !== 'tool_result' || result.is_error) return []
  const call = FileCall.safeParse(use.input).data
  if (!call) return []
  return [{ call, size: Written.safeParse(result.output).data?.size_bytes }]
}

/** Steps of the comparison, which takes quadratic time: texts with more differences are shown as replaced. */
const maxEditLength = 500

function diffOf({ path, find = '', replace = '' }: FileCall): Output {
  const patch = createTwoFilesPatch(path, path, `${find}\n`, `${replace}\n`, undefined, undefined, { maxEditLength })
  return textOutput('diff', path, patch ?? replaced(path, find, replace))
}

const replaced = (path: string, find: string, replace: string): string =>
  [`--- ${path}`, `+++ ${path}`, find.replace(/^/gm, '-'), replace.replace(/^/gm, '+')].join('\n')
