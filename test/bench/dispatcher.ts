import { readFileSync } from 'node:fs'
import { createClock } from '../../adapters/clock/clock.ts'
import { LocalEmbedder } from '../../adapters/embedder/local.ts'
import { createMemoryHost } from '../../adapters/memory/host.ts'
import { areas } from '../../handlers/index.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { type Choice, decide } from '../../runtime/dispatcher/decide.ts'
import { matchRules } from '../../runtime/dispatcher/rules.ts'
import { answered, dispatcherSettings, Intent } from '../../runtime/dispatcher/schema.ts'
import { byMeaning } from '../../runtime/dispatcher/similar.ts'
import { readSection } from '../../runtime/sections/section.ts'
import { percentile, type Row } from './table.ts'

const isAnswered = (intent: Intent) => (answered as readonly Intent[]).includes(intent)

export interface Labelled {
  intent: Intent
  language: string
  text: string
}

/** Labelled sentences, none of which the matcher knows. */
export function heldOut(): Labelled[] {
  const file = new URL('../fixtures/dispatcher/held-out.txt', import.meta.url)
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [intent, language = '', ...words] = line.split(' ')
      return { intent: Intent.parse(intent), language, text: words.join(' ') }
    })
}

/** Accuracy and latency of the dispatcher without a model, next to rules alone and to always saying "chat". */
export async function run(): Promise<Row[]> {
  // The timers of the clock do not keep the process alive.
  const keepsAlive = setInterval(() => undefined, 1_000)
  const clock = createClock()
  const embedder = new LocalEmbedder({ clock, idle_ms: 600_000 })
  const host = Object.assign(await createMemoryHost(areas, { embedder }), { clock })
  const context = localContext(host)
  const agent = await requireDefaultAgent(host)
  const settings = await readSection(host, dispatcherSettings)
  const ask = (text: string) => decide(context, { text, settings, agent, run_ref: 'bench' })
  await warmUp(() => byMeaning(context, 'Where is the train to the coast'))
  const results: Result[] = []
  const samples: number[] = []
  for (const sentence of heldOut().filter(({ language }) => language === 'en')) {
    const began = performance.now()
    const made = await ask(sentence.text)
    samples.push(performance.now() - began)
    results.push({ sentence, made })
  }
  await embedder.close()
  clearInterval(keepsAlive)
  return [...accuracy(results), ...latency(samples)]
}

/** The examples are embedded in the background. */
async function warmUp(ready: () => Promise<unknown>): Promise<void> {
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 500))
}

interface Result {
  sentence: Labelled
  made: Choice
}

function accuracy(results: readonly Result[]): Row[] {
  const share = (some: readonly Result[], isRight: (result: Result) => boolean) =>
    (100 * some.filter(isRight).length) / some.length
  const decided = ({ sentence, made }: Result) => made.intent === sentence.intent
  const byRule = ({ sentence }: Result) => matchRules(sentence.text)?.intent === sentence.intent
  const started = ({ sentence, made }: Result) =>
    made.intent === sentence.intent || (isAnswered(made.intent) && isAnswered(sentence.intent))
  const row = (what: string, some: readonly Result[]): Row => ({
    what: `right intent: ${what}`,
    value: share(some, decided),
    unit: '%',
    baseline: share(some, byRule),
    note: `${some.length} sentences; baseline: rules only`,
  })
  const groups = (of: (one: Labelled) => string) =>
    [...new Set(results.map(({ sentence }) => of(sentence)))].map((key) =>
      row(
        key,
        results.filter(({ sentence }) => of(sentence) === key),
      ),
    )
  const majority = Intent.options.map((intent) => share(results, ({ sentence }) => sentence.intent === intent))
  return [
    row('all', results),
    {
      what: 'right outcome: all',
      value: share(results, started),
      unit: '%',
      note: 'what is started is the same',
    },
    { what: 'always the most frequent intent', value: Math.max(...majority), unit: '%' },
    ...groups(({ intent }) => intent),
  ]
}

const latency = (samples: readonly number[]): Row[] =>
  [0.5, 0.95].map((fraction) => ({
    what: `latency p${fraction * 100}, warm, without a model`,
    value: percentile(samples, fraction),
    unit: 'ms',
  }))
