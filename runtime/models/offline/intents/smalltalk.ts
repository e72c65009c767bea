import { NOTICE } from '../notice.ts'
import { type Intent, matched, say } from '../types.ts'

const KINDS: readonly [string, RegExp][] = [
  [
    'greeting',
    /^(?:hi+|hello|hey+|yo|howdy|greetings|hiya|good (?:morning|afternoon|evening|day)|welcome|sup|what'?s up)(?: there| again| all| everyone| hearthd| friend)*$/i,
  ],
  [
    'mood',
    /^(?:(?:can|do) you (?:hear|read|see|understand) me|how are you(?: doing)?(?: today)?|how(?:'s| is) it going|how do you do|are you (?:ok|okay|well|there|awake|alive))$/i,
  ],
  [
    'identity',
    /^(?:(?:who|what) are you|what(?:'s| is) your name|are you (?:an? )?(?:ai|bot|human|robot|real|chatgpt|gpt|claude|gemini|person|offline)\b.*|(?:which|what) (?:ai |language )?model (?:are you|is this|do you use|am I (?:talking|speaking) to)|who am I (?:talking|speaking) to|tell me about yourself|introduce yourself)$/i,
  ],
  [
    'languages',
    /^(?:do you (?:speak|know|understand) (?:german|french|spanish|italian|portuguese|dutch|japanese|chinese|other languages|my language|\p{Lu}\p{Ll}+)|(?:what|which) languages (?:do|can) you (?:speak|know|understand))$/iu,
  ],
  ['dropped', /^(?:forget (?:it|about it)|never ?mind|stop|leave it|nothing|no thanks?(?: you)?)$/i],
  [
    'thanks',
    /^(?:thanks?(?: you)?|thx|ty|cheers|many thanks|much appreciated)(?: (?:so|very) much| a lot| again| for .+)?$/i,
  ],
  [
    'farewell',
    /^(?:bye(?: ?-?bye)?|goodbye|good night|see (?:you|ya)(?: later| soon| tomorrow)?|ciao for now|that(?:'s| is) all|farewell)$/i,
  ],
  [
    'praise',
    /^(?:(?:that(?:'s| is| was) )?(?:great|nice|cool|perfect|awesome|good(?: job| work)?|well done|excellent|wonderful|amazing|lovely)|ok(?:ay)?|got it|understood|alright|all right|I see|yes|no|fine|sure|lol|haha+|(?:\p{Emoji_Presentation}|\p{Emoji_Modifier}|\ufe0f|\s)+)$/iu,
  ],
]

const ANSWERS: Record<string, string> = {
  greeting: 'Hello! What can I do for you? Say "help" to see what I can do here.',
  mood: 'I am running fine, thank you. What can I do for you?',
  identity: `${NOTICE} You can add a real model under Settings → Providers.`,
  languages:
    'English best. I know some phrases in German, French, Spanish, Italian, Portuguese, Dutch, Japanese and Chinese.',
  dropped: 'All right.',
  thanks: 'You are welcome.',
  farewell: 'Goodbye!',
  praise: 'Good. What is next?',
}

export const smalltalk: Intent = {
  name: 'smalltalk',
  tools: [],
  examples: ['hello', 'who are you', 'how are you', 'thank you'],
  alone: true,
  match(text) {
    if (text === '') return matched(0.9, { kind: 'greeting' })
    const kind = KINDS.find(([, pattern]) => pattern.test(text))?.[0]
    return kind ? matched(0.9, { kind }) : null
  },
  async *run({ slots }) {
    yield say(ANSWERS[slots.kind ?? ''] ?? '')
    return undefined
  },
}
