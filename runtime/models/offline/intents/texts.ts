import { extractEntities } from '../../../english/entities.ts'
import { summarise as summaryOf } from '../../../english/summarise.ts'
import { capitalized } from '../../../label.ts'
import { use } from '../compose.ts'
import { planOffline } from '../plan.ts'
import { addressesIn, readPage, readSource } from '../sources.ts'
import { joinList, quoted } from '../text.ts'
import { type Behaviour, type Material, type Scene, type Script, type Slots, say, speak } from '../types.ts'

const MAX_PAGES = 3

export const fetch: Behaviour = {
  accepts: ({ ask, text = '' }) => ask !== undefined || addressesIn(text).length > 0,
  async *run(slots, scene) {
    const urls = addressesIn(slots.text ?? '').slice(0, MAX_PAGES)
    if (slots.mode === 'open' && scene.tools.has('browser'))
      return yield* use('browser', { action: 'open', url: urls[0] })
    let material: Material | undefined
    for (const url of urls) material = (yield* readOne(url, slots, scene)) ?? material
    return material
  },
}

async function* readOne(url: string, { focus = '' }: Slots, scene: Scene): Script {
  const page = yield* readPage(url, scene)
  yield say(typeof page === 'string' ? page : gist(page, focus))
  return typeof page === 'string' ? undefined : page
}

function gist(page: Material, focus: string): string {
  const summary = summaryOf(page.text, { title: page.title, focus })
  const head = page.title === page.url ? page.url : `**${page.title}** (${page.url})`
  const text = page.text.toLowerCase()
  const words = focus.toLowerCase().split(/\s+/)
  const mentioned = words.some((word) => word.length > 2 && text.includes(word.slice(0, 6)))
  const aside = focus !== '' && !mentioned ? `\n\nIt does not mention "${focus}".` : ''
  return `${head} says, in its own sentences:\n\n${quoted(summary)}${aside}`
}

export const summarise: Behaviour = {
  accepts: ({ it }, { material, attachments }) => !it || !!material || attachments.length > 0,
  async *run({ rest = '', focus = '' }, scene) {
    const material = yield* readSource(rest, scene)
    if (typeof material === 'string') return yield* speak(material || noText(scene.unreadable))
    const summary = summaryOf(material.text, { title: material.title, focus })
    const same = summary.length >= material.text.trim().length * 0.95
    yield say(`${same ? 'It is short already' : `The main sentences of ${material.title}`}:\n\n${quoted(summary)}`)
    return { ...material, text: summary }
  },
}

const noText = (unreadable: readonly string[]): string =>
  unreadable.length > 0
    ? `I can read texts and documents only, so I cannot open ${joinList(unreadable)}.`
    : 'Which text should I summarise? Paste it, or name a file or a web address.'

const KINDS: readonly [RegExp, string][] = [
  [/people|person/i, 'person'],
  [/place|location/i, 'place'],
  [/compan|organi/i, 'organization'],
  [/url|link/i, 'url'],
]

export const names: Behaviour = {
  async *run({ rest = '', kind = '' }, scene) {
    const material = yield* readSource(rest, scene)
    const none = 'Which text should I read for names? Paste it, or name a file or a web address.'
    if (typeof material === 'string') return yield* speak(material || none)
    const only = KINDS.find(([pattern]) => pattern.test(kind))?.[1]
    const entities = (await extractEntities(material.text)).filter(({ type }) => !only || type === only)
    const lines = [...Map.groupBy(entities, ({ type }) => type)].map(
      ([type, group]) => `- ${capitalized(type)}: ${group.map(({ name }) => name).join(', ')}`,
    )
    const title = material.title
    yield say(lines.length > 0 ? `Named in ${title}:\n\n${lines.join('\n')}` : `I found no such names in ${title}.`)
    return material
  },
}

export const plan: Behaviour = {
  async *run({ goal = '' }, scene) {
    const { summary, tasks } = planOffline(goal)
    if (tasks.length < 2)
      return yield* speak(
        `I can order steps, but not invent them.\nWhich steps does "${summary}" take? Write them with commas and "then".`,
      )
    const lines = tasks.map(({ title, depends_on }, index) => {
      const before = joinList(depends_on.map((position) => String(position + 1)))
      return `${index + 1}. ${title}${before && ` (after ${before})`}`
    })
    const written = `${summary}\n\n${lines.join('\n')}`
    const question = `\n\nShall I create the project "${summary.replaceAll('"', "'")}"?`
    yield say(`Here is the plan, in your own steps. ${written}${scene.tools.has('project') ? question : ''}`)
    return { title: summary, text: written }
  },
}
