import { createTwoFilesPatch } from 'diff'
import { z } from 'zod'
import type { Message, Part } from '../chat/schema.ts'
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

/** What an answer has produced: its report, the files that it wrote, and its edits as unified diffs. */
export function outputsOf(message: Message): Output[] {
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool_use' ? fileCall(part, message.parts) : [],
  )
  const files = new Map(calls.map(({ call, size }) => [call.path, size]))
  return [
    ...(message.content.trim() === '' ? [] : [textOutput('text', 'Report', message.content)]),
    ...[...files].map(
      ([path, size]): Output => ({ kind: 'file', name: path, value: path, size_bytes: size }),
    ),
    ...calls.flatMap(({ call }) => (call.action === 'edit' ? [diffOf(call)] : [])),
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
): { call: FileCall; size: number }[] {
  const result = parts.find((part) => part.type === 'tool_result' && part.id === use.id)
  if (use.tool !== 'files' || result?.type !== 'tool_result' || result.is_error) return []
  const call = FileCall.safeParse(use.input).data
  if (!call) return []
  return [{ call, size: Written.safeParse(result.output).data?.size_bytes ?? 0 }]
}

const diffOf = ({ path, find = '', replace = '' }: FileCall): Output =>
  textOutput('diff', path, createTwoFilesPatch(path, path, `${find}\n`, `${replace}\n`))
