const STOP_WORDS = new Set(
  `a about after all also am an and any are as at be because been before but by can could did do does for from had has
  have he her here him his how i if in into is it its just like many may me more most much my no not of on or our out over she so
  some such than that the their them then there these they this those to up us was we were what when where which who
  whom whose why will with would you your tell know said say`.split(/\s+/),
)

/** Verbs that start a task: "and" between two of them separates tasks, "salt and pepper" stays whole. */
export const VERBS = new Set(
  `add agree analyse analyze announce answer apply approve arrange ask assemble assign back bake begin book borrow brief
  bring build buy calculate call cancel celebrate change charge check choose clean clear close collect compare complete confirm
  connect contact convert cook copy create cut debug decide decorate define delete deliver deploy describe design develop discuss
  document download draft draw drive edit email enable estimate enjoy evaluate explain export extract fetch file fill find
  finish fix fly follow format gather generate get give go hire identify implement import improve inform
  install interview invite join keep launch learn list load look make map measure meet merge migrate monitor move name
  negotiate notify open order organise organize outline pack paint pay phone pick plan plant post practise prepare present
  print prototype publish purchase read record refactor register release remove rename rent repair replace report request
  research reserve review rewrite run save schedule search select sell send set share ship show sign sketch solve sort
  source start store study submit summarise summarize take talk teach tell test tidy track train translate try turn unpack
  update upgrade upload use validate verify visit walk wash watch weigh write`.split(/\s+/),
)

const LEAD =
  /^(?:(?:hi|hello|hey|ok|okay|so|well|now|please|pls|thanks|great|hearthd|assistant|computer|dear)\b(?: there)?[\s,!.:]+(?!there\b|again\b)|(?:please|kindly|also|just)\s+|(?:(?:an? )?(?:quick|short|small|one|another|simple) (?:one|question|thing|favou?r)|btw|by the way|question)\s*[:,.]\s*|(?:can|could|would|will) (?:you|u)(?: please| kindly)?\s+(?!remember (?:what|who|where|when|how|my|if)|do\b|help\b|hear|understand|speak)|i(?:'d| would) like you to\s+|i (?:want|need) you to\s+|(?:do|would) you mind (?:to )?|(?:don'?t forget|remember) to (?=remind me\b))/i
/** Closing marks, each tried from the first only; `5!` keeps its own. */
const MARKS = /(?<![\s.?,;]|(?<![\d)])!)(?:[\s.?,;]|(?<![\d)])!)+$/
const THANKS = /(?<![\s,])[\s,]*(?:\bplease|\bpls|\bfor me|\bthanks|\bthank you|\bnow please)$/i

/** Straight quotes, single spaces, no outer white space. Line breaks are kept. */
export const tidy = (text: string): string =>
  text
    .replace(/[‘’‚`´]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/[^\S\n]+/g, ' ')
    .trim()

/** The request without greeting, politeness and closing marks; the text itself when nothing else is in it. */
export function bare(text: string): string {
  let rest = text
  for (let previous = ''; previous !== rest; ) {
    previous = rest
    rest = rest.replace(LEAD, '')
  }
  rest = rest.replace(/^(what|who|where|when|how)s\b/i, "$1's")
  const trimmed = rest.replace(MARKS, '').replace(THANKS, '').trim()
  return trimmed === '' ? text.replace(/(?<![\s.!?,;])[\s.!?,;]+$/, '').trim() || text.trim() : trimmed
}

export const words = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? []

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)

/** Words that carry meaning, cut to a rough stem, so that "parked" matches "park". */
export const stems = (text: string): string[] =>
  words(text)
    .filter((word) => !isStopWord(word))
    .map(stem)

function stem(word: string): string {
  const base = word.replace(/'s$/, '')
  if (base.length < 5) return base.replace(/(?<=..[^s])s$/, '')
  return base.replace(/(?:ing|ed|es|s|ly)$/, '').replace(/(?<=...)e$/, '')
}

/** The share of `left`'s meaningful words that are in `right`, 0 to 1. */
export function similarWords(left: string, right: string): number {
  const wanted = new Set(stems(left))
  const offered = new Set(stems(right))
  return wanted.size === 0 ? 0 : wanted.intersection(offered).size / wanted.size
}

export const sentences = (text: string): string[] =>
  text
    .split(/(?<=[.!?…]["')\]]?)\s+(?=["'([]?[\p{Lu}\p{N}])|(?<=[。!?！？])|\n{2,}|\n(?=\s{0,20}[-*•\d])/u)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')

export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  const space = cut.lastIndexOf(' ')
  return `${(space > limit * 0.6 ? cut.slice(0, space) : cut).replace(/(?<![\s,;:])[\s,;:]+$/, '')} …`
}

export const unquote = (text: string): string => text.trim().replace(/^(["'])([\s\S]*)\1$/, '$2')
export const capitalise = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
export const lowerFirst = (text: string): string =>
  /^(?:I\b|[A-Z]{2})/.test(text) ? text : text.slice(0, 1).toLowerCase() + text.slice(1)
export const ended = (text: string): string => (/[.!?。]$/.test(text) ? text : `${text}.`)
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`

export function joinList(items: readonly string[], last = 'and'): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`
}

/** As a quotation, so that no line of foreign text can pass for one of the model's own. */
export const quoted = (text: string): string => text.replace(/^/gm, '> ')

const SECOND_PERSON: Record<string, string> = {
  i: 'you',
  me: 'you',
  my: 'your',
  mine: 'yours',
  myself: 'yourself',
  am: 'are',
  "i'm": "you're",
  "i've": "you've",
  "i'd": "you'd",
  "i'll": "you'll",
}

/** Rephrases the owner's statement for the owner: "I like my tea" becomes "you like your tea". */
export const toSecondPerson = (text: string): string =>
  text
    .replace(/(?<!\p{L})I was\b/giu, 'you were')
    .replace(
      /(?<![\p{L}'])(?:I'm|I've|I'd|I'll|I|me|my|mine|myself|am)(?![\p{L}']|\.\w)/giu,
      (word) => SECOND_PERSON[word.toLowerCase()] ?? word,
    )
