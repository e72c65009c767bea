import { ADD_FOR_MORE, ADD_PROVIDER, NOTICE } from '../notice.ts'
import { isUsable } from '../route.ts'
import { joinList } from '../text.ts'
import { grammar, type Intent, type Scene, speak } from '../types.ts'

const PROVIDER_STEPS = `To add a model: open Settings → Model providers, pick a vendor (Anthropic, OpenAI, Google, Mistral, Groq, DeepSeek or \
OpenRouter), paste its API key and press Test. For a model on your own machine, start Ollama (ollama serve, then \
ollama pull with a model's name), or any OpenAI-compatible server, and choose it on the same page; no key is needed.`

export const help: Intent = {
  tools: [],
  examples: ['what can you do', 'help', 'how do I add a provider'],
  rules: grammar`
    @ 0.95
      /?help( me)?( out)?|\?|commands|menu|how does this work
      I( need|'d like| want| could use)( some| your)? help|I('m| am) (stuck|lost)
      what (can|should|could|do) I (ask|say|do|try)( you)?( here)?|what (else )?(can|could|do) you (do|help( me)? with)( for me)?( here)?
      what are (you able to do|your (abilities|capabilities|features|options|skills|commands|tools))|how (can|could|do) you help( me)?
      how do (I|you) (use|work with) (this|you)|(which|what) tools (do you have|can you use|are (there|available))
      (show|list|tell)( me)? ((all )?(the |your )?(commands|tools|abilities|capabilities|skills|features|options)|what you can do)
    @ 0.85; kind: provider
      (?!.*https?:\/\/|remember|remind|plan|write|search).*\b((add|set ?up|configure|connect|use|install|choose|enable|switch to|get|change)\b.*\b(provider|llm|(real|better|other|different|another|ai|language|local) model|ollama|api key|openai|anthropic|gpt|claude|gemini|mistral|openrouter)|go online)\b.*
  `,
  run: ({ kind }, scene) => speak(kind === 'provider' ? PROVIDER_STEPS : abilities(scene)),
}

function abilities(scene: Scene): string {
  const titled = scene.intents.filter(({ title }) => title)
  const lines = titled
    .filter((intent) => isUsable(intent, scene))
    .map(({ title, examples }) => {
      const shown = examples.slice(0, 2).map((example) => `"${example}"`)
      return `- **${title}**: ${joinList(shown, 'or')}`
    })
  const missing = titled
    .filter((intent) => !isUsable(intent, scene))
    .map(({ title = '' }) => title.toLowerCase())
  const absent = missing.length > 0 ? `\n\nNot available in this conversation: ${joinList(missing)}.` : ''
  return `${NOTICE} Here is what I can do now:\n\n${[...lines, ...otherTools(scene)].join('\n')}${absent}\n\n${ADD_FOR_MORE}`
}

/** Tools that no intent knows can still be called by name. */
function otherTools(scene: Scene): string[] {
  const known = new Set(['time', 'ask_user', ...scene.intents.flatMap(({ tools }) => tools)])
  const unknown = [...scene.tools.keys()].filter((name) => !known.has(name)).slice(0, 12)
  if (unknown.length === 0) return []
  return [`- **Other tools**, by name, as in "use ${unknown[0]} with {…}": ${joinList(unknown)}`]
}

export const smalltalk: Intent = {
  tools: [],
  examples: ['hello', 'who are you', 'how are you', 'thank you'],
  alone: true,
  rules: grammar`
    @ 0.9; answer: Hello! What can I do for you? Say "help" to see what I can do here.
      |(hi+|hello|hey+|yo|howdy|greetings|hiya|(good )?(morning|afternoon|evening)|good day|welcome|sup|what'?s up)( there| again| all| everyone| hearthd| friend)*
    @ 0.9; answer: I am running fine, thank you. What can I do for you?
      (can|do) you (hear|read|see|understand) me|how are you( doing)?( today)?|how('s| is) it going|how do you do|are you (ok|okay|well|there|awake|alive)
    @ 0.9; answer: ${NOTICE} You can add a real model under Settings → Model providers.
      (who|what) are you|what('s| is) your name|are you (an? )?(ai|bot|human|robot|real|chatgpt|gpt|claude|gemini|person|offline)\b.*|(which|what) (ai |language )?model (are you|is this|do you use|am I (talking|speaking) to)|who am I (talking|speaking) to|tell me about yourself|introduce yourself
    @ 0.9; answer: English best. I know some phrases in German, French, Spanish, Italian, Portuguese, Dutch, Japanese and Chinese.
      do you (speak|know|understand) (german|french|spanish|italian|portuguese|dutch|japanese|chinese|other languages|my language|\p{Lu}\p{L}+)|(what|which) languages (do|can) you (speak|know|understand)
    @ 0.9; answer: All right.
      forget (it|about it)|never ?mind|stop|leave it|nothing|no thanks?( you)?
    @ 0.9; answer: You are welcome.
      (thanks?( you)?|thx|ty|cheers|many thanks|much appreciated)( (so|very) much| a lot| again| for .+)?
    @ 0.9; answer: Goodbye!
      bye( ?-?bye)?|goodbye|good night|see (you|ya)( later| soon| tomorrow)?|ciao for now|that('s| is) all|farewell
    @ 0.9; answer: Good. What is next?
      (that('s| is| was) )?(great|nice|cool|perfect|awesome|good( job| work)?|well done|excellent|wonderful|amazing|lovely)|ok(ay)?|got it|understood|alright|all right|I see|yes|no|fine|sure|lol|haha+|(\p{Emoji_Presentation}|\p{Emoji_Modifier}|\ufe0f|\s)+
  `,
  run: ({ answer = '' }) => speak(answer),
}

