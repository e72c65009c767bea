const STOP_WORDS = new Set(
  `a about after all also am an and any are as at be because been before but by can could did do does for from had has
  have he her here him his how i if in into is it its just like may me more most my no not of on or our out over she so
  some such than that the their them then there these they this those to up us was we were what when where which who
  whom whose why will with would you your tell know said say`.split(/\s+/),
)

const LEAD =
  /^(?:(?:hi|hello|hey|ok|okay|so|well|now|please|pls|thanks|great|hearthd|assistant|computer|dear)\b(?: there)?[\s,!.:]+(?!there\b|again\b)|(?:please|kindly|also|just)\s+|(?:(?:an? )?(?:quick|short|small|one|another|simple) (?:one|question|thing|favou?r)|btw|by the way|question)\s*[:,.]\s*|(?:can|could|would|will) (?:you|u)(?: please| kindly)?\s+(?!remember (?:what|who|where|when|how|my|if)|do\b|help\b|hear|understand|speak)|i(?:'d| would) like you to\s+|i (?:want|need) you to\s+|(?:do|would) you mind (?:to )?)/i
const TRAIL =
  /[\s,]*(?:\bplease|\bpls|\bfor me|\bthanks|\bthank you|\bnow please)?(?:[\s.?,;]|(?<![\d)])!)*$/i

/** Straight quotes, single spaces, no outer white space. Line breaks stay. */
export function tidy(text: string): string {
  return text
    .replace(/[‘’‚`´]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/[^\S\n]+/g, ' ')
    .trim()
}

/** The request without greeting, politeness and closing marks; the text itself when nothing else is in it. */
export function bare(text: string): string {
  let rest = text
  for (let previous = ''; previous !== rest; ) {
    previous = rest
    rest = rest.replace(LEAD, '')
  }
  const trimmed = rest.replace(TRAIL, '').trim()
  return trimmed === '' ? text.replace(/[\s.!?,;]*$/, '').trim() || text.trim() : trimmed
}

export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? []
}

/** Words that carry meaning, cut to a rough stem, so that "parked" meets "park". */
export function stems(text: string): string[] {
  return words(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem)
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

function stem(word: string): string {
  const base = word.replace(/'s$/, '')
  if (base.length < 5) return base.replace(/(?<=..[^s])s$/, '')
  return base.replace(/(?:ing|ed|es|s|ly)$/, '').replace(/(?<=...)e$/, '')
}

export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?…]["')\]]?)\s+(?=["'([]?[\p{Lu}\p{N}])|(?<=[。!?！？])|\n{2,}|\n(?=\s*[-*•\d])/u)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
}

export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  const space = cut.lastIndexOf(' ')
  return `${(space > limit * 0.6 ? cut.slice(0, space) : cut).replace(/[\s,;:]+$/, '')} …`
}

export function unquote(text: string): string {
  return text.trim().replace(/^(["'])([\s\S]*)\1$/, '$2')
}

export function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

export function lowerFirst(text: string): string {
  return /^(?:I\b|[A-Z]{2})/.test(text) ? text : text.slice(0, 1).toLowerCase() + text.slice(1)
}

export function joinList(items: readonly string[], last = 'and'): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`
}

export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}

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

/** What the owner said of themselves, said back: "I like my tea" becomes "you like your tea". */
export function toSecondPerson(text: string): string {
  return text
    .replace(/\bI was\b/gi, 'you were')
    .replace(
      /\b(?:I'm|I've|I'd|I'll|I|me|my|mine|myself|am)\b(?!\.\w)/gi,
      (word) => SECOND_PERSON[word.toLowerCase()] ?? word,
    )
}

export function similarWords(left: string, right: string): number {
  const wanted = new Set(stems(left))
  if (wanted.size === 0) return 0
  const offered = new Set(stems(right))
  return [...wanted].filter((word) => offered.has(word)).length / wanted.size
}

export function ended(text: string): string {
  return /[.!?。]$/.test(text) ? text : `${text}.`
}

/** As a quotation, so that no line of foreign text can pass for one of our own. */
export function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}
