import { expect, test } from 'vitest'
import { noEmbedder } from '../../adapters/memory/embedder.ts'
import * as api from '../../handlers/dispatcher/decisions.ts'
import { InjectResult, Intent } from '../../runtime/dispatcher/schema.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { paired } from '../devices/kit.ts'
import sentences from '../fixtures/dispatcher/languages.json' with { type: 'json' }
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, toolCall } from '../support/models.ts'

interface Labelled {
  language: string
  intent: Intent
  text: string
}

/** Sentences in ten languages that the rules and examples were not made with. */
const labelled: Labelled[] = Object.entries(sentences).flatMap(([language, intents]) =>
  Object.entries(intents).flatMap(([intent, texts]) =>
    texts.split(' | ').map((text) => ({ language, intent: Intent.parse(intent), text })),
  ),
)

const asked: readonly Intent[] = ['project', 'loop', 'workflow', 'device']

/** What happens with a sentence: it is asked about, opens a page, or becomes a message to the agent. */
function outcomeOf(intent: Intent, status: string, page: string | null): string {
  if (status === 'clarifying') return `asks about ${intent}`
  return page?.startsWith('/settings') ? 'opens the settings' : 'starts a conversation'
}

const expectedOf = (intent: Intent): string => {
  if (asked.includes(intent)) return `asks about ${intent}`
  return intent === 'settings' ? 'opens the settings' : 'starts a conversation'
}

/** A model that says of each sentence what it was meant to be. */
function knowingModels() {
  const answerTo = ({ messages }: ModelCall) => {
    const said = JSON.stringify(messages)
    return labelled.find(({ text }) => said.includes(JSON.stringify(text).slice(1, -1)))?.intent ?? 'chat'
  }
  return Object.assign(scriptedModels(), {
    async *stream(request: ModelCall) {
      const input = { intent: answerTo(request), confidence: 0.9, reason: 'It says so' }
      yield* toolCall('submit_intent', input)
    },
  })
}

/** Which sentences end otherwise than they should, and whether anything expensive was started. */
async function judged(some: readonly Labelled[], { model }: { model: boolean }) {
  const host = await testHost({ embedder: noEmbedder, ...(model && { models: knowingModels() }) })
  if (model) await configure(host, ['anthropic'])
  await paired(host)
  const wrong: string[] = []
  for (const { language, intent, text } of some) {
    const response = await call(api.inject, host, { body: { text } })
    const { decision, page } = InjectResult.parse(await response.json())
    const outcome = outcomeOf(decision.intent, decision.status, page)
    if (outcome !== expectedOf(intent)) wrong.push(`${language} ${intent}: ${text} → ${outcome} (${decision.method})`)
  }
  const started = await host.sql.read('SELECT id FROM projects UNION ALL SELECT id FROM loops')
  return { wrong, started: started.length }
}

const languages = Object.keys(sentences)
const of = (language: string) => labelled.filter((sentence) => sentence.language === language)

test('there are 500 sentences in ten languages', () => {
  expect([labelled.length, languages.length]).toEqual([500, 10])
})

test.each(languages)('with a model, the outcome is right for 95 of 100 sentences: %s', async (language) => {
  const { wrong, started } = await judged(of(language), { model: true })

  expect(wrong.slice(Math.floor(0.05 * of(language).length))).toEqual([])
  expect(started).toBe(0)
})

test('without a model, the outcome is right for 90 of 100 English sentences', async () => {
  const { wrong, started } = await judged(of('en'), { model: false })

  expect(wrong.slice(Math.floor(0.1 * of('en').length))).toEqual([])
  expect(started).toBe(0)
})

test('without a model, a sentence in another language becomes a conversation and is not asked about', async () => {
  const others = labelled.filter(({ language }) => language !== 'en')
  const { wrong, started } = await judged(
    others.map((sentence) => ({ ...sentence, intent: 'chat' })),
    { model: false },
  )

  expect(wrong).toEqual([])
  expect(started).toBe(0)
})
