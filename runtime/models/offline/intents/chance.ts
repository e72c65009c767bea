import { joinList, plural } from '../text.ts'
import { grammar, type Intent, type Slots, say } from '../types.ts'

const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const COUNTS = ['', 'an?|one', 'two|a pair of', 'three', 'four', 'five', 'six']
const [MIN_LENGTH, MAX_LENGTH, USUAL_LENGTH] = [8, 128, 20]

/** A whole number from 1 to `sides`, each as likely as the others. */
export function draw(sides: number): number {
  const space = 2 ** 32
  const limit = space - (space % sides)
  for (;;) {
    const [value = 0] = crypto.getRandomValues(new Uint32Array(1))
    if (value < limit) return 1 + (value % sides)
  }
}

export const flip = (sides: readonly string[]): string => sides[draw(sides.length) - 1] ?? ''

/** What is drawn by chance differs in every model call, so it is only said: another clause cannot use it. */
export const chance: Intent = {
  title: 'Chance',
  tools: [],
  examples: ['roll two dice', 'generate a password'],
  rules: grammar`
    @ 0.93; kind: dice
      (roll|throw|cast)( me)?( (?<count>an?|one|two|a pair of|three|four|five|six|[1-9]))?( (six-sided )?(dice|die)|( ?)d(?<sides>[1-9]\d{0,2}))( again)?
    @ 0.93; kind: coin
      (flip|toss|throw)( me)?( an?| the)? coin( again)?|heads or tails
    @ 0.93; kind: number
      ((give|tell)( me)?|pick|choose|draw|generate|think of)?( an?| some)?( random)? number( (between|from) (?<from>\d{1,9}) (and|to) (?<to>\d{1,9}))?
    @ 0.93; kind: choice
      (pick|choose|draw)( me)?( one| something| at random| randomly)*( (of|from|between|out of))?( these)?:? (?<items>\S.{0,300}?(, | or ).+)
    @ 0.93; kind: password
      ((give|make|create|generate|suggest|invent|I need)( me)? )(an? |one )?(new |strong |random |secure |good |safe |(?<length>\d{1,3})[ -]characters? )*password( (of|with) (?<count>\d{1,3}) (characters|letters)| (?<count>\d{1,3}) (characters|letters) long)?
    @ 0.93; kind: uuid
      ((give|make|create|generate|I need)( me)? )?(an? )?(new |random )*(uuid|guid)( v4)?
  `,
  async *run(slots) {
    yield say(DRAWS[slots.kind ?? '']?.(slots) ?? '')
    return { title: 'what was drawn', text: '' }
  },
}

const DRAWS: Record<string, (slots: Slots) => string> = {
  dice({ count = 'one', sides = '6' }) {
    const dice =
      Number(count) ||
      Math.max(
        1,
        COUNTS.findIndex((words) => new RegExp(`^(?:${words})$`, 'i').test(count)),
      )
    const rolled = Array.from({ length: dice }, () => draw(Number(sides)))
    const total = rolled.reduce((sum, one) => sum + one, 0)
    return `You rolled ${joinList(rolled.map(String))}${dice > 1 ? `: ${total} in total` : ''}.`
  },
  coin: () => `${flip(['Heads', 'Tails'])}.`,
  number({ from = '1', to = '100' }) {
    const [low = 0, high = 0] = [Number(from), Number(to)].sort((left, right) => left - right)
    return `${low - 1 + draw(high - low + 1)} (from ${low} to ${high}).`
  },
  choice: ({ items = '' }) => `${flip(items.split(/,? or |, (?:or )?/))}.`,
  password({ length: given, count = given ?? String(USUAL_LENGTH) }) {
    const length = Math.min(Math.max(Number(count), MIN_LENGTH), MAX_LENGTH)
    const password = Array.from({ length }, () => LETTERS[draw(LETTERS.length) - 1]).join('')
    return `\`${password}\`\n\nIt has ${plural(length, 'random character')}. This conversation stores it, so delete the conversation when you have saved it.`
  },
  uuid: () => `\`${crypto.randomUUID()}\``,
}
