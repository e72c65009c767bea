import { ADD_PROVIDER } from '../notice.ts'
import { type Intent, matched, say } from '../types.ts'

/** What is asked for stands in front; the rest, up to a pasted book, is content. */
const HEAD = 300

/** What people ask of real models: the pattern, and why this one cannot. */
const LIMITS: readonly [RegExp, string][] = [
  [
    /^(?:translate|how (?:do|would) (?:you|I|we) say\b|what(?:'s| is) .+ in (?:german|french|spanish|italian|portuguese|dutch|japanese|chinese|english|russian|korean|arabic|latin|polish|turkish|swedish|greek)$)/i,
    'I cannot translate: that takes a language model with learned knowledge, and I only follow rules.',
  ],
  [
    /^(?:write|compose|create|make|tell|draft|generate|invent|come up with|give me|sing)(?: me)?(?: us)?(?: an?| the| some| \d+| another| five| three| ten)?(?: \p{L}+){0,2} (?:poem|story|stories|song|haiku|joke|jokes|essay|letter|e-?mail|blog ?post|article|speech|limerick|novel|script|tweet|post|caption|slogan|slogans|name ideas|ideas|recipe|recipes|riddle|cv|resume|cover letter|lyrics|rap)\b/iu,
    'I cannot write creatively: I compose my answers from fixed phrases and from what tools return.',
  ],
  [
    /^(?:write|generate|create|fix|debug|refactor|review|explain|optimi[sz]e|implement|code)(?: me)?(?: an?| the| this| my| some)?(?: \p{L}+){0,3} (?:code|function|program|script|class|regex|query|component|algorithm|app|bug|unit tests?|website)\b/iu,
    'I cannot write or judge code: that takes a real language model.',
  ],
  [
    /^(?:draw|paint|sketch|generate (?:an? )?(?:image|picture|photo|logo)|create (?:an? )?(?:image|picture|logo)|describe (?:this|the) (?:image|picture|photo))/i,
    'I cannot make or see images.',
  ],
  [
    /^(?:rewrite|rephrase|paraphrase|proofread|correct|improve|polish|reword|edit) (?:this|the|my|it|these)\b/i,
    'I cannot rewrite or correct texts. I can shorten one: "summarise: …".',
  ],
  [
    /\b(?:weather|forecast|temperature outside|will it rain|is it raining)\b/i,
    'I have no weather source of my own. I can read a weather page if you give me its address.',
  ],
  [
    /\b(?:latest|today'?s|current|recent|breaking)\b.*\bnews\b|^(?:what(?:'s| is) (?:in )?the news|news|any news)|\b(?:stock|share|bitcoin|exchange) (?:price|rate)s?\b/i,
    'I have no source for news or prices of my own. I can read a page if you give me its address.',
  ],
  [
    /^(?:search|look up|google|find)(?: for)?(?: .+)? (?:on |in )?(?:the )?(?:web|internet|online|google)\b|^google\b|^(?:search|browse) (?:the )?(?:web|internet)\b/i,
    'I have no web search. I can read a page if you give me its address.',
  ],
  [
    /^(?:forget|unlearn|erase|wipe)\b(?:.*\b(?:about|that|memor|everything|my|it)\b.*)$|^(?:delete|remove|clear) .*\bmemor(?:y|ies)\b/i,
    'I have no tool that deletes from memory. You can delete any memory on the Memory page.',
  ],
  [
    /^(?:delete|remove|erase|rename|move|copy)\s+(?:the |my )?(?:file|folder|document)\b|^(?:delete|remove|erase|rename|move|copy)\s+\S+\.\w{1,5}\b/i,
    'I cannot delete, rename or copy files: the files tool can list, read, write, edit and search.',
  ],
  [
    /^(?:send|write|text|message|e-?mail|call|phone|post|tweet)\s+(?:an? )?(?:message|e-?mail|sms|text|mail|dm)?\s*(?:to )?\p{L}+.*(?:\bto\b|\bthat\b|\bsaying\b|@)/iu,
    'I cannot send messages by myself. If a tool for it is connected, name it: use channel_send with {…}.',
  ],
  [
    /^(?:recommend|suggest|what should I|which .+ should I|should I|what do you think|give me advice|advise)\b/i,
    'I cannot advise or judge: I have rules and tools, no opinions.',
  ],
]

export const cannot: Intent = {
  name: 'cannot',
  tools: [],
  examples: [],
  content: true,
  match(text) {
    const reason = LIMITS.find(([pattern]) => pattern.test(text.slice(0, HEAD)))?.[1]
    return reason
      ? {
          ...matched(0.65, { reason }),
          whole: /^(?:translate|write|compose|rewrite|rephrase|send)/i.test(text),
        }
      : null
  },
  async *run({ slots }) {
    const named = slots.reason ?? ''
    yield say(
      /if you give me|name it:|Memory page|files tool/.test(named) ? named : `${named} ${ADD_PROVIDER}`,
    )
    return undefined
  },
}
