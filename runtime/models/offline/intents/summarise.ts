import { readSource, sourceOf } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { quoted, words } from '../text.ts'
import { type Intent, matched, say } from '../types.ts'

const SHAPE =
  /^(?:summari[sz]e|sum up|shorten|condense|tl;?dr|boil down|(?:give me |write |make )?(?:an? |the )?(?:short |brief |quick )?(?:summary|gist|key points|main points)(?: of)?|what(?:'s| is| are) the (?:gist|summary|main points?|key points?)(?: of)?)\b(?:\s*:)?\s*(?<rest>[\s\S]*)$/i

const ABOUT_IT =
  /^(?:and )?what (?:does|do|did) (?:it|this|that|they|the (?:page|text|article|file|site|document)) say(?: about (?<focus>.+))?$/i

export const summariseText: Intent = {
  name: 'summarise',
  title: 'Summarise',
  tools: [],
  examples: ['summarise: (your text)', 'summarise notes.md'],
  content: true,
  match(text, scene) {
    const about = ABOUT_IT.exec(text)
    if (about && (scene.material || scene.attachments.length > 0))
      return matched(0.85, { rest: '', focus: about.groups?.focus ?? '' })
    const rest = SHAPE.exec(text)?.groups?.rest
    if (rest === undefined || /^(?:everything|what) (?:you|I)\b/i.test(rest)) return null
    return {
      ...matched(0.85, { rest }),
      whole: /\n/.test(text) || /^\S+(?: \S+){0,4}:/.test(text) || words(rest).length > 25,
    }
  },
  async *run({ slots }, scene) {
    const material = yield* readSource(sourceOf(slots.rest ?? '', scene), scene)
    if (typeof material === 'string') {
      yield say(material === '' ? noText(scene.unreadable) : material)
      return undefined
    }
    const summary = summarise(material.text, { title: material.title, focus: slots.focus })
    const same = summary.length >= material.text.trim().length * 0.95
    yield say(
      same
        ? `It is short already:\n\n${quoted(summary)}`
        : `The main sentences of ${material.title}:\n\n${quoted(summary)}`,
    )
    return { ...material, text: summary }
  },
}

function noText(unreadable: readonly string[]): string {
  if (unreadable.length > 0)
    return `I can read text files only, so ${unreadable.join(', ')} stays closed to me.`
  return 'Which text should I summarise? Paste it, or name a file or a web address.'
}
