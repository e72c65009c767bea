import { type CallOutcome, callsIn, describeCalls, type Message } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { cut } from '../tools/text.ts'
import { describeTexts } from '../tools/text-files.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { missingIn } from './check-result.ts'
import { filesOf, type Place, projectTexts } from './files.ts'
import { outputsOf } from './outputs.ts'
import type { Output } from './schema.ts'
import type { StoredTask } from './task-store.ts'

/** What an attempt has actually done, regardless of its report. */
export interface Evidence {
  calls: CallOutcome[]
  outputs: Output[]
  report: string
}

/** The evidence of the answers in the conversation of an attempt. */
export async function evidenceIn(context: Context, messages: readonly Message[]): Promise<Evidence> {
  const answers = messages.filter(({ role }) => role === 'assistant')
  return {
    calls: await callsIn(context, answers),
    outputs: outputsOf(messages),
    report: answers.at(-1)?.content ?? '',
  }
}

/** What keeps a task from being completed, found without a model; null if nothing does. */
export async function checkEvidence(
  context: Context,
  project: Place,
  { task, evidence }: { task: StoredTask; evidence: Evidence },
): Promise<string | null> {
  const { title, description, acceptance } = task
  try {
    const files = (await filesOf(context, project)).map(({ path, size_bytes }) => [path, size_bytes] as const)
    return missingIn({
      request: [title, description, ...acceptance].join('.\n'),
      planned: task.files,
      report: evidence.report,
      calls: evidence.calls,
      files: new Map(files),
    })
  } catch (thrown) {
    // The folder is gone, and so is what was written to it.
    if (thrown instanceof Fault) return thrown.message
    throw thrown
  }
}

/** Characters of the calls, the files and the differences that a reviewer reads. */
const maxCalls = 20_000
const maxFiles = 30_000
const maxFile = 15_000
const maxDiffs = 10_000
const maxListing = 5_000

async function listedIn(context: Context, project: Place): Promise<string> {
  const lines = (await filesOf(context, project)).map(({ path, size_bytes }) => `${path} (${size_bytes} bytes)`)
  return cut(lines.join('\n'), maxListing).text || 'none'
}

/** The evidence as a reviewer reads it: the outcome of each call, and the files that it left. */
export async function describeEvidence(
  context: Context,
  project: Place,
  { task, evidence: { calls, outputs } }: { task: StoredTask; evidence: Evidence },
): Promise<string[]> {
  const paths = outputs.flatMap(({ kind, value }) => (kind === 'file' ? [value] : []))
  const changes = calls.some((call) => call.changes && !call.is_error)
  // A shell writes files that no call names.
  const selection = paths.length > 0 ? { paths } : { since: task.started_at }
  const { texts } = changes
    ? await projectTexts(context, project, { max_chars: maxFiles, max_each: maxFile, ...selection })
    : { texts: {} }
  const unread = paths.filter((path) => !(path in texts))
  const diffs = outputs.filter(({ kind }) => kind === 'diff').map(({ value }) => value)
  return [
    `Tool calls with their real outcomes:\n${wrapUntrusted(cut(describeCalls(calls), maxCalls).text)}`,
    `Files that they left:\n${Object.keys(texts).length > 0 ? describeTexts(texts) : 'none'}`,
    `All files in the folder:\n${wrapUntrusted(await listedIn(context, project))}`,
    ...(unread.length > 0 ? [`Written, but too large, not text or deleted since: ${unread.join(', ')}`] : []),
    ...(diffs.length > 0 ? [`Edits:\n${wrapUntrusted(cut(diffs.join('\n'), maxDiffs).text)}`] : []),
  ]
}
