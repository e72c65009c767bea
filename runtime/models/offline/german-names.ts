import { isStopWord, words } from './text.ts'

const GERMAN = new Set(
  `guten gute der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren hat habe haben wird werden
  im am vom zum zur beim ins mit für auf bei nach aus von nicht ich du er sie wir ihr mich mir dich dir uns euch mein
  meine meinen meinem meiner dein deine unser unsere kein keine wie wo wer wann warum bitte auch noch schon heute
  morgen gestern es zu um über unter dass wenn weil kann muss soll will danke`.split(/\s+/),
)
const LETTERS = /[äöüß]/i

/** Whether a text is German, where every noun begins with a capital letter, so that this tells nothing of names. */
function isGerman(text: string): boolean {
  const said = words(text)
  const german = said.filter((word) => GERMAN.has(word)).length + (LETTERS.test(text) ? 1 : 0)
  return german >= 2 && german > englishIn(text)
}

const englishIn = (text: string): number =>
  words(text).filter((word) => isStopWord(word) && !GERMAN.has(word)).length

/** For each place of a text whether it is in a German sentence. In a German text one with no English word is. */
export function germanPlaces(text: string): (index: number) => boolean {
  const whole = isGerman(text)
  const sentences = [...text.matchAll(/[^.!?\n]+[.!?\n]*/g)].map(({ 0: sentence, index }) => ({
    from: index,
    german: isGerman(sentence) || (whole && englishIn(sentence) === 0),
  }))
  return (index) => sentences.findLast(({ from }) => from <= index)?.german ?? false
}

const NAME = "\\p{Lu}[\\p{L}'-]+"
const KIN =
  'Schwester|Bruder|Mutter|Mama|Vater|Papa|Frau|Mann|Freund|Freundin|Sohn|Tochter|Kollege|Kollegin|Chef|Chefin|Oma|Opa|Tante|Onkel|Cousin|Cousine|Nachbar|Nachbarin|Partner|Partnerin'

/** What makes a word a name there: who somebody is, where one lives or goes, whom one works for. */
export const GERMAN_NAMES: readonly (readonly ['person' | 'place' | 'organization', RegExp])[] = [
  ['person', new RegExp(`(?<=\\b(?:heiße|heißt|heissen|heißen|namens)\\s+)${NAME}(?:\\s+${NAME})?`, 'gu')],
  ['person', new RegExp(`(?<=\\b[Mm]eine?[rmn]?\\s+(?:${KIN})\\s+)${NAME}`, 'gu')],
  [
    'place',
    new RegExp(
      `(?<=\\b(?:wohn|leb|zieh|zog|fahr|fähr|flieg|reis|komm)\\p{Ll}*\\b[^.!?\\n]{0,60}?\\s(?:in|nach|aus)\\s+)(?!Haus)${NAME}`,
      'gu',
    ),
  ],
  [
    'organization',
    new RegExp(`(?<=\\b(?:arbeit|jobb)\\p{Ll}*\\s+(?:jetzt\\s+)?(?:bei|für)\\s+)${NAME}`, 'gu'),
  ],
]
