import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../../../handlers/index.ts'
import type { Iteration, Loop, LoopDetails } from '../../../runtime/loops/schema.ts'
import { apiCommand, type Client, onlyOne, profileTimes } from './client.ts'
import { Failure, plain, print } from './command.ts'

type Body = Api['POST']['/api/loops']['body']

/** Milliseconds between two requests for the state of a loop. */
const pollEvery = 500

const create = apiCommand({
  usage: 'loop new <goal>',
  what: 'Create a loop that works toward a goal; it does not start',
  options: {
    name: { value: 'name', what: 'Name (default: the beginning of the goal)' },
    agent: { value: 'id', what: 'Agent that works on it' },
    criterion: { value: 'text', what: 'What must be true when the goal is reached' },
    check: { value: 'code', what: 'Verify with JavaScript that returns true; input.files has the files' },
    url: { value: 'url', what: 'Verify with a GET request that must be answered with 2xx' },
    ask: {
      what: 'Verify by asking you (default: a second model judges; without a model provider you are asked)',
    },
    iterations: { value: 'count', what: 'Maximum iterations', default: '20' },
    usd: { value: 'amount', what: 'Budget of a run in USD' },
    every: { value: 'seconds', what: 'Pause between two iterations', default: '0' },
  },
  examples: [
    'loop new "Append \\"tea\\" to log.txt" --ask',
    'loop new "Fetch https://example.com/" --url https://example.com/ --every 60',
  ],
  async run([goal = ''], options, client) {
    const { name, agent: agent_id, criterion, usd } = options
    const body = {
      goal,
      name,
      agent_id,
      verification: verificationOf(options),
      success_criteria: criterion === undefined ? [] : [criterion],
      max_iterations: numberOf('iterations', options.iterations),
      interval_seconds: numberOf('every', options.every),
      ...(usd === undefined ? {} : { budget: { usd: numberOf('usd', usd) } }),
    }
    const loop = await client.post('/api/loops', { body })
    print(options, loop, `${lineOf(loop)}\n\nStart it: hearthd loop start ${loop.id}`)
  },
})

function verificationOf({
  check: code,
  url,
  ask,
}: {
  check?: string
  url?: string
  ask?: boolean
}): Body['verification'] {
  if ([code, url, ask].filter((one) => one !== undefined).length > 1)
    throw new Failure('Use only one of --check, --url and --ask')
  if (code !== undefined) return { kind: 'command', spec: { language: 'javascript', code } }
  if (url !== undefined) return { kind: 'http', spec: { url } }
  return ask ? { kind: 'human' } : undefined
}

function numberOf(name: string, text = ''): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new Failure(`--${name} must be a number`)
  return value
}

const list = apiCommand({
  usage: 'loop ls',
  what: 'List the loops, the last changed first',
  async run(_, options, client) {
    const found = await client.get('/api/loops', { query: { limit: 200 } })
    print(options, found, found.loops.map(lineOf).join('\n') || 'No loops')
  },
})

const lineOf = ({ id, status, iteration, max_iterations, name }: Loop): string =>
  `${id.padEnd(32)} ${status.padEnd(10)} ${`${iteration}/${max_iterations}`.padEnd(8)} ${name}`

const show = apiCommand({
  usage: 'loop show <loop>',
  what: 'Show a loop with the iterations of its latest run (loop: id or name)',
  async run([name = ''], options, client) {
    const loop = await findLoop(client, name)
    print(options, loop, describe(loop, await profileTimes(client)))
  },
})

const verbs = [
  ['start', 'Start a new run of a loop (loop: id or name)'],
  ['pause', 'Pause a loop when its current iteration has ended (loop: id or name)'],
  ['resume', 'Continue a paused or failed run (loop: id or name)'],
  ['stop', 'End a run now; what it did stays (loop: id or name)'],
] as const

const controls = verbs.map(([verb, what]) =>
  apiCommand({
    usage: `loop ${verb} <loop>`,
    what,
    async run([name = ''], options, client) {
      const { id } = await findLoop(client, name)
      const loop = await client.post(`/api/loops/{id}/${verb}`, { params: { id } })
      print(options, loop, `${loop.name} is ${loop.pausing ? 'pausing' : loop.status}`)
    },
  }),
)

