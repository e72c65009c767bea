import { type CallOutcome, callsIn, describeCalls } from '../chat/run-report.ts'
import type { Message } from '../chat/schema.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { cut } from '../tools/text.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { missingIn } from './check-result.ts'
import { filesOf, projectTexts } from './files.ts'
import { outputsOf } from './outputs.ts'
import type { Output, Project } from './schema.ts'
import type { StoredTask } from './task-store.ts'

/** What an attempt has really done, whatever its agent says. */
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
  project: Project,
  { task, evidence }: { task: StoredTask; evidence: Evidence },
): Promise<string | null> {
  const { title, description, acceptance } = task
  try {
    const files = (await filesOf(context, project)).map(({ path, size_bytes }) => [path, size_bytes] as const)
    return missingIn({
      request: [title, description, ...acceptance].join('.\n'),
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
const maxDiffs = 10_000

/** The evidence as a reviewer reads it: the outcome of each call, and the files that it left. */
export async function describeEvidence(
  context: Context,
  project: Project,
  { task, evidence: { calls, outputs } }: { task: StoredTask; evidence: Evidence },
): Promise<string[]> {
  const paths = outputs.flatMap(({ kind, value }) => (kind === 'file' ? [value] : []))
  const changes = calls.some((call) => call.changes && !call.is_error)
  // A shell writes files that no call names.
  const selection = paths.length > 0 ? { paths } : { since: task.started_at }
  const { texts } = changes
    ? await projectTexts(context, project, { max_chars: maxFiles, ...selection })
    : { texts: {} }
  const unread = paths.filter((path) => !(path in texts))
  const diffs = outputs.filter(({ kind }) => kind === 'diff').map(({ value }) => value)
  return [
    `Tool calls with their real outcomes:\n${wrapUntrusted(cut(describeCalls(calls), maxCalls).text)}`,
    `Files that they left:\n${Object.keys(texts).length > 0 ? wrapUntrusted(texts) : 'none'}`,
    ...(unread.length > 0 ? [`Written, but too large, not text or deleted since: ${unread.join(', ')}`] : []),
    ...(diffs.length > 0 ? [`Edits:\n${wrapUntrusted(cut(diffs.join('\n'), maxDiffs).text)}`] : []),
  ]
}
