import { compose } from '../compose.ts'
import { dated } from '../dates/dated.ts'
import { lacks } from '../notice.ts'
import { isBackReference } from '../references.ts'
import { summarise } from '../summarise.ts'
import { clip, unquote } from '../text.ts'
import { call, type Intent, type IntentMatch, matched, type Scene, say } from '../types.ts'

const ASKED: readonly RegExp[] = [
  /^(?:always |please )?(?:remember|memori[sz]e|note(?: down)?|keep in mind|don'?t (?:ever )?forget|do not forget|(?:make|take|leave) a note|write down|save|store|jot down|note to self|learn|commit to memory)(?: (?:the following|the fact|to memory|in memory|for later))?(?: (?:of|about|down))?(?: that|:| this:| that:)[,:]?\s+(?<content>.+)$/is,
  /^(?:always )?(?:remember|memori[sz]e|note down|keep in mind|don'?t forget|do not forget|jot down|(?:make|take) a note of|note to self|commit to memory)[,:]?\s+(?<content>.+)$/is,
  /^(?:save|store|put|add|write)\s+(?<content>.+?)\s+(?:to|in|into)\s+(?:your |the |my )?memor(?:y|ies)$/is,
  /^(?:for (?:the|your) record|fyi|just so you know|for future reference|you should know(?: that)?)[,:]?\s+(?<content>.+)$/is,
]
const EMPTY = /^(?:remember|memori[sz]e|note|make a note|take a note)(?: something| this for me)?[:]?$/i
/** What people say of themselves, worth keeping without being asked. */
const STATEMENTS: readonly RegExp[] = [
  /^(?:my name(?:'s| is)|(?:you (?:can|may|should) )?call me) (?!(?:later|back|when|at|in|tomorrow|an?|the)\b)(?<name>[\p{L}][\p{L}'. -]{0,60})$/iu,
  /^I(?:'m| am) (?<name>\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){0,2})$/u,
  /^(?<content>I (?:really |also |absolutely |do |usually |often |only |never |always |don'?t |do not |no longer |just )*(?:like|love|enjoy|prefer|hate|dislike|adore|live|work|study|speak|drive|own|drink|eat|play|grew up|was born|moved|studied|believe in|can'?t stand|collect|teach|run a|have (?:an? |two |three |four |five |no |my own |\d+ )(?!question|problem|idea|request|task|favou?r))(?! (?:to know|you)\b)\b.*)$/iu,
  /^(?<content>I(?:'m| am) (?:allergic|vegetarian|vegan|from|married|born|left-handed|right-handed|colou?r-?blind|intolerant|afraid of|interested in|learning|a fan of|an? \p{Ll}+(?:er|or|ist|ian|ant|ent|eer|man|woman|parent|father|mother|student|nurse|teacher)\b|\d{1,3}(?: years old)?)\b.*)$/iu,
  /^(?<content>(?:my|our) (?!question|to-?do|list|idea|problem|code|request|computer is|job is to)(?:[\p{L}'-]+ ){1,4}(?:is|are|was|has|have|lives?|works?|likes?|loves?|hates?|prefers?|starts?|ends?) .+)$/iu,
]

export const remember: Intent = {
  name: 'remember',
  title: 'Remember',
  tools: ['memory_save'],
  examples: ['remember that I like green tea', 'my name is Sam'],
  content: true,
  match(text, scene) {
    if (EMPTY.test(text)) return matched(0.95)
    if (/\?$/.test(text) || /^remember (?:when|what|who|where|how|me\b)/i.test(text)) return null
    return asked(text, scene) ?? stated(text)
  },
  async *run({ slots }, scene) {
    if (!scene.tools.has('memory_save')) {
      yield say(lacks('memory_save'))
      return undefined
    }
    const content = contentOf(slots, scene)
    if (content === '') {
      yield say('What should I remember?')
      return undefined
    }
    const input = slots.name ? { content, importance: 0.8 } : { content }
    const saved = yield call('memory_save', input)
    yield say(
      !saved.failed && slots.name
        ? `Nice to meet you, ${slots.name}. I will remember your name.`
        : compose(saved),
    )
    return { title: 'what you told me', text: content }
  },
}

function asked(text: string, scene: Scene): IntentMatch | null {
  for (const pattern of ASKED) {
    const content = pattern.exec(text)?.groups?.content
    if (!content) continue
    // "Remember to …" is a task when there is a list for tasks.
    if (/^to \p{L}/iu.test(content) && scene.tools.has('todo')) return null
    return matched(0.97, isBackReference(content) ? { back: content } : { content })
  }
  return null
}

function stated(text: string): IntentMatch | null {
  for (const pattern of STATEMENTS) {
    const { content, name } = pattern.exec(text)?.groups ?? {}
    if (name) return matched(0.9, { name: name.trim() })
    if (content) return matched(0.85, { content })
  }
  return null
}

function contentOf({ content = '', name, back }: Record<string, string>, scene: Scene): string {
  if (name) return `My name is ${name}`
  if (!back) return content === '' ? '' : dated(unquote(content), scene)
  const { material } = scene
  if (!material) return ''
  const gist =
    material.text.length > 600 ? summarise(material.text, { title: material.title }) : material.text
  return clip(`${material.title}${material.url ? ` (${material.url})` : ''}: ${gist}`, 2000)
}
