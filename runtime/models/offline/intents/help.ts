import { ADD_FOR_MORE, NOTICE } from '../notice.ts'
import { isUsable } from '../route.ts'
import { joinList } from '../text.ts'
import { type Intent, matched, type Scene, say } from '../types.ts'

const HELP =
  /^(?:help(?: me)?(?: out)?|I(?: need|'d like| want| could use)(?: some| your)? help|I(?:'m| am) (?:stuck|lost)|what (?:can|should|could|do) I (?:ask|say|do|try)(?: you)?(?: here)?|\/?help|\?|what (?:else )?(?:can|could|do) you do(?: for me)?(?: here)?|what are (?:you able to do|your (?:abilities|capabilities|features|skills|commands|tools|options))|how (?:can|could|do) you help(?: me)?|how does this work|how do (?:I|you) (?:use|work with) (?:this|you)|(?:show|list|tell)(?: me)? (?:(?:all )?(?:the |your )?(?:commands|tools|abilities|capabilities|skills|features|options)|what you can do)|which tools (?:do you have|are there)|commands|menu|what tools (?:do you have|can you use|are available))$/i
const PROVIDER =
  /\b(?:(?:add|set ?up|configure|connect|use|install|choose|enable|switch to|get|change)\b.*\b(?:provider|llm|(?:real|better|other|different|another|ai|language|local) model|ollama|api key|openai|anthropic|gpt|claude|gemini|mistral|openrouter)|go online)\b/i

const PROVIDER_STEPS = `To add a model: open Settings → Providers, pick a vendor (Anthropic, OpenAI, Google, Mistral, Groq, DeepSeek or \
OpenRouter), paste its API key and press Test. For a model on your own machine, start Ollama (ollama serve, then \
ollama pull with a model's name), or any OpenAI-compatible server, and choose it on the same page; no key is needed.`

export const help: Intent = {
  name: 'help',
  tools: [],
  examples: ['what can you do', 'help', 'how do I add a provider'],
  match(text) {
    if (HELP.test(text)) return matched(0.95, { kind: 'abilities' })
    if (PROVIDER.test(text) && !/https?:\/\/|^(?:remember|remind|plan|write|search)/i.test(text))
      return matched(0.85, { kind: 'provider' })
    return null
  },
  async *run({ slots }, scene) {
    yield say(slots.kind === 'provider' ? PROVIDER_STEPS : abilities(scene))
    return undefined
  },
}

function abilities(scene: Scene): string {
  const usable = scene.intents.filter((intent) => intent.title && isUsable(intent, scene))
  const lines = usable.map(({ title, examples }) => {
    return `- **${title}**: ${joinList(
      examples.slice(0, 2).map((example) => `"${example}"`),
      'or',
    )}`
  })
  const missing = scene.intents.filter((intent) => intent.title && !isUsable(intent, scene))
  const absent =
    missing.length > 0 ? `\n\nNot available in this conversation: ${joinList(missing.map(lowerTitle))}.` : ''
  return `${NOTICE} Here is what I can do now:\n\n${lines.join('\n')}${others(scene)}${absent}\n\n${ADD_FOR_MORE}`
}

/** Tools that no intent knows can still be called by name. */
function others(scene: Scene): string {
  const known = new Set(['time', 'ask_user', ...scene.intents.flatMap((intent) => intent.tools)])
  const unknown = [...scene.tools.keys()].filter((name) => !known.has(name)).slice(0, 12)
  return unknown.length > 0
    ? `\n- **Other tools**, by name, as in "use ${unknown[0]} with {…}": ${joinList(unknown)}`
    : ''
}

function lowerTitle({ title = '' }: Intent): string {
  return title.toLowerCase()
}