/** First words of orders whose text is content. */
const ORDER = '^(translate|write|compose|rewrite|rephrase|send)'

/** Questions and orders that need a real model: why this one cannot, and the first words by which they are known. */
export const cannot: Intent = {
  tools: [],
  examples: [],
  content: true,
  rules: grammar`
    @ 0.65; reason: I cannot translate: that takes a language model with learned knowledge, and I only follow rules. ${ADD_PROVIDER}; whole: ${ORDER}
      (translate|how (do|would) (you|I|we) say\b|what('s| is) .+ in (german|french|spanish|italian|portuguese|dutch|japanese|chinese|english|russian|korean|arabic|latin|polish|turkish|swedish|greek)$).*
    @ 0.65; reason: I cannot write creatively: I compose my answers from fixed phrases and from what tools return. ${ADD_PROVIDER}; whole: ${ORDER}
      (write|compose|create|make|tell|draft|generate|invent|come up with|give me|sing)( me)?( us)?( an?| the| some| \d+| another| five| three| ten)?( \p{L}+){0,2} (poem|story|stories|song|haiku|joke|jokes|essay|letter|e-?mail|blog ?post|article|speech|limerick|novel|script|tweet|post|caption|slogan|slogans|name ideas|ideas|recipe|recipes|riddle|cv|resume|cover letter|lyrics|rap)\b.*
    @ 0.65; reason: I cannot write or judge code: that takes a real language model. ${ADD_PROVIDER}; whole: ${ORDER}
      (write|generate|create|fix|debug|refactor|review|explain|optimi[sz]e|implement|code)( me)?( an?| the| this| my| some)?( \p{L}+){0,3} (code|function|program|script|class|regex|query|component|algorithm|app|bug|unit tests?|website)\b.*
    @ 0.65; reason: I cannot make or see images. ${ADD_PROVIDER}
      (draw|paint|sketch|(generate|create) (an? )?(image|picture|photo|logo)|describe (this|the) (image|picture|photo)).*
    @ 0.65; reason: I cannot rewrite or correct texts. I can shorten one: "summarise: …". ${ADD_PROVIDER}; whole: ${ORDER}
      (rewrite|rephrase|paraphrase|proofread|correct|improve|polish|reword|edit) (this|the|my|it|these)\b.*
    @ 0.65; reason: I have no weather source of my own. I can read a weather page if you give me its address.
      .{0,280}\b(weather|forecast|temperature outside|will it rain|is it raining)\b.*
    @ 0.65; reason: I have no source for news or prices of my own. I can read a page if you give me its address.
      .{0,280}\b(latest|today'?s|current|recent|breaking)\b.*\bnews\b.*
      (what('s| is) (in )?the news|news|any news).*
      .{0,280}\b(stock|share|bitcoin|exchange) (price|rate)s?\b.*
    @ 0.65; reason: I have no web search. I can read a page if you give me its address.
      (search|look up|google|find)( for)?( .+)? (on |in )?(the )?(web|internet|online|google)\b.*
      google\b.*
      (search|browse) (the )?(web|internet)\b.*
    @ 0.65; reason: I have no tool that deletes from memory. You can delete any memory on the Memory page.
      (forget|unlearn|erase|wipe)\b(.*\b(about|that|memor|everything|my|it)\b.*)
      (delete|remove|clear) .*\bmemor(y|ies)\b.*
    @ 0.65; reason: I cannot delete, rename or copy files: the files tool can list, read, write, append, edit and search.
      (delete|remove|erase|rename|move|copy)\s+((the |my )?(file|folder|document)\b|\S+\.\w{1,5}\b).*
    @ 0.65; reason: I cannot send messages myself. If a tool for it is connected, name it: use channel_send with {…}.; whole: ${ORDER}
      (send|write|text|message|e-?mail|call|phone|post|tweet)\s+(an? )?(message|e-?mail|sms|text|mail|dm)?\s*(to )?\p{L}+.*(\bto\b|\bthat\b|\bsaying\b|@).*
    @ 0.65; reason: I cannot advise or judge: I have rules and tools, no opinions. ${ADD_PROVIDER}
      (recommend|suggest|what should I|which .+ should I|should I|what do you think|give me advice|advise)\b.*
  `,
  run: ({ reason = '' }) => speak(reason),
}