const steer = apiCommand({
  usage: 'loop steer <loop> <instruction>',
  what: 'Give the next iteration an instruction (loop: id or name)',
  async run([name = '', instruction = ''], options, client) {
    const { id } = await findLoop(client, name)
    const loop = await client.post('/api/loops/{id}/steer', { params: { id }, body: { instruction } })
    print(options, loop, `${loop.name} is told so before its next iteration`)
  },
})

const answer = apiCommand({
  usage: 'loop answer <loop> <answer>',
  what: 'Answer the question of a blocked loop (loop: id or name)',
  async run([name = '', text = ''], options, client) {
    const { id } = await findLoop(client, name)
    const loop = await client.post('/api/loops/{id}/answer', { params: { id }, body: { answer: text } })
    print(options, loop, `${loop.name} is ${loop.status}`)
  },
})

const logs = apiCommand({
  usage: 'loop logs <loop>',
  what: 'Show the iterations of the latest run with their verdicts (loop: id or name)',
  options: {
    follow: { short: 'f', what: 'Keep printing until the run has ended' },
    json: { what: 'Print each iteration as a line of JSON' },
  },
  async run([name = ''], options, client) {
    const { id } = await findLoop(client, name)
    const printed = new Set<string>()
    for (;;) {
      const loop = await client.get('/api/loops/{id}', { params: { id } })
      for (const iteration of loop.iterations) printEnded(iteration, printed, options.json)
      if (!options.follow || !['running', 'waiting'].includes(loop.status)) break
      await sleep(pollEvery)
    }
  },
})

function printEnded(iteration: Iteration, printed: Set<string>, json: boolean | undefined): void {
  if (iteration.ended_at === null || printed.has(iteration.id)) return
  printed.add(iteration.id)
  process.stdout.write(`${json ? JSON.stringify(iteration) : plain(resultOf(iteration))}\n`)
}

const resultOf = ({ index, status, summary, actions, verdict, error, cost_usd }: Iteration): string =>
  [
    `Iteration ${index}  ${verdict ? (verdict.complete ? 'complete' : `${verdict.score}/100`) : status}  $${cost_usd.toFixed(4)}`,
    ...actions.map((action) => `  ${action.is_error ? 'failed: ' : ''}${action.summary}`),
    ...(summary ? [summary.replace(/^/gm, '  ')] : []),
    ...(verdict?.missing ?? []).map((one) => `  missing: ${one}`),
    ...(error ? [`  ${error}`] : []),
  ].join('\n')

function describe(loop: LoopDetails, localTime: (text: string) => string): string {
  const { name, status, id, goal, error, question, cost_usd, budget, next_at, iterations } = loop
  return [
    `${name}  ${status}  ${id}`,
    goal,
    `$${cost_usd.toFixed(4)}${budget.usd === null ? '' : ` of $${budget.usd}`}`,
    ...(next_at ? [`The next iteration starts at ${localTime(next_at)}`] : []),
    ...(question ? [`${question.question}\n${answersTo(loop)}`] : error ? [error] : []),
    ...iterations.map((iteration) => `\n${resultOf(iteration)}`),
  ].join('\n')
}

const answersTo = ({ id, question }: LoopDetails): string => {
  const options = question?.options.map((one) => `"${one}"`).join(' or ')
  return `Answer it${options ? ` (${options}${question?.kind === 'repeat' ? '' : ', or your own text'})` : ''}: hearthd loop answer ${id} "…"`
}

/** The loop with this id, or the only one with this name. */
async function findLoop(client: Client, wanted: string): Promise<LoopDetails> {
  if (/^loop_[0-9a-z]+$/.test(wanted)) return client.get('/api/loops/{id}', { params: { id: wanted } })
  const { loops } = await client.get('/api/loops', { query: { search: wanted, limit: 200 } })
  const { id } = onlyOne('loop', wanted, loops)
  return client.get('/api/loops/{id}', { params: { id } })
}

export const commands = [create, list, show, ...controls, steer, answer, logs]
