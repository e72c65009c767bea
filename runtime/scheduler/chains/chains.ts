import type { Context } from '../../context.ts'
import { invalidField, notFound } from '../../fault.ts'
import { newId } from '../../id.ts'
import { iso } from '../../time.ts'
import { findCycle, rootsOf } from './graph.ts'
import { beginStep, newChainRun } from './progress.ts'
import type { Chain, Edge, NewChain } from './schema.ts'
import {
  deleteChain,
  existingJobs,
  findChain,
  insertChain,
  latestChainRuns,
  listChains,
  type StoredChain,
} from './store.ts'

async function requireChain(context: Context, id: string): Promise<StoredChain> {
  const chain = await findChain(context, id)
  if (!chain) throw notFound(`The chain ${id}`)
  return chain
}

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
  const event = { type: 'chain.created', data: { chain_id: chain.id, name: chain.name } }
  await context.commit(insertChain(chain), [event])
  return { ...chain, last_run: null }
}

const keyOf = ({ from, to, type }: Edge) => `${from} ${to} ${type}`

async function check(context: Context, { jobs, edges }: NewChain): Promise<void> {
  const there = await existingJobs(context, jobs)
  for (const [index, job] of jobs.entries()) {
    if (!there.has(job)) throw invalidField(`jobs.${index}`, `${job} is no job`)
    if (jobs.indexOf(job) < index) throw invalidField(`jobs.${index}`, `${job} stands there twice`)
  }
  const members = new Set(jobs)
  for (const [index, { from, to }] of edges.entries()) {
    if (!members.has(from)) throw invalidField(`edges.${index}.from`, `${from} is no job of the chain`)
    if (!members.has(to)) throw invalidField(`edges.${index}.to`, `${to} is no job of the chain`)
  }
  const cycle = findCycle({ jobs, edges })
  if (cycle) throw invalidField('edges', `form a cycle: ${[...cycle, cycle[0]].join(' → ')}`)
}

export async function showChain(context: Context, id: string): Promise<Chain> {
  const [shown] = await withRuns(context, [await requireChain(context, id)])
  if (!shown) throw notFound(`The chain ${id}`)
  return shown
}

export async function showChains(context: Context, page: { limit: number; offset: number }) {
  const { chains, total } = await listChains(context, page)
  return { chains: await withRuns(context, chains), total }
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

/** Its jobs stay, and what runs goes on to its end. */
export async function removeChain(context: Context, id: string): Promise<void> {
  await requireChain(context, id)
  await context.commit([deleteChain(id)], [{ type: 'chain.deleted', data: { chain_id: id } }])
}

/** Starts the first jobs of a chain now; also those that are paused, for a pause is about their own schedule. */
export async function triggerChain(context: Context, id: string) {
  const chain = await requireChain(context, id)
  const fresh = newChainRun(context, chain, iso(context.clock.now()))
  const begun = rootsOf(chain).map((job) => beginStep(context, fresh.id, job))
  await context.commit([...fresh.statements, ...begun.flatMap(({ statements }) => statements)], fresh.events)
  context.process.wake()
  return { chain_run_id: fresh.id, run_ids: begun.map(({ run_id }) => run_id) }
}
