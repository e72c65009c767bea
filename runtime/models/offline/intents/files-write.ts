import { compose } from '../compose.ts'
import { lacks } from '../notice.ts'
import { isBackReference } from '../references.ts'
import { PATH } from '../sources.ts'
import { unquote } from '../text.ts'
import { call, type Intent, type IntentMatch, matched, type Scene, say } from '../types.ts'

const SHAPES: readonly [string, RegExp][] = [
  [
    'edit',
    new RegExp(
      `^(?:replace|change|swap|substitute)\\s+(?<find>.+?)\\s+(?:with|to|by|for)\\s+(?<content>.+?)\\s+in\\s+(?:the )?(?:file )?(?<path>${PATH})$`,
      'isu',
    ),
  ],
  [
    'edit',
    new RegExp(
      `^in (?:the )?(?:file )?(?<path>${PATH}),?\\s+(?:replace|change)\\s+(?<find>.+?)\\s+(?:with|to|by)\\s+(?<content>.+)$`,
      'isu',
    ),
  ],
  [
    'append',
    new RegExp(
      `^(?:append|add)\\s+(?:the (?:line|text)s? )?(?<content>.+?)\\s+(?:to|onto|at the end of|at the bottom of)\\s+(?:the )?(?:end of )?(?:the )?(?:file )?(?<path>${PATH})$`,
      'isu',
    ),
  ],
  [
    'write',
    new RegExp(
      `^(?:create|make|write|save|start)\\s+(?:me )?(?:an? |the )?(?:new )?(?:text |markdown )?(?:file|document|note)\\s*(?:called |named |at )?(?<path>${PATH})\\s*(?:,?\\s*(?:with|containing|that says|that contains|saying|which says)(?: the)?(?: text| contents?| words)?|:)\\s*(?<content>.+)$`,
      'isu',
    ),
  ],
  [
    'write',
    new RegExp(
      `^(?:write|save|put|store|export|dump)\\s+(?:the (?:text|words) )?(?<content>.+?)\\s+(?:to|into|in|as|under)\\s+(?:an? |the |my )?(?:new )?(?:file )?(?:called |named )?(?<path>${PATH})$`,
      'isu',
    ),
  ],
  ['write', new RegExp(`^(?:write|save)\\s+(?:to\\s+)?(?<path>${PATH})\\s*:\\s*(?<content>.+)$`, 'isu')],
  [
    'write',
    new RegExp(
      `^(?:create|make|start)\\s+(?:me )?(?:an? |the )?(?:new |empty )*(?:text )?(?:file|document|note)\\s+(?:called |named |at )?(?<path>${PATH})$`,
      'iu',
    ),
  ],
  [
    'name',
    /^(?:create|make|write|save|start)(?: me)? (?:an? |the )?(?:new |empty |text )*(?:file|document)$/i,
  ],
  [
    'write',
    /^(?:save|write) (?<content>it|this|that|the (?:summary|result|text))(?: (?:to|into|in|as) (?:a|the) (?:new )?file| down)$/i,
  ],
]

export const filesWrite: Intent = {
  name: 'write',
  tools: ['files'],
  examples: ['write "hello" to notes.md', 'replace "red" with "blue" in notes.md'],
  content: true,
  match(text) {
    for (const [action, shape] of SHAPES) {
      const found = shape.exec(text)
      if (found) return slotsOf(action, found.groups ?? {}, text)
    }
    return null
  },
  async *run({ slots }, scene) {
    const { action = '', path = '' } = slots
    const content = contentOf(slots.content ?? '', scene)
    if (!scene.tools.has('files')) yield say(lacks('files'))
    else if (action === 'name') yield say('What should the file be called?')
    else if (path === '') yield say('Which file should I write that to?')
    else if (content === '') yield say(`What should I write to ${path}?`)
    else {
      const input =
        action === 'edit'
          ? { action, path, find: unquote(slots.find ?? ''), replace: content }
          : { action, path, content }
      yield say(compose(yield call('files', input)))
    }
    return undefined
  },
}

function slotsOf(action: string, groups: Record<string, string>, text: string): IntentMatch {
  const { path = '', content = '', find = '' } = groups
  return { ...matched(0.92, { action, path: unquote(path), content, find }), whole: /\n/.test(text) }
}

function contentOf(content: string, scene: Scene): string {
  if (!isBackReference(content)) return unquote(content)
  const { material } = scene
  if (!material) return ''
  return material.url ? `# ${material.title}\n\n${material.url}\n\n${material.text}\n` : material.text
}
