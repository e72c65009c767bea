import { backfill, consolidate, generate, job } from '../../../handlers/memory/jobs.ts'
import type { Host } from '../../../runtime/host.ts'
import { JobOrNone, type MemoryJob } from '../../../runtime/memory/schema.ts'
import { configure } from '../../providers/kit.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'
import { type ScriptedModels, type Step, scriptedModels, text } from '../../support/models.ts'
import { workOff } from '../../support/work.ts'

export const endpoints = { generate, consolidate, backfill }
export type Task = keyof typeof endpoints

/** Runs a job to its end and returns it. */
export async function run(host: Host, task: Task, body: Record<string, unknown> = {}): Promise<MemoryJob> {
  const response = await call(endpoints[task], host, { body })
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  const { job: started } = JobOrNone.parse(await response.json())
  await workOff(host)
  const ended = await latest(host, task === 'generate' ? 'generate' : 'consolidate')
  if (ended?.id !== started?.id || !ended) throw new Error('another job has ended')
  return ended
}

export async function latest(host: Host, kind: string): Promise<MemoryJob | null> {
  return JobOrNone.parse(await (await call(job, host, { params: { kind } })).json()).job
}

/** A host with one provider and scripted answers. */
export async function hostWithModel(...script: Step[]) {
  const models: ScriptedModels = scriptedModels(...script)
  const host = await testHost({ models })
  await configure(host, ['openai'])
  return { host, models }
}

/** An answer about a batch, an item for each memory. */
export const answer = (...episodes: Record<string, unknown>[]): Step =>
  text(JSON.stringify({ episodes: episodes.map((episode, index) => ({ number: index + 1, ...episode })) }))
