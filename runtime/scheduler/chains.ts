import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { invalidField, notFound } from '../fault.ts'
import { findCycle } from '../graph.ts'
import type { Page } from '../http/page.ts'
import { newId } from '../id.ts'
import { required } from '../required.ts'
import { iso } from '../time.ts'
import { rootsOf } from './chain-graph.ts'
import { startChain, startStep } from './chain-runs.ts'
import {
  deleteChain,
  findOwnChain,
  insertChain,
  latestChainRuns,
  listChains,
  type StoredChain,
} from './chain-store.ts'
import { existingJobs } from './job-store.ts'
import type { Chain, Edge, NewChain } from './schema.ts'

const requireChain = required('chain', findOwnChain)

export async function addChain(context: Context, input: NewChain): Promise<Chain> {
  await check(context, input)
  const now = context.clock.now()
  const chain: StoredChain = {
    id: newId('chain', now),
    name: input.name,
    jobs: input.jobs,
    edges: [...new Map(input.edges.map((edge) => [keyOf(edge), edge])).values()],
    on_schedule: input.on_schedule,
    created_at: iso(now),
  }
  const created = event('chain.created', { chain_id: chain.id, name: chain.name })
  const answer = { ...chain, last_run: null }
  await context.commit(insertChain(ownerOf(context), chain), [created], { answer })
  return answer
}

const keyOf = ({ from, to, type }: Edge) => `${from} ${to} ${type}`

async function check(context: Context, { jobs, edges }: NewChain): Promise<void> {
  const existing = await existingJobs(context, jobs)
  for (const [index, job] of jobs.entries()) {
    if (!existing.has(job)) throw invalidField(`jobs.${index}`, `there is no job ${job}`)
    if (jobs.indexOf(job) < index) throw invalidField(`jobs.${index}`, `${job} is listed twice`)
  }
  const members = new Set(jobs)
  for (const [index, { from, to }] of edges.entries()) {
    if (!members.has(from)) throw invalidField(`edges.${index}.from`, `${from} is not a job of the chain`)
    if (!members.has(to)) throw invalidField(`edges.${index}.to`, `${to} is not a job of the chain`)
  }
  const cycle = findCycle(jobs, edges)
  if (cycle) throw invalidField('edges', `form a cycle: ${[...cycle, cycle[0]].join(' → ')}`)
}

export async function showChain(context: Context, id: string): Promise<Chain> {
  const [shown] = await withRuns(context, [await requireChain(context, id)])
  if (!shown) throw notFound(`The chain ${id}`)
  return shown
}

export async function showChains(context: Context, page: Page) {
  const { rows: chains, total } = await listChains(context, page)
  return { chains: await withRuns(context, chains), count: chains.length, total }
}

async function withRuns(context: Context, chains: StoredChain[]): Promise<Chain[]> {
  const latest = await latestChainRuns(
    context,
    chains.map(({ id }) => id),
  )
  return chains.map((chain) => {
    const run = latest.get(chain.id)
    if (!run) return { ...chain, last_run: null }
    const { chain_id: _, ...last_run } = run
    return { ...chain, last_run }
  })
}

/** Deletes a chain. Its jobs are kept, and the current runs finish. */
export async function removeChain(context: Context, id: string): Promise<void> {
  await requireChain(context, id)
  await context.commit([deleteChain(id)], [{ type: 'chain.deleted', data: { chain_id: id } }])
}

/** Starts the first jobs of a chain now, including paused ones: a pause only affects a job's own schedule. */
export async function triggerChain(context: Context, id: string) {
  const chain = await requireChain(context, id)
  const run = startChain(context, chain, iso(context.clock.now()))
  const steps = rootsOf(chain).map((job) => startStep(context, run.id, job))
  const answer = { chain_run_id: run.id, run_ids: steps.map(({ run_id }) => run_id) }
  const statements = steps.flatMap((step) => step.statements)
  await context.commit([...run.statements, ...statements], run.events, { answer })
  context.process.wake()
  return answer
}
