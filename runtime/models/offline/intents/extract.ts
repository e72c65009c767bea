import { type Entity, extractEntities } from '../extract.ts'
import { readSource, sourceOf } from '../sources.ts'
import { capitalise } from '../text.ts'
import { type Intent, type IntentMatch, matched, say } from '../types.ts'

const THINGS =
  'named entities|entities|names|proper nouns|people|persons|places|locations|companies|organi[sz]ations|urls|links|projects and people'
const SHAPES: readonly RegExp[] = [
  new RegExp(
    `^(?:extract|find|list|pull out|identify|get|show|name|give me|tell me|recogni[sz]e)(?: me)?(?: all)?(?: the| of the)?(?: \\w+)? ?(?<kind>${THINGS})(?:(?:,| and) (?:the )?(?:${THINGS}))*(?: (?:that are )?(?:mentioned|named|occurring))?(?:\\s*(?:in|from|of|out of|:)\\s*(?<rest>[\\s\\S]*))?$`,
    'i',
  ),
  /^(?:who|what|which (?<kind>people|places|companies|organi[sz]ations))(?: all)? (?:is|are|was|were|gets?) (?:mentioned|named)(?: here)?(?: in)?:?\s*(?<rest>[\s\S]*)$/i,
]

export const extract: Intent = {
  name: 'extract',
  title: 'Find names in a text',
  tools: [],
  examples: ['extract entities: Anna met Tim Cook in Berlin', 'who is mentioned in it'],
  content: true,
  match(text) {
    for (const shape of SHAPES) {
      const found = shape.exec(text)
      if (found) return slotsOf(found)
    }
    return null
  },
  async *run({ slots }, scene) {
    const source = sourceOf(slots.rest ?? '', scene)
    const material = yield* readSource(source, scene)
    if (typeof material === 'string') {
      yield say(
        material === ''
          ? 'Which text should I read for names? Paste it, or name a file or a web address.'
          : material,
      )
      return undefined
    }
    const wanted = slots.kind ?? ''
    const entities = (await extractEntities(material.text)).filter(({ type }) => isWanted(type, wanted))
    yield say(namesFound(entities, material.title))
    return material
  },
}

function slotsOf(found: RegExpExecArray): IntentMatch {
  const { kind = '', rest = '' } = found.groups ?? {}
  return { ...matched(0.92, { kind: kind.toLowerCase(), rest }), whole: /:|\n/.test(found[0]) }
}

function isWanted(type: string, kind: string): boolean {
  if (/people|person/.test(kind)) return type === 'person'
  if (/place|location/.test(kind)) return type === 'place'
  if (/compan|organi/.test(kind)) return type === 'organization'
  if (/url|link/.test(kind)) return type === 'url'
  return true
}

/** "Person: Anna, Tim Cook", one line for each type. */
export function namesFound(entities: readonly Entity[], title: string): string {
  if (entities.length === 0) return `I found no such names in ${title}.`
  const types = [...new Set(entities.map(({ type }) => type))]
  const lines = types.map((type) => {
    return `- ${capitalise(type)}: ${entities
      .filter((entity) => entity.type === type)
      .map(({ name }) => name)
      .join(', ')}`
  })
  return `Named in ${title}:\n\n${lines.join('\n')}`
}
