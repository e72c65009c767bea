import { z } from 'zod'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { findCycle } from '../graph.ts'
import { chainColumns, insertMembers, latestChainRun } from './chain-store.ts'
import { existingJobs } from './job-store.ts'
import { ChainRun, Edge, jobId } from './schema.ts'

const fields = {
  name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
  jobs: z.array(jobId).min(1).max(200).meta({ title: 'Jobs' }),
  edges: z.array(Edge).max(2_000).default([]).meta({ title: 'Connections' }),
  on_schedule: z.boolean().default(true).meta({
    title: 'Also continue after scheduled runs',
    description: 'Not only when you start the chain, but also when its first jobs run on their own schedule',
  }),
}

/** Jobs that start when others have ended. A chain never changes; its jobs are kept when it is deleted. */
export const chains = collection({
  noun: 'chain',
  prefix: 'chain',
  path: '/api/scheduler/chains',
  items: 'chains',
  owner: 'caller',
  summaries: {
    list: 'List chains of jobs, newest first',
    create: 'Create a chain: jobs that start when others have ended',
    show: 'Get a chain with its latest run',
    remove: 'Delete a chain; its jobs are kept',
  },
  events: { type: 'chain', id: 'chain_id', audit: false },
  table: { name: 'scheduler_chains', select: chainColumns, joined: ['jobs', 'edges', 'updated_at'] },
  fields,
  hidden: { owner_id: z.string(), updated_at: z.string() },
  derived: { last_run: ChainRun.nullable() },
  derive: async (context, { id }) => ({ last_run: await latestChainRun(context, id) }),
  async prepare(context, { next }) {
    await check(context, next)
    return { edges: [...new Map(next.edges.map((edge) => [keyOf(edge), edge])).values()] }
  },
  also: (_, chain) => insertMembers(chain),
})

export type Chain = z.output<typeof chains.Row>
export type StoredChain = NonNullable<Awaited<ReturnType<typeof chains.find>>>

const keyOf = ({ from, to, type }: Edge) => `${from} ${to} ${type}`

async function check(context: Context, { jobs, edges }: Pick<Chain, 'jobs' | 'edges'>): Promise<void> {
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
